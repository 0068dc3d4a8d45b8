//===- EngineProcesses.cpp - The engine's children ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/EngineProcesses.h"
#include "tcgemm/Runtime/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <poll.h>
#include <thread>

using namespace llvm;

namespace tcgemm {
namespace {

using Clock = std::chrono::steady_clock;

/// Time limit for opening a device.
constexpr double kOpenSeconds = 120;

Deadline getDeadline(double seconds) {
  return Clock::now() +
         std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
}

/// `0.5 s`.
std::string printSeconds(double seconds) {
  std::string text;
  raw_string_ostream(text) << format("%g s", seconds);
  return text;
}

} // namespace

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

CompilerPool::CompilerPool(const EngineOptions &options, std::string chip,
                           bool isPTX, std::string binaries)
    : options(options), chip(std::move(chip)), binaries(std::move(binaries)),
      isPTX(isPTX) {
  workers.resize(options.compilers
                     ? options.compilers
                     : std::max(1U, std::thread::hardware_concurrency()));
}

size_t CompilerPool::getNumBusy() const {
  return count_if(workers,
                  [](const Worker &worker) { return worker.job.has_value(); });
}

Error CompilerPool::start(const TuningProblem &problem, Build build) {
  Worker &worker = *find_if(
      workers, [](const Worker &worker) { return !worker.job.has_value(); });
  if (!worker.process) {
    Expected<ChildProcess> process = ChildProcess::start([&](Channel &channel) {
      return runCompileWorker(channel, options, chip, isPTX, binaries);
    });
    if (!process)
      return process.takeError();
    worker.process = std::make_unique<ChildProcess>(std::move(*process));
  }
  worker.deadline = getDeadline(options.compileTimeout);
  // If the process has ended, the next read reports it.
  worker.process->getChannel().send(
      toJSON(CompileJob{problem, build.key.config}));
  worker.job = std::move(build);
  return Error::success();
}

void CompilerPool::addDescriptors(std::vector<int> &descriptors) const {
  for (const Worker &worker : workers)
    if (worker.job)
      descriptors.push_back(worker.process->getChannel().getDescriptor());
}

Expected<std::optional<Build>> CompilerPool::collect(Worker &worker) {
  if (!worker.job)
    return std::nullopt;
  Channel &channel = worker.process->getChannel();
  bool isAlive = channel.readAvailable();
  std::optional<json::Object> message = channel.takeMessage();
  bool isLate = Clock::now() >= worker.deadline;
  if (!message && isAlive && !isLate)
    return std::nullopt;
  Build build = std::move(*worker.job);
  worker.job.reset();
  if (message) {
    if (std::optional<StringRef> why = message->getString("unwritten"))
      return createStringError(*why);
    readBuild(*message, build);
  } else if (!isAlive) {
    build.outcome = Outcome::Crash;
    build.message = "the compiler died with " + worker.process->describeEnd();
    worker.process.reset();
  } else {
    build.outcome = Outcome::CompileTimeout;
    build.message = "no end of its compilation after " +
                    printSeconds(options.compileTimeout);
    build.milliseconds = options.compileTimeout * 1000;
    worker.process.reset();
  }
  return build;
}

Expected<std::vector<Build>> CompilerPool::collect() {
  std::vector<Build> builds;
  for (Worker &worker : workers) {
    Expected<std::optional<Build>> answer = collect(worker);
    if (!answer)
      return answer.takeError();
    if (std::optional<Build> &build = *answer)
      builds.push_back(std::move(*build));
  }
  return builds;
}

void CompilerPool::abandon(const BuildKey &key) {
  for (Worker &worker : workers)
    if (worker.job && worker.job->key.kernel == key.kernel &&
        worker.job->key.config == key.config)
      worker = Worker();
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Error DeviceProcess::launch() {
  if (process)
    return Error::success();
  Expected<ChildProcess> started = ChildProcess::start([&](Channel &channel) {
    return runDeviceWorker(channel, options, binaries, numStarted);
  });
  if (!started)
    return started.takeError();
  ++numStarted;
  process = std::make_unique<ChildProcess>(std::move(*started));
  return Error::success();
}

/// A process that dies while it opens the device is started again: it may have
/// been killed for lack of memory.
Expected<DeviceGreeting> DeviceProcess::open() {
  constexpr unsigned most = 3;
  for (unsigned i = 1;; ++i) {
    bool hasDied = false;
    Expected<DeviceGreeting> greeting = openOnce(hasDied);
    if (greeting || !hasDied || i == most)
      return greeting;
    consumeError(greeting.takeError());
  }
}

Expected<DeviceGreeting> DeviceProcess::openOnce(bool &hasDied) {
  if (Error error = launch())
    return std::move(error);
  auto fail = [&](const Twine &text) {
    process.reset();
    return make_error<DeviceError>(text.str());
  };
  Channel &channel = process->getChannel();
  Deadline end = getDeadline(kOpenSeconds);
  while (true) {
    bool isAlive = channel.readAvailable();
    if (std::optional<json::Object> message = channel.takeMessage()) {
      DeviceGreeting greeting = readGreeting(*message);
      if (greeting.error.empty())
        return greeting;
      return fail("no device to tune on: " + greeting.error);
    }
    if (!isAlive) {
      hasDied = true;
      return fail("the device cannot be opened: its process died with " +
                  process->describeEnd());
    }
    if (Clock::now() > end)
      return fail("the device did not open in " + printSeconds(kOpenSeconds));
    pollfd wanted{channel.getDescriptor(), POLLIN, 0};
    ::poll(&wanted, 1, 100);
  }
}

Error DeviceProcess::start(DeviceJob next) {
  if (!process)
    if (Expected<DeviceGreeting> greeting = open(); !greeting)
      return greeting.takeError();
  double count =
      next.isRefinement ? static_cast<double>(next.builds.size()) : 1;
  deadline = getDeadline(options.launchTimeout * count);
  process->getChannel().send(toJSON(next));
  job = std::move(next);
  return Error::success();
}

void DeviceProcess::addDescriptors(std::vector<int> &descriptors) const {
  if (job)
    descriptors.push_back(process->getChannel().getDescriptor());
}

std::optional<std::pair<DeviceJob, DeviceAnswer>> DeviceProcess::collect() {
  if (!job)
    return std::nullopt;
  bool isAlive = process->getChannel().readAvailable();
  std::optional<json::Object> message = process->getChannel().takeMessage();
  if (!message && isAlive && Clock::now() < deadline)
    return std::nullopt;
  DeviceAnswer answer;
  if (message) {
    answer = readDeviceAnswer(*message);
  } else {
    RunOutcome failure;
    failure.outcome = isAlive ? Outcome::Timeout : Outcome::Crash;
    failure.message =
        isAlive
            ? "no end of it on the device after " +
                  printSeconds(options.launchTimeout) + "; it may hang"
            : "the process on the device died with " + process->describeEnd();
    answer.outcomes.assign(job->builds.size(), failure);
    answer.isDeviceLost = true;
  }
  if (answer.isDeviceLost)
    process.reset();
  answer.outcomes.resize(job->builds.size());
  auto ended = std::make_pair(std::move(*job), std::move(answer));
  job.reset();
  return ended;
}

} // namespace tcgemm
