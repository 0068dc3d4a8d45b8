//===- CommandWork.cpp - Tasks of a cluster ----------------------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandWork.h"
#include "Screen.h"
#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Tuner/Launcher.h"
#include "tcgemm/Tuner/WorkRunner.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {

/// Prints the shards of a task as lines, and its records as JSON.
class WorkScreen : public WorkObserver {
public:
  WorkScreen(const TaskPlace &place, bool isJSON)
      : prefix(formatv("[task {0}] ", place.rank)), isJSON(isJSON) {}

  void beginShard(const Shard &shard, unsigned number) override {
    numRecords = numFailures = 0;
    if (number > 0)
      llvm::errs() << prefix << shard.id.substr(0, 8)
                   << ": continues what another task began\n";
  }
  void record(const Record &record) override {
    ++numRecords;
    numFailures += !record.isSuccess();
    if (!isJSON)
      return;
    llvm::json::Object event = toJSON(record);
    event["event"] = "record";
    llvm::outs() << llvm::json::Value(std::move(event)) << '\n';
  }
  void endShard(const Shard &shard, bool isComplete) override {
    llvm::errs() << prefix << shard.id.substr(0, 8) << " of "
                 << shard.problem.str() << ": " << numRecords << " measured, "
                 << numFailures << " failed"
                 << (isComplete ? "" : ", not complete") << '\n';
  }

private:
  std::string prefix;
  bool isJSON;
  uint64_t numRecords = 0, numFailures = 0;
};

/// A database of this task alone, for the code of kernels. It is removed unless
/// the user named it.
class LocalStore {
public:
  ~LocalStore() {
    store.reset();
    if (folder.empty())
      return;
    if (std::error_code code = llvm::sys::fs::remove_directories(folder))
      llvm::errs() << "tcgemm-tune: warning: cannot remove '" << folder
                   << "': " << code.message() << '\n';
  }
  Error open(const Flags &flags) {
    std::string path = flags.output.database;
    if (flags.output.database.getNumOccurrences() == 0) {
      if (std::error_code code =
              llvm::sys::fs::createUniqueDirectory("tcgemm-work", folder))
        return llvm::createStringError("cannot make a temporary folder: " +
                                       code.message());
      path = (folder + "/task.db").str();
    }
    Expected<std::unique_ptr<Store>> opened =
        Store::open(path, Store::Mode::ReadWrite);
    if (!opened)
      return opened.takeError();
    store = std::move(*opened);
    return Error::success();
  }

  std::unique_ptr<Store> store;

private:
  llvm::SmallString<128> folder;
};

} // namespace

/// What does not go with a work list.
static Error checkWorkFlags(const Flags &flags, const TuneInputs &inputs) {
  auto refuse = [](const llvm::Twine &flag, llvm::StringRef why) {
    return llvm::createStringError(flag + " does not go with --work: " + why);
  };
  if (!flags.search.budget.empty())
    return refuse("--budget", "a work list has all candidates of the spaces");
  if (flags.search.strategy.getNumOccurrences() > 0 &&
      flags.search.strategy != "exhaustive")
    return refuse("--strategy=" + flags.search.strategy,
                  "a work list has all candidates, in the order of their "
                  "hashes; use exhaustive");
  if (flags.device.compileOnly)
    return refuse("--compile-only", "a task measures its candidates");
  if (flags.cluster.shardSize < 1 || flags.cluster.shardSize > 100000)
    return llvm::createStringError("--shard-size is " +
                                   llvm::Twine(flags.cluster.shardSize) +
                                   ", but it must be from 1 to 100000");
  if (!(flags.cluster.lease >= 1 && flags.cluster.lease <= 86400))
    return llvm::createStringError(
        formatv("--lease is {0} s, but it must be from 1 to 86400 s",
                +flags.cluster.lease));
  return Error::success();
}

/// The device of a task: with `cuda`, that of its rank among the tasks of the
/// node.
static Expected<std::string> chooseDevice(llvm::StringRef device,
                                          const TaskPlace &place) {
  if (device == "cuda" && place.localRank == 0)
    return device.str();
  Expected<std::vector<std::string>> devices =
      expandDevices(device == "cuda" ? "cuda:all" : device);
  if (!devices)
    return devices.takeError();
  return (*devices)[place.localRank % devices->size()];
}

/// All candidates of all problems, in shards.
static Expected<std::vector<Shard>> listShards(const Flags &flags,
                                               const TuneInputs &inputs,
                                               const Platform &platform) {
  Expected<const ChipInfo &> chip = lookupChip(platform.chip);
  if (!chip)
    return chip.takeError();
  Expected<SpacesByName> spaces = readSpacesByName(flags, inputs, *chip);
  if (!spaces)
    return spaces.takeError();
  std::vector<Shard> shards;
  for (const TuningProblem &problem : inputs.problems) {
    std::vector<KernelConfig> configs;
    llvm::StringSet<> seen;
    auto add = [&](const KernelConfig &config) {
      if (seen.insert(config.str()).second)
        configs.push_back(config);
    };
    if (inputs.options.known)
      if (std::optional<KernelConfig> known = inputs.options.known->lookup(
              {*chip, problem.getInfo(), problem.str(), /*overrides=*/""}))
        add(*known);
    for (const Space &space :
         findSpaces(*spaces, flags, inputs, *chip, problem)) {
      Expected<SearchSpace> bound = SearchSpace::create(space, *chip, problem);
      if (!bound)
        return bound.takeError();
      bound->forEachLegal([&](const SpacePoint &point) {
        add(bound->getConfig(point));
        return true;
      });
    }
    if (configs.empty())
      llvm::errs() << "tcgemm-tune: note: no configuration of the space is "
                      "legal for "
                   << problem.str() << '\n';
    for (Shard &shard :
         makeShards(problem, configs, platform, flags.cluster.shardSize))
      shards.push_back(std::move(shard));
  }
  return std::move(shards);
}

/// Opens the folder and finds what does not work with it.
static Expected<WorkFolder> openFolder(const Flags &flags,
                                       const TaskPlace &place) {
  Expected<WorkFolder> folder = WorkFolder::open(
      flags.cluster.work, {flags.cluster.lease, getGeneratorVersion()});
  if (!folder)
    return folder.takeError();
  Expected<double> difference = folder->getClockDifference();
  if (!difference)
    return difference.takeError();
  constexpr double most = 5;
  if (std::abs(*difference) > most)
    llvm::errs() << formatv(
        "tcgemm-tune: warning: the clock of this node differs from that of the "
        "folder by {0:f0} s, more than {1:f0} s; leases use the folder's "
        "clock, "
        "but the times of records are wrong\n",
        *difference, most);
  if (place.isSimultaneous && place.size > 1)
    if (Error error = folder->checkShared(place.job, place.rank,
                                          flags.cluster.shareTimeout))
      return std::move(error);
  return folder;
}

static int work(const Flags &flags, const TuneInputs &inputs,
                const TaskPlace &place, WorkFolder &folder,
                Evaluator &evaluator) {
  const Platform &platform = evaluator.getPlatform();
  Expected<std::vector<Shard>> shards = listShards(flags, inputs, platform);
  if (!shards)
    return fail(shards.takeError(), kExitBadInput);
  if (shards->empty())
    return fail(llvm::createStringError("no configuration of the spaces is "
                                        "legal for any problem: --count shows "
                                        "what excludes them"),
                kExitRunFailed);
  if (Error error = folder.addList(platform, *shards))
    return fail(std::move(error), kExitRunFailed);
  WorkScreen screen(place, flags.output.format == OutputStyle::JSONLines);
  WorkOptions options;
  options.path = flags.cluster.work;
  options.leaseSeconds = flags.cluster.lease;
  options.rank = place.rank;
  options.size = place.size;
  options.finalFactor = inputs.options.finalFactor;
  options.maxFinalists = inputs.options.maxFinalists;
  options.interrupted = inputs.engine.interrupted;
  Expected<WorkSummary> summary =
      runWork(folder, *shards, evaluator, options, screen);
  if (!summary) {
    Error error = summary.takeError();
    bool isDevice = error.isA<DeviceError>();
    return fail(std::move(error), isDevice ? kExitNoDevice : kExitRunFailed);
  }
  llvm::errs() << formatv("tcgemm-tune: task {0}: {1} candidates, {2} shards\n",
                          place.rank, summary->candidates, summary->shards);
  if (summary->isComplete)
    return kExitSuccess;
  llvm::errs() << "tcgemm-tune: interrupted; another task or the same command "
                  "continues from here\n";
  return kExitInterrupted;
}

int tcgemm::runWorkTask(const Flags &flags, TuneInputs &inputs,
                        const std::atomic<bool> &interrupted) {
  if (Error error = checkWorkFlags(flags, inputs))
    return fail(std::move(error), kExitBadInput);
  Expected<TaskPlace> place =
      readTaskPlace(flags.cluster.launcher, [](llvm::StringRef name) {
        return name.empty() ? std::nullopt : llvm::sys::Process::GetEnv(name);
      });
  if (!place)
    return fail(place.takeError(), kExitBadInput);
  Expected<WorkFolder> folder = openFolder(flags, *place);
  if (!folder)
    return fail(folder.takeError(), kExitBadInput);
  Expected<std::string> device = chooseDevice(inputs.engine.device, *place);
  if (!device)
    return fail(device.takeError(), kExitNoDevice);
  inputs.engine.device = *device;
  inputs.engine.interrupted = &interrupted;
  LocalStore local;
  if (Error error = local.open(flags))
    return fail(std::move(error), kExitRunFailed);
  Expected<std::unique_ptr<Evaluator>> engine =
      createEngine(*local.store, inputs.engine);
  if (!engine)
    return fail(engine.takeError(), kExitNoDevice);
  return work(flags, inputs, *place, *folder, **engine);
}

//===----------------------------------------------------------------------===//
// launch and status
//===----------------------------------------------------------------------===//

static Error submit(llvm::StringRef launcher, llvm::StringRef folder,
                    llvm::StringRef script) {
  Expected<std::string> name = getSubmitProgram(launcher);
  if (!name)
    return name.takeError();
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(*name);
  if (!program)
    return llvm::createStringError("--launcher=" + launcher +
                                   ": there is no '" + *name + "' on the path");
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot make the folder '" + folder +
                                   "': " + code.message());
  std::string path = (folder + "/job.sh").str();
  if (writeOutput(path, [&](llvm::raw_ostream &os) { os << script; }) != 0)
    return llvm::createStringError("there is no script to submit");
  std::string message;
  int code = llvm::sys::ExecuteAndWait(*program, {*program, path}, std::nullopt,
                                       {}, 0, 0, &message);
  if (code != 0)
    return llvm::createStringError("'" + *program + "' failed with exit code " +
                                   llvm::Twine(code) +
                                   (message.empty() ? "" : ": " + message));
  return Error::success();
}

int tcgemm::runLaunch(const Flags &flags, const char *program) {
  if (flags.cluster.work.empty())
    return fail(llvm::createStringError(
                    "launch needs --work=DIR, a folder that all nodes see"),
                kExitBadInput);
  constexpr unsigned most = 100000;
  for (auto [name, value] :
       {std::pair("--nodes", +flags.cluster.nodes),
        std::pair("--tasks-per-node", +flags.cluster.tasksPerNode)})
    if (value < 1 || value > most)
      return fail(
          llvm::createStringError(formatv(
              "{0} is {1}, but it must be from 1 to {2}", name, value, most)),
          kExitBadInput);
  JobRequest request;
  request.nodes = flags.cluster.nodes;
  request.tasksPerNode = flags.cluster.tasksPerNode;
  request.time = flags.cluster.time;
  request.program = program;
  request.work = flags.cluster.work;
  request.flags.assign(flags.cluster.launchArguments.begin(),
                       flags.cluster.launchArguments.end());
  Expected<std::string> script =
      writeJobScript(flags.cluster.launcher, request);
  if (!script)
    return fail(script.takeError(), kExitBadInput);
  if (flags.cluster.dryRun) {
    llvm::outs() << *script;
    return kExitSuccess;
  }
  if (Error error = submit(flags.cluster.launcher, request.work, *script))
    return fail(std::move(error), kExitRunFailed);
  return kExitSuccess;
}

static llvm::json::Object describe(const WorkStatus &status) {
  llvm::json::Array problems;
  for (const WorkStatus::Problem &problem : status.problems) {
    llvm::json::Object object{{"problem", problem.name},
                              {"shards", problem.shards},
                              {"done_shards", problem.doneShards},
                              {"claimed_shards", problem.claimedShards},
                              {"expired_shards", problem.expiredShards},
                              {"candidates", problem.candidates},
                              {"measured", problem.measured},
                              {"failed", problem.failed}};
    if (problem.best)
      object["best"] = toJSON(*problem.best);
    problems.push_back(std::move(object));
  }
  llvm::json::Object object{{"tasks", status.tasks},
                            {"incomplete_lines", status.incompleteLines},
                            {"problems", std::move(problems)}};
  if (status.secondsLeft >= 0)
    object["seconds_left"] = status.secondsLeft;
  return object;
}

int tcgemm::runStatus(const Flags &flags) {
  Expected<WorkStatus> status =
      getWorkStatus(flags.cluster.statusFolder, flags.cluster.lease);
  if (!status)
    return fail(status.takeError(), kExitBadInput);
  if (flags.cluster.json) {
    llvm::outs() << llvm::json::Value(describe(*status)) << '\n';
    return kExitSuccess;
  }
  for (const WorkStatus::Problem &problem : status->problems) {
    llvm::outs() << formatv(
        "{0}: {1} of {2} measured, {3} failed; shards: {4} of {5} done, {6} "
        "claimed, {7} expired\n",
        problem.name, problem.measured, problem.candidates, problem.failed,
        problem.doneShards, problem.shards, problem.claimedShards,
        problem.expiredShards);
    if (problem.best)
      llvm::outs() << "  best " << formatTime(*problem.best) << ", "
                   << formatConfig(problem.best->config) << '\n';
  }
  llvm::outs() << formatv("{0} tasks have written records", status->tasks);
  if (status->incompleteLines > 0)
    llvm::outs() << formatv(", {0} incomplete lines", status->incompleteLines);
  if (status->secondsLeft > 0)
    llvm::outs() << ", " << formatSeconds(status->secondsLeft) << " to go";
  llvm::outs() << '\n';
  return kExitSuccess;
}
