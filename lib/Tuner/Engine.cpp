//===- Engine.cpp - Compiles and times candidates ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread that polls its children. A candidate goes from the queue of the
// compilers to that of the device, and from there to the finished records; each
// step is in the store before the next one begins.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Engine.h"
#include "Workers.h"
#include "tcgemm/Target/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <poll.h>
#include <thread>

using namespace llvm;

namespace tcgemm {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a device may take to open.
constexpr double kOpenSeconds = 120;

Clock::time_point getDeadline(double seconds) {
  return Clock::now() +
         std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
}

/// `0.5 s`.
std::string printSeconds(double seconds) {
  std::string text;
  raw_string_ostream(text) << format("%g s", seconds);
  return text;
}

/// A child, and what it is busy with.
struct Worker {
  std::unique_ptr<ChildProcess> process; ///< None: to be started.
  std::vector<Build> job;                ///< Empty: idle.
  Clock::time_point deadline;

  bool isBusy() const { return !job.empty(); }
};

class Engine : public Evaluator {
public:
  Engine(Store &store, const EngineOptions &options, bool hasDevice)
      : store(store), options(options), hasDevice(hasDevice) {}

  Error initialize();

  Error begin(const TuningProblem &next) override;
  size_t getCapacity() const override { return 2 * compilers.size() + 4; }
  Error submit(const KernelConfig &config) override;
  size_t getOutstanding() const override;
  Expected<std::optional<Evaluation>> wait() override;
  Expected<std::vector<Record>> refine(ArrayRef<Record> finalists) override;
  const Platform &getPlatform() const override { return platform; }

private:
  bool isPTX() const { return platform.isEmulated(); }
  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }
  Error openDevice();
  Error dispatch();
  Error sendToDevice(std::vector<Build> builds, bool isRefinement);
  Expected<bool> poll();
  Error finishBuild(Build build);
  Error finishRun(const Build &build, RunOutcome outcome);
  Error readCompiler(Worker &worker);
  Error readDevice();
  Error failOverdue();
  Record makeRecord(const Build &build) const;
  void noteBest(Outcome outcome, const Timing &timing);
  Error add(Record record);

  Store &store;
  EngineOptions options;
  bool hasDevice;
  Platform platform;
  bool canCompile = true;
  std::string whyNotCompile;
  TuningProblem problem;
  double best = 0;

  std::vector<Worker> compilers;
  Worker device;
  std::deque<Build> toCompile, toRun;
  std::deque<Evaluation> done;
  bool isRefining = false;
  std::vector<RunOutcome> refined;
};

} // namespace

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

Error Engine::openDevice() {
  Expected<ChildProcess> process = ChildProcess::start([&](Channel &channel) {
    return runDeviceWorker(channel, options, store.getBinaryPath());
  });
  if (!process)
    return process.takeError();
  device.process = std::make_unique<ChildProcess>(std::move(*process));
  device.deadline = getDeadline(kOpenSeconds);
  while (true) {
    bool isAlive = device.process->getChannel().readAvailable();
    if (std::optional<json::Object> message =
            device.process->getChannel().takeMessage()) {
      DeviceGreeting greeting = readGreeting(*message);
      if (!greeting.error.empty())
        return createStringError("no device to tune on: " + greeting.error);
      platform.device = greeting.device;
      platform.driver = greeting.driver;
      platform.chip = greeting.chip;
      return Error::success();
    }
    if (!isAlive)
      return createStringError("the device cannot be opened: its process died "
                               "with " +
                               device.process->describeEnd());
    if (Clock::now() > device.deadline)
      return createStringError("the device did not open in " +
                               printSeconds(kOpenSeconds));
    pollfd wanted{device.process->getChannel().getDescriptor(), POLLIN, 0};
    ::poll(&wanted, 1, 100);
  }
}

Error Engine::initialize() {
  platform.tcgemm = getGeneratorVersion();
  platform.chip = options.chip;
  if (hasDevice) {
    if (Error error = openDevice())
      return error;
  } else if (options.device == "emulator") {
    platform.device = platform.driver = options.device;
  }
  Expected<const ChipInfo &> chip = lookupChip(platform.chip);
  if (!chip)
    return chip.takeError();
  // Kernels that were compiled elsewhere need no ptxas.
  if (!isPTX())
    if (Expected<Ptxas> ptxas = Ptxas::find(options.compile.ptxasPath);
        !ptxas) {
      canCompile = false;
      whyNotCompile = toString(ptxas.takeError());
    }
  unsigned count = options.compilers
                       ? options.compilers
                       : std::max(1U, std::thread::hardware_concurrency());
  compilers.resize(count);
  return Error::success();
}

/// Gives every idle child something to do.
Error Engine::dispatch() {
  for (Worker &worker : compilers) {
    if (worker.isBusy() || toCompile.empty())
      continue;
    if (!worker.process) {
      Expected<ChildProcess> process =
          ChildProcess::start([&](Channel &channel) {
            return runCompileWorker(channel, options, platform.chip, isPTX(),
                                    store.getBinaryPath());
          });
      if (!process)
        return process.takeError();
      worker.process = std::make_unique<ChildProcess>(std::move(*process));
    }
    worker.job = {std::move(toCompile.front())};
    toCompile.pop_front();
    worker.deadline = getDeadline(options.compileTimeout);
    // If it is gone, reading says so.
    worker.process->getChannel().send(
        toJSON(CompileJob{problem, worker.job.front().key.config}));
  }
  if (device.isBusy() || toRun.empty())
    return Error::success();
  std::vector<Build> next = {std::move(toRun.front())};
  toRun.pop_front();
  return sendToDevice(std::move(next), /*isRefinement=*/false);
}

Error Engine::sendToDevice(std::vector<Build> builds, bool isRefinement) {
  if (!device.process)
    if (Error error = openDevice())
      return error;
  device.job = std::move(builds);
  device.deadline =
      getDeadline(options.launchTimeout *
                  (isRefinement ? static_cast<double>(device.job.size()) : 1));
  device.process->getChannel().send(
      toJSON(DeviceJob{problem, device.job, isRefinement, best}));
  return Error::success();
}

/// Waits until a child has something to say, or a deadline, or a moment.
Expected<bool> Engine::poll() {
  std::vector<pollfd> wanted;
  auto add = [&](Worker &worker) {
    if (worker.process && worker.isBusy())
      wanted.push_back(
          {worker.process->getChannel().getDescriptor(), POLLIN, 0});
  };
  for (Worker &worker : compilers)
    add(worker);
  add(device);
  if (wanted.empty())
    return false;
  // Short enough for deadlines; a signal ends it too.
  ::poll(wanted.data(), wanted.size(), 100);
  for (Worker &worker : compilers)
    if (worker.isBusy())
      if (Error error = readCompiler(worker))
        return std::move(error);
  if (device.isBusy())
    if (Error error = readDevice())
      return std::move(error);
  if (Error error = failOverdue())
    return std::move(error);
  return true;
}

Error Engine::readCompiler(Worker &worker) {
  bool isAlive = worker.process->getChannel().readAvailable();
  std::optional<json::Object> message =
      worker.process->getChannel().takeMessage();
  if (!message && isAlive)
    return Error::success();
  Build build = std::move(worker.job.front());
  worker.job.clear();
  if (message) {
    readBuild(*message, build);
  } else {
    build.outcome = Outcome::Crash;
    build.message = "the compiler died with " + worker.process->describeEnd();
    worker.process.reset();
  }
  return finishBuild(std::move(build));
}

Error Engine::readDevice() {
  bool isAlive = device.process->getChannel().readAvailable();
  std::optional<json::Object> message =
      device.process->getChannel().takeMessage();
  if (!message && isAlive)
    return Error::success();
  std::vector<Build> builds = std::exchange(device.job, {});
  DeviceAnswer answer;
  if (message) {
    answer = readDeviceAnswer(*message);
  } else {
    RunOutcome crash;
    crash.outcome = Outcome::Crash;
    crash.message =
        "the process on the device died with " + device.process->describeEnd();
    answer.outcomes.assign(builds.size(), crash);
    answer.isDeviceLost = true;
  }
  if (answer.isDeviceLost)
    device.process.reset();
  answer.outcomes.resize(builds.size());
  if (isRefining) {
    refined = std::move(answer.outcomes);
    return Error::success();
  }
  RunOutcome &outcome = answer.outcomes.front();
  if (outcome.isForeignCode)
    return createStringError("the device's driver cannot load kernels for " +
                             platform.chip + " (it may be older than ptxas " +
                             builds.front().ptxas + "): " + outcome.message);
  noteBest(outcome.outcome, outcome.timing);
  // The device goes on while the record is written.
  if (!isInterrupted())
    if (Error error = dispatch())
      return error;
  return finishRun(builds.front(), std::move(outcome));
}

/// Kills what is past its deadline.
Error Engine::failOverdue() {
  Clock::time_point now = Clock::now();
  for (Worker &worker : compilers) {
    if (!worker.isBusy() || now < worker.deadline)
      continue;
    worker.process.reset();
    Build build = std::move(worker.job.front());
    worker.job.clear();
    build.outcome = Outcome::CompileTimeout;
    build.milliseconds = options.compileTimeout * 1000;
    build.message = "no end of its compilation after " +
                    printSeconds(options.compileTimeout);
    if (Error error = finishBuild(std::move(build)))
      return error;
  }
  if (!device.isBusy() || now < device.deadline)
    return Error::success();
  device.process.reset();
  std::vector<Build> builds = std::exchange(device.job, {});
  RunOutcome late;
  late.outcome = Outcome::Timeout;
  late.message = "no end of it on the device after " +
                 printSeconds(options.launchTimeout) + "; it may hang";
  if (isRefining) {
    refined.assign(builds.size(), late);
    return Error::success();
  }
  return finishRun(builds.front(), std::move(late));
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

/// What later candidates are held against.
void Engine::noteBest(Outcome outcome, const Timing &timing) {
  if (outcome == Outcome::Success && timing.median > 0 &&
      (best == 0 || timing.median < best))
    best = timing.median;
}

/// Commits a record, and hands it on.
Error Engine::add(Record record) {
  if (hasDevice)
    if (Error error = store.put(record))
      return error;
  done.push_back({std::move(record), /*isResumed=*/false});
  return Error::success();
}

Error Engine::finishBuild(Build build) {
  if (Error error = store.putBuild(build))
    return error;
  if (build.outcome != Outcome::Success || !hasDevice)
    return add(makeRecord(build));
  toRun.push_back(std::move(build));
  return Error::success();
}

static void setOutcome(Record &record, RunOutcome outcome) {
  record.outcome = outcome.outcome;
  record.message = std::move(outcome.message);
  record.variant = std::move(outcome.variant);
  record.timing = std::move(outcome.timing);
  std::string binary = std::move(record.resources.binary);
  record.resources = std::move(outcome.resources);
  record.resources.binary = std::move(binary);
  record.costs.verify = outcome.verifyMilliseconds;
  record.costs.measure = outcome.measureMilliseconds;
}

Error Engine::finishRun(const Build &build, RunOutcome outcome) {
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
  toCompile.clear();
  toRun.clear();
  done.clear();
  return Error::success();
}

size_t Engine::getOutstanding() const {
  return toCompile.size() + toRun.size() + done.size() +
         llvm::count_if(compilers, [](const Worker &w) { return w.isBusy(); }) +
         (device.isBusy() ? 1 : 0);
}

Error Engine::submit(const KernelConfig &config) {
  BuildKey key = getBuildKey(problem, config, platform.chip, isPTX());
  Expected<std::optional<Build>> found = store.getBuild(key, "");
  if (!found)
    return found.takeError();
  std::optional<Build> &build = *found;
  if (!build) {
    if (!canCompile)
      return createStringError("a kernel must be compiled: " + whyNotCompile);
    Build wanted;
    wanted.key = std::move(key);
    toCompile.push_back(std::move(wanted));
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
  if (std::optional<Record> &known = *stored) {
    noteBest(known->outcome, known->timing);
    done.push_back({std::move(*known), /*isResumed=*/true});
    return Error::success();
  }
  if (build->outcome != Outcome::Success)
    return add(std::move(record));
  toRun.push_back(std::move(*build));
  return dispatch();
}

Expected<std::optional<Evaluation>> Engine::wait() {
  while (done.empty()) {
    if (isInterrupted()) {
      // What is on the device is finished; the rest has not begun.
      toCompile.clear();
      toRun.clear();
      for (Worker &worker : compilers)
        if (worker.isBusy())
          worker = Worker();
      if (!device.isBusy())
        return std::nullopt;
    } else if (Error error = dispatch()) {
      return std::move(error);
    }
    Expected<bool> isWaiting = poll();
    if (!isWaiting)
      return isWaiting.takeError();
    if (!*isWaiting && done.empty() && toCompile.empty() && toRun.empty())
      return std::nullopt;
  }
  Evaluation next = std::move(done.front());
  done.pop_front();
  return next;
}

Expected<std::vector<Record>> Engine::refine(ArrayRef<Record> finalists) {
  std::vector<Record> records = finalists.vec();
  std::vector<Build> builds;
  for (const Record &record : records) {
    Expected<std::optional<Build>> found = store.getBuild(
        getBuildKey(problem, record.config, platform.chip, isPTX()),
        record.platform.ptxas);
    if (!found)
      return found.takeError();
    std::optional<Build> &build = *found;
    if (!build)
      return createStringError("the code of a finalist is not in the store");
    builds.push_back(std::move(*build));
  }
  refined.clear();
  isRefining = true;
  Error error = sendToDevice(std::move(builds), /*isRefinement=*/true);
  while (!error && device.isBusy()) {
    Expected<bool> isWaiting = poll();
    error = isWaiting.takeError();
  }
  isRefining = false;
  if (error)
    return std::move(error);
  for (auto [record, outcome] : zip_equal(records, refined)) {
    // A failure now does not undo what was measured before.
    if (outcome.outcome != Outcome::Success ||
        outcome.timing.stage != TimingStage::Final)
      continue;
    record.timing = std::move(outcome.timing);
    if (Error failure = store.put(record))
      return std::move(failure);
  }
  return records;
}

static Expected<std::unique_ptr<Evaluator>>
create(Store &store, const EngineOptions &options, bool hasDevice) {
  auto engine = std::make_unique<Engine>(store, options, hasDevice);
  if (Error error = engine->initialize())
    return std::move(error);
  return std::move(engine);
}

Expected<std::unique_ptr<Evaluator>>
createEngine(Store &store, const EngineOptions &options) {
  return create(store, options, /*hasDevice=*/true);
}

Expected<std::unique_ptr<Evaluator>>
createCompileEngine(Store &store, const EngineOptions &options) {
  return create(store, options, /*hasDevice=*/false);
}

} // namespace tcgemm
