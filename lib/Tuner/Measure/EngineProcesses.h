//===- EngineProcesses.h - The engine's children ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several processes compile, and one uses the device. Each job has a deadline.
// A child that misses it is killed, and a child that dies is replaced. In both
// cases the job gets an answer with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_ENGINEPROCESSES_H
#define TCGEMM_LIB_TUNER_MEASURE_ENGINEPROCESSES_H

#include "Measure/Workers.h"

#include <chrono>

namespace tcgemm {

using Deadline = std::chrono::steady_clock::time_point;

/// Processes that compile.
class CompilerPool {
public:
  CompilerPool(const EngineOptions &options, std::string chip, bool isPTX,
               std::string binaries);

  size_t getSize() const { return workers.size(); }
  size_t getNumBusy() const;
  bool hasIdle() const { return getNumBusy() < workers.size(); }
  /// Starts a compilation; there must be an idle process.
  llvm::Error start(const TuningProblem &problem, Build build);
  void addDescriptors(std::vector<int> &descriptors) const;
  /// The builds that have ended since the last call: finished, died or killed.
  /// Errors: a build cannot be written.
  llvm::Expected<std::vector<Build>> collect();
  /// Kills the process that compiles for a key, if there is one.
  void abandon(const BuildKey &key);

private:
  struct Worker {
    std::unique_ptr<ChildProcess> process; ///< None: not started.
    std::optional<Build> job;
    Deadline deadline;
  };
  llvm::Expected<std::optional<Build>> collect(Worker &worker);

  const EngineOptions &options;
  std::string chip, binaries;
  bool isPTX;
  std::vector<Worker> workers;
};

/// The process that uses the device.
class DeviceProcess {
public:
  DeviceProcess(const EngineOptions &options, std::string binaries)
      : options(options), binaries(std::move(binaries)) {}

  /// Starts the process, also after its death, which opens the device. No
  /// effect if it is running.
  llvm::Error launch();
  /// Launches the process and waits until the device is open. Errors: a
  /// DeviceError if it cannot be opened.
  llvm::Expected<DeviceGreeting> open();
  bool isBusy() const { return job.has_value(); }
  /// Sends a job to an idle process, which is opened if there is none.
  llvm::Error start(DeviceJob next);
  void addDescriptors(std::vector<int> &descriptors) const;
  /// The job that has ended, and its answer; none if it is still active.
  std::optional<std::pair<DeviceJob, DeviceAnswer>> collect();

private:
  llvm::Expected<DeviceGreeting> openOnce(bool &hasDied);

  const EngineOptions &options;
  std::string binaries;
  std::unique_ptr<ChildProcess> process;
  unsigned numStarted = 0;
  std::optional<DeviceJob> job;
  Deadline deadline;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_ENGINEPROCESSES_H
