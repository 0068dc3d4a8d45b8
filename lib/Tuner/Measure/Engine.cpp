//===- Engine.cpp - Compiles and times candidates -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread polls its child processes. A candidate passes from the queue of
// the compilers to that of the device, and then to the finished records. Each
// step is in the store before the next one begins.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Engine.h"
#include "Measure/BuildStore.h"
#include "Measure/CompileQueue.h"
#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Target/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

using namespace llvm;

namespace tcgemm {
namespace {

class Engine : public Evaluator {
public:
  Engine(Store &store, const EngineOptions &options, bool hasDevice)
      : store(store), options(options), hasDevice(hasDevice),
        builds(options.workFolder.empty()
                   ? createDatabaseBuilds(store)
                   : createSharedBuilds(options.workFolder)),
        device(this->options, builds->getCodePath()) {}
  ~Engine() override;

  /// Starts to open the device, so that several devices open at a time.
  Error launch() { return hasDevice ? device.launch() : Error::success(); }
  Error initialize(CompileQueues &queues);

  Error begin(const TuningProblem &next) override;
  size_t getCapacity() const override {
    return 2 * compilers->getNumCompilers() + 4;
  }
  Error submit(const KernelConfig &config) override;
  size_t getOutstanding() const override;
  Expected<bool> leaveOut(const Record &record) override;
  Expected<std::optional<Evaluation>> wait() override;
  Expected<std::optional<Evaluation>> poll() override;
  Expected<std::vector<Record>> getWithoutFinal(uint64_t count) override;
  Expected<std::vector<Record>> refine(ArrayRef<Record> finalists) override;
  Error startRefinement(ArrayRef<Record> finalists) override;
  Expected<std::optional<std::vector<Record>>> pollRefinement() override;
  void addDescriptors(std::vector<int> &descriptors) const override;
  const Platform &getPlatform() const override { return platform; }

private:
  bool isPTX() const {
    return platform.isEmulated() || options.device == kSimulatedDevice;
  }
  Error dispatch();
  bool waitForChildren();
  Error collect();
  Error finishBuild(Build build);
  Error finishRun(DeviceJob job, DeviceAnswer answer);
  Error replaceCode(const Build &build, const std::string &why);
  Record makeRecord(const Build &build) const;
  Error add(Record record);

  Store &store;
  const EngineOptions options;
  const bool hasDevice;
  const std::unique_ptr<BuildStore> builds;
  Platform platform;
  std::string whyNotCompile; ///< Empty: compilation is possible.
  TuningProblem problem;
  double best = 0; ///< Microseconds; 0: none yet.

  std::shared_ptr<CompileQueue> compilers;
  DeviceProcess device;
  std::deque<Build> toRun;
  std::deque<Evaluation> done;
  /// The records of a refinement, and their new times.
  std::pair<std::vector<Record>, std::vector<RunOutcome>> refinement;
  StringSet<> replaced; ///< Configurations whose code was found damaged.
};

} // namespace

static bool isInterrupted(const EngineOptions &options) {
  return options.interrupted && *options.interrupted;
}

Engine::~Engine() {
  if (compilers)
    compilers->abandon(this);
}

Error Engine::initialize(CompileQueues &queues) {
  platform.tcgemm = getGeneratorVersion();
  platform.chip = options.chip;
  if (hasDevice) {
    Expected<DeviceGreeting> greeting = device.open();
    if (!greeting)
      return greeting.takeError();
    platform.device = greeting->device;
    platform.driver = greeting->driver;
    platform.chip = greeting->chip;
  } else if (isPTX() || options.device == "emulator") {
    platform.device = platform.driver = options.device;
  }
  Expected<const ChipInfo &> chip = lookupChip(platform.chip);
  if (!chip)
    return chip.takeError();
  // Kernels that were compiled elsewhere need no ptxas.
  if (!options.mayCompile)
    whyNotCompile = "the run may not compile (--no-compile)";
  else if (!isPTX())
    if (Expected<Ptxas> ptxas = Ptxas::find(options.compile.ptxasPath); !ptxas)
      whyNotCompile = toString(ptxas.takeError());
  compilers =
      queues.get(options, platform.chip, isPTX(), builds->getCodePath());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

/// Sends a job to every idle child.
Error Engine::dispatch() {
  if (Error error = compilers->dispatch())
    return error;
  if (device.isBusy() || toRun.empty())
    return Error::success();
  DeviceJob next{problem, {std::move(toRun.front())}, false, best};
  toRun.pop_front();
  return device.start(std::move(next));
}

void Engine::addDescriptors(std::vector<int> &descriptors) const {
  compilers->addDescriptors(descriptors);
  device.addDescriptors(descriptors);
}

/// False if no child is busy.
bool Engine::waitForChildren() {
  if (!device.isBusy() && compilers->getNumPending(this) == 0)
    return false;
  std::vector<int> descriptors;
  addDescriptors(descriptors);
  waitForInput(descriptors);
  return true;
}

Error Engine::collect() {
  Expected<std::vector<Build>> finished = compilers->take(this);
  if (!finished)
    return finished.takeError();
  for (Build &build : *finished)
    if (Error error = finishBuild(std::move(build)))
      return error;
  // Nobody waits for an idle device.
  if (!finished->empty() && !isInterrupted(options))
    if (Error error = dispatch())
      return error;
  if (auto ended = device.collect())
    return finishRun(std::move(ended->first), std::move(ended->second));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

Record Engine::makeRecord(const Build &build) const {
  Record record;
  record.problem = problem;
  record.config = build.key.config;
  record.platform = platform;
  record.platform.ptxas = build.ptxas;
  record.outcome = build.outcome;
  record.message = build.message;
  record.costs.compile = build.milliseconds;
  if (!build.binaries.empty())
    record.resources.binary = build.binaries.front();
  auto now = std::chrono::system_clock::now().time_since_epoch();
  record.timestamp =
      std::chrono::duration_cast<std::chrono::seconds>(now).count();
  return record;
}

/// Updates the best time, with which later candidates are compared.
static void noteBest(Outcome outcome, const Timing &timing, double &best) {
  if (outcome == Outcome::Success && timing.median > 0 &&
      (best == 0 || timing.median < best))
    best = timing.median;
}

/// Commits a record and adds it to the finished ones.
Error Engine::add(Record record) {
  if (hasDevice)
    if (Error error = store.put(record))
      return error;
  done.push_back({std::move(record), /*isResumed=*/false});
  return Error::success();
}

Error Engine::finishBuild(Build build) {
  if (Error error = builds->put(build))
    return error;
  if (build.outcome != Outcome::Success || !hasDevice)
    return add(makeRecord(build));
  toRun.push_back(std::move(build));
  return Error::success();
}

static void setOutcome(Record &record, RunOutcome outcome) {
  record.outcome = outcome.outcome;
  record.state = outcome.state;
  record.message = std::move(outcome.message);
  record.variant = std::move(outcome.variant);
  record.timing = std::move(outcome.timing);
  std::string binary = std::move(record.resources.binary);
  record.resources = std::move(outcome.resources);
  record.resources.binary = std::move(binary);
  record.costs.verify = outcome.verifyMilliseconds;
  record.costs.measure = outcome.measureMilliseconds;
}

/// Compiles damaged code again, once.
Error Engine::replaceCode(const Build &build, const std::string &why) {
  if (!whyNotCompile.empty())
    return createStringError(why +
                             "; it cannot be compiled again: " + whyNotCompile);
  if (!replaced.insert(build.key.config.str()).second)
    return createStringError(why + ", again: is the disk sound?");
  if (Error error = builds->removeCode(build))
    return error;
  Build wanted;
  wanted.key = build.key;
  compilers->add(this, problem, std::move(wanted));
  return isInterrupted(options) ? Error::success() : dispatch();
}

Error Engine::finishRun(DeviceJob job, DeviceAnswer answer) {
  if (job.isRefinement) {
    refinement.second = std::move(answer.outcomes);
    return Error::success();
  }
  const Build &build = job.builds.front();
  RunOutcome &outcome = answer.outcomes.front();
  if (outcome.isDamagedCode)
    return replaceCode(build, outcome.message);
  if (outcome.isForeignCode) {
    Record record = makeRecord(build);
    setOutcome(record, std::move(outcome));
    if (Error error = store.put(record))
      return error;
    return createStringError("the " + platform.driver +
                             " cannot load what ptxas " + build.ptxas +
                             " makes for " + platform.chip + ": " +
                             record.message + "; " + getForeignCodeAdvice());
  }
  noteBest(outcome.outcome, outcome.timing, best);
  // The device continues while the record is written. A lost device may not
  // open again, so that the record is written first.
  if (!isInterrupted(options) && !answer.isDeviceLost)
    if (Error error = dispatch())
      return error;
  Record record = makeRecord(build);
  setOutcome(record, std::move(outcome));
  return add(std::move(record));
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

Error Engine::begin(const TuningProblem &next) {
  problem = next;
  best = 0;
  compilers->abandon(this);
  toRun.clear();
  done.clear();
  replaced.clear();
  return Error::success();
}

size_t Engine::getOutstanding() const {
  return toRun.size() + done.size() + compilers->getNumPending(this) +
         (device.isBusy() ? 1 : 0);
}

Expected<bool> Engine::leaveOut(const Record &record) {
  Expected<std::optional<Record>> stored =
      store.get(problem, record.config, record.platform);
  if (!stored)
    return stored.takeError();
  if (*stored && (*stored)->outcome != Outcome::Pruned)
    return false;
  if (Error error = store.put(record))
    return std::move(error);
  return true;
}

Error Engine::submit(const KernelConfig &config) {
  BuildKey key = getBuildKey(problem, config, platform.chip, isPTX());
  Expected<std::optional<Build>> found = builds->get(key, "");
  if (!found)
    return found.takeError();
  std::optional<Build> &build = *found;
  if (!build) {
    if (!whyNotCompile.empty())
      return createStringError("a kernel must be compiled: " + whyNotCompile);
    Build wanted;
    wanted.key = std::move(key);
    compilers->add(this, problem, std::move(wanted));
    return dispatch();
  }
  Record record = makeRecord(*build);
  if (!hasDevice) {
    done.push_back({std::move(record), /*isResumed=*/true});
    return Error::success();
  }
  Expected<std::optional<Record>> stored =
      store.get(problem, config, record.platform);
  if (!stored)
    return stored.takeError();
  std::optional<Record> &known = *stored;
  // A candidate that an earlier search pruned is measured now.
  if (known && known->outcome != Outcome::Pruned) {
    noteBest(known->outcome, known->timing, best);
    done.push_back({std::move(*known), /*isResumed=*/true});
    return Error::success();
  }
  if (build->outcome != Outcome::Success)
    return add(std::move(record));
  toRun.push_back(std::move(*build));
  return dispatch();
}

Expected<std::optional<Evaluation>> Engine::poll() {
  if (isInterrupted(options)) {
    // The candidate on the device is finished; the others are not started.
    toRun.clear();
    compilers->abandon(this);
  } else if (Error error = dispatch()) {
    return std::move(error);
  }
  if (Error error = collect())
    return std::move(error);
  if (done.empty())
    return std::nullopt;
  Evaluation next = std::move(done.front());
  done.pop_front();
  return next;
}

Expected<std::optional<Evaluation>> Engine::wait() {
  while (true) {
    Expected<std::optional<Evaluation>> next = poll();
    if (!next || *next || !waitForChildren())
      return next;
  }
}

Expected<std::vector<Record>> Engine::getWithoutFinal(uint64_t count) {
  RecordFilter filter;
  filter.kernel = problem.kernel;
  filter.sizes = problem.sizes;
  filter.chip = platform.chip;
  filter.device = platform.device;
  filter.driver = platform.driver;
  filter.ptxas = platform.ptxas;
  filter.tcgemm = platform.tcgemm;
  filter.outcome = Outcome::Success;
  filter.stage = TimingStage::Full;
  filter.limit = count;
  Expected<std::vector<Record>> records = store.query(filter);
  if (!records)
    return records.takeError();
  std::vector<Record> kept;
  for (Record &record : *records) {
    // The code of old records may have been pruned.
    Expected<std::optional<Build>> build =
        builds->get(getBuildKey(problem, record.config, platform.chip, isPTX()),
                    platform.ptxas);
    if (!build)
      return build.takeError();
    // A filter without a version of ptxas takes all.
    if (*build && record.platform == platform)
      kept.push_back(std::move(record));
  }
  return kept;
}

Error Engine::startRefinement(ArrayRef<Record> records) {
  refinement = {records.vec(), {}};
  DeviceJob job;
  job.problem = problem;
  job.isRefinement = true;
  for (const Record &record : records) {
    Expected<std::optional<Build>> found =
        builds->get(getBuildKey(problem, record.config, platform.chip, isPTX()),
                    record.platform.ptxas);
    if (!found)
      return found.takeError();
    std::optional<Build> &build = *found;
    if (!build)
      return createStringError("the code of a finalist is not in the store");
    job.builds.push_back(std::move(*build));
  }
  return device.start(std::move(job));
}

Expected<std::optional<std::vector<Record>>> Engine::pollRefinement() {
  if (Error error = collect())
    return std::move(error);
  if (device.isBusy())
    return std::nullopt;
  auto &[finalists, refined] = refinement;
  for (auto [record, outcome] : zip(finalists, refined)) {
    // A failure now does not invalidate the previous measurement.
    if (outcome.outcome != Outcome::Success ||
        outcome.timing.stage != TimingStage::Final)
      continue;
    record.timing = std::move(outcome.timing);
    record.state = outcome.state;
    if (Error failure = store.put(record))
      return std::move(failure);
  }
  return std::optional(std::move(finalists));
}

Expected<std::vector<Record>> Engine::refine(ArrayRef<Record> records) {
  if (Error error = startRefinement(records))
    return std::move(error);
  while (true) {
    Expected<std::optional<std::vector<Record>>> times = pollRefinement();
    if (!times)
      return times.takeError();
    if (*times)
      return std::move(**times);
    waitForChildren();
  }
}

static Expected<std::unique_ptr<Evaluator>>
create(Store &store, const EngineOptions &options, bool hasDevice) {
  CompileQueues queues;
  auto engine = std::make_unique<Engine>(store, options, hasDevice);
  if (Error error = engine->initialize(queues))
    return std::move(error);
  return std::move(engine);
}

Expected<std::unique_ptr<Evaluator>>
createEngine(Store &store, const EngineOptions &options) {
  return create(store, options, /*hasDevice=*/true);
}

Expected<std::vector<DeviceEngine>>
createEngines(Store &store, const EngineOptions &options,
              ArrayRef<std::string> devices) {
  CompileQueues queues;
  std::vector<std::unique_ptr<Engine>> engines;
  for (const std::string &device : devices) {
    EngineOptions own = options;
    own.device = device;
    engines.push_back(std::make_unique<Engine>(store, own, /*hasDevice=*/true));
    if (Error error = engines.back()->launch())
      return std::move(error);
  }
  std::vector<DeviceEngine> opened;
  for (auto [device, engine] : zip_equal(devices, engines)) {
    DeviceEngine &next = opened.emplace_back();
    next.device = device;
    Error error = engine->initialize(queues);
    if (error && !error.isA<DeviceError>())
      return std::move(error);
    if (error)
      next.failure = toString(std::move(error));
    else
      next.engine = std::move(engine);
  }
  return std::move(opened);
}

Expected<std::unique_ptr<Evaluator>>
createCompileEngine(Store &store, const EngineOptions &options) {
  return create(store, options, /*hasDevice=*/false);
}

} // namespace tcgemm
