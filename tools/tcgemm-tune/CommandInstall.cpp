//===- CommandInstall.cpp - tcgemm-tune install ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tunes typical problems for a machine once, into the user's database.
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "PruneInputs.h"
#include "Selection.h"
#include "TuneInputs.h"
#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Store/UserFolders.h"
#include "tcgemm/Tuner/Installation.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

namespace {

/// Passes on what is reported of one problem, with its place among all.
class PlacedObserver : public TuningObserver {
public:
  PlacedObserver(TuningObserver &next, uint64_t index, uint64_t count)
      : next(next), index(index), count(count) {}

  void beginProblem(const TuningProblem &problem, uint64_t, uint64_t,
                    uint64_t total) override {
    next.beginProblem(problem, index, count, total);
  }
  void skipProblem(const TuningProblem &problem, uint64_t, uint64_t) override {
    isSkipped = true;
    next.skipProblem(problem, index, count);
  }
  void record(const Record &record, bool isResumed) override {
    next.record(record, isResumed);
  }
  void prune(const Record &record, const Pruning &pruning) override {
    next.prune(record, pruning);
  }
  void beginFinal(llvm::ArrayRef<Record> finalists) override {
    next.beginFinal(finalists);
  }
  void endProblem(const TuningResult &result) override {
    next.endProblem(result);
  }
  void loseDevice(llvm::StringRef failure) override {
    next.loseDevice(failure);
  }

  /// True if no configuration is legal.
  bool isSkipped = false;

private:
  TuningObserver &next;
  uint64_t index, count;
};

/// The lock that the C library takes while it tunes in the background.
class DatabaseLock {
public:
  ~DatabaseLock() {
    if (file >= 0)
      ::close(file);
  }
  Error take(const std::string &database) {
    std::string path = database + ".lock";
    file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
      return fail(path);
    if (::flock(file, LOCK_EX | LOCK_NB) == 0)
      return Error::success();
    llvm::errs() << "tcgemm-tune: note: waits for another process that tunes "
                    "into "
                 << database << '\n';
    return ::flock(file, LOCK_EX) == 0 ? Error::success() : fail(path);
  }

private:
  static Error fail(const std::string &path) {
    std::error_code code(errno, std::generic_category());
    return llvm::createStringError("cannot lock '" + path +
                                   "': " + code.message());
  }
  int file = -1;
};

struct InstallInputs : TuneInputs {
  /// The problems are the shipped list, of which a chip may not compute some.
  bool isShippedList = false;
};

class Installer {
public:
  Installer(const Flags &flags, InstallInputs &inputs, Store &store,
            Evaluator &engine, const ChipInfo &chip, SpacesByName spaces)
      : flags(flags), inputs(inputs), store(store), engine(engine), chip(chip),
        spaces(std::move(spaces)), screen(createScreen(flags, "", nullptr)) {}

  /// Returns the exit code. Errors end the run.
  Expected<int> run();

private:
  Expected<InstallStep> plan(const TuningProblem &problem) const;
  Error planAll();
  Expected<bool> install(size_t index);
  void printSummary(llvm::StringRef database) const;
  double getElapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         beganAt)
        .count();
  }

  const Flags &flags;
  InstallInputs &inputs;
  Store &store;
  Evaluator &engine;
  const ChipInfo &chip;
  SpacesByName spaces;
  std::unique_ptr<TuningObserver> screen;
  std::chrono::steady_clock::time_point beganAt =
      std::chrono::steady_clock::now();
  std::vector<InstallStep> steps; ///< One for each problem.
  size_t waiting = 0;             ///< Problems that are not finished.
  std::array<size_t, 3> counts{}; ///< Finished ones, by their state.
  size_t failed = 0, impossible = 0;
};

} // namespace

Expected<InstallStep> Installer::plan(const TuningProblem &problem) const {
  RecordFilter filter;
  filter.kernel = problem.kernel;
  filter.sizes = problem.sizes;
  Expected<std::vector<Record>> records = store.query(filter);
  if (!records)
    return records.takeError();
  return planInstallation(*records, engine.getPlatform(),
                          std::max(1U, flags.search.finalists.getValue()));
}

Error Installer::planAll() {
  for (const TuningProblem &problem : inputs.problems) {
    Expected<InstallStep> step = plan(problem);
    if (!step)
      return step.takeError();
    bool isKnown = step->state == InstallState::Known;
    waiting += !isKnown;
    counts[unsigned(InstallState::Known)] += isKnown;
    steps.push_back(std::move(*step));
  }
  return Error::success();
}

/// Tunes a problem, or times its finalists again. False if no time is left.
Expected<bool> Installer::install(size_t index) {
  const TuningProblem &problem = inputs.problems[index];
  const InstallStep &step = steps[index];
  TunerOptions options = inputs.options;
  if (step.state == InstallState::New && inputs.options.budget.seconds > 0) {
    options.budget.seconds =
        getInstallShare(inputs.options.budget.seconds, getElapsed(), waiting);
    if (options.budget.seconds == 0)
      return false;
  }
  options.getCandidates = [&](const TuningProblem &) { return step.finalists; };
  if (step.state == InstallState::Retime)
    options.budget = Budget();
  PlacedObserver observer(*screen, index, inputs.problems.size());
  Expected<std::vector<TuningResult>> results = tune(
      problem,
      [&](const TuningProblem &each) {
        return findSpaces(spaces, flags, inputs, chip, each);
      },
      chip, engine, options, observer);
  if (observer.isSkipped) {
    llvm::consumeError(results.takeError());
    ++impossible;
    --waiting;
    return true;
  }
  if (!results)
    return results.takeError();
  if (options.interrupted && *options.interrupted)
    return false;
  InstallOutcome outcome = getInstallOutcome(results->front());
  waiting -= outcome != InstallOutcome::Left;
  failed += outcome == InstallOutcome::Wrong;
  counts[unsigned(step.state)] += outcome == InstallOutcome::Right;
  return true;
}

void Installer::printSummary(llvm::StringRef database) const {
  const Platform &platform = engine.getPlatform();
  size_t known = counts[unsigned(InstallState::Known)],
         tuned = counts[unsigned(InstallState::New)],
         again = counts[unsigned(InstallState::Retime)];
  // Lines of JSON have standard output for themselves.
  llvm::raw_ostream &os = flags.output.format == OutputStyle::JSONLines
                              ? llvm::errs()
                              : llvm::outs();
  os << inputs.problems.size() << " problems on " << platform.device << ", "
     << platform.driver << ": " << known << " known, " << tuned << " tuned, "
     << again << " timed again\n";
  for (auto [count, text] :
       {std::pair(failed, "without a right result"),
        std::pair(impossible, "without a legal configuration on this chip"),
        std::pair(waiting, "left for another run")})
    if (count)
      os << "  " << count << ' ' << text << '\n';
  if (tuned + again + failed == 0)
    os << "  nothing was measured\n";
  os << "  records: " << database << '\n';
}

Expected<int> Installer::run() {
  if (Error error = planAll())
    return std::move(error);
  // Timing again needs little time, so that it comes first.
  for (InstallState state : {InstallState::Retime, InstallState::New})
    for (size_t i = 0; i != steps.size(); ++i) {
      if (steps[i].state != state)
        continue;
      Expected<bool> isDone = install(i);
      if (!isDone)
        return isDone.takeError();
      if (!*isDone)
        break;
    }
  printSummary(store.getPath());
  if (inputs.options.interrupted && *inputs.options.interrupted)
    return kExitInterrupted;
  bool isMissing = impossible && !inputs.isShippedList;
  return failed || isMissing ? kExitNoConfig : kExitSuccess;
}

/// Flags of `tune` that an installation does not have.
static Error checkFlags(const Flags &flags) {
  for (auto [name, isGiven] :
       {std::pair("work", !flags.cluster.work.empty()),
        std::pair("launcher", flags.cluster.launcher != "none"),
        std::pair("compile-only", flags.device.compileOnly.getValue()),
        std::pair("no-compile", flags.device.noCompile.getValue()),
        std::pair("count", flags.space.count.getValue()),
        std::pair("list", flags.space.list.getValue()),
        std::pair("list-spaces", flags.space.listSpaces.getValue()),
        std::pair("explain", flags.space.explain.getNumOccurrences() > 0),
        std::pair("list-strategies", flags.search.listStrategies.getValue())})
    if (isGiven)
      return llvm::createStringError("--" + llvm::Twine(name) +
                                     " does not go with 'install'");
  if (flags.search.finalists == 0)
    return llvm::createStringError("--finalists is 0, but 'install' needs a "
                                   "final, whose records end a search");
  return Error::success();
}

static Expected<InstallInputs> readInstallInputs(const Flags &flags) {
  if (Error error = checkFlags(flags))
    return std::move(error);
  Expected<TunerOptions> options = readTunerOptions(flags);
  if (!options)
    return options.takeError();
  if (options->strategyOptions.protocol)
    return llvm::createStringError("--strategy=" + flags.search.strategy +
                                   " is a strategy file, which has problems of "
                                   "its own");
  constexpr double usualSeconds = 600;
  if (flags.search.budget.empty())
    options->budget.seconds = usualSeconds;
  Expected<std::vector<TuningProblem>> problems =
      readProblems(flags, /*mayBeNone=*/true);
  if (!problems)
    return problems.takeError();
  bool isShippedList = problems->empty();
  if (isShippedList) {
    Expected<KernelSpec> kernel = flags.problem.readKernel();
    if (!kernel)
      return kernel.takeError();
    problems = readSuite("typical", *kernel);
    if (!problems)
      return problems.takeError();
    mergeDuplicates(*problems);
  }
  Expected<EngineOptions> engine = readEngineOptions(flags);
  if (!engine)
    return engine.takeError();
  return InstallInputs{
      {std::move(*options), std::move(*problems), std::move(*engine)},
      isShippedList};
}

/// The path of --db, or of the user's database, whose folder is made.
static Expected<std::string> getDatabase(const Flags &flags) {
  if (isDatabaseGiven(flags))
    return flags.output.database.getValue();
  std::string path = getUserDatabase();
  if (path.empty())
    return llvm::createStringError(
        "neither XDG_DATA_HOME nor HOME names a folder for the records: give "
        "--db=FILE");
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot make '" + folder +
                                   "': " + code.message());
  return path;
}

int tcgemm::runInstall(const Flags &flags) {
  Expected<InstallInputs> inputs = readInstallInputs(flags);
  if (!inputs)
    return fail(inputs.takeError(), kExitBadInput);
  Expected<std::vector<std::string>> devices =
      expandDevices(inputs->engine.device);
  if (!devices) {
    Error error = devices.takeError();
    bool isMissing = error.isA<DeviceError>();
    return fail(std::move(error), isMissing ? kExitNoDevice : kExitBadInput);
  }
  if (devices->size() != 1)
    return fail(llvm::createStringError(
                    "--device=" + flags.device.device +
                    " names several devices, but 'install' tunes one"),
                kExitBadInput);
  inputs->engine.device = devices->front();
  Expected<std::string> database = getDatabase(flags);
  if (!database)
    return fail(database.takeError(), kExitBadInput);
  DatabaseLock lock;
  if (Error error = lock.take(*database))
    return fail(std::move(error), kExitBadInput);
  Expected<std::unique_ptr<Store>> store =
      Store::open(*database, Store::Mode::ReadWrite);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  inputs->engine.interrupted = inputs->options.interrupted = &catchInterrupts();
  Expected<std::unique_ptr<Evaluator>> engine =
      createEngine(**store, inputs->engine);
  if (!engine)
    return fail(engine.takeError(), kExitNoDevice);
  Expected<const ChipInfo &> chip = lookupChip((*engine)->getPlatform().chip);
  if (!chip)
    return fail(chip.takeError(), kExitBadInput);
  if (Error error = checkLimits(inputs->options.prune, *chip))
    return fail(std::move(error), kExitBadInput);
  if (inputs->options.prune.mode != PruneMode::None)
    printPruneNotes(inputs->options.prune, *chip,
                    (*engine)->getPlatform().device, inputs->problems);
  Expected<SpacesByName> spaces = readSpacesByName(flags, *inputs, *chip);
  if (!spaces)
    return fail(spaces.takeError(), kExitBadInput);
  Expected<int> code =
      Installer(flags, *inputs, **store, **engine, *chip, std::move(*spaces))
          .run();
  if (!code)
    return fail(code.takeError(), kExitRunFailed);
  return *code;
}
