//===- Workers.h - The engine's child processes -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are two kinds: one compiles, one uses the device. Both answer each
// message with one message. Jobs and answers are structs here and JSON on the
// channel.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_WORKERS_H
#define TCGEMM_LIB_TUNER_MEASURE_WORKERS_H

#include "Measure/CandidateRunner.h"
#include "Measure/ChildProcess.h"

namespace tcgemm {

struct CompileJob {
  TuningProblem problem;
  KernelConfig config;
};
llvm::json::Object toJSON(const CompileJob &job);
/// The part of a build that its compilation determines.
llvm::json::Object toJSON(const Build &build);
void readBuild(const llvm::json::Object &answer, Build &build);

/// The first message of a device worker.
struct DeviceGreeting {
  std::string error; ///< The reason why there is no device, or empty.
  std::string device, driver, chip;
};
DeviceGreeting readGreeting(const llvm::json::Object &message);

/// A job that runs one build, or measures several successful builds in rounds.
struct DeviceJob {
  TuningProblem problem;
  std::vector<Build> builds;
  bool isRefinement = false;
  double best = 0; ///< Microseconds; 0: none yet.
};
llvm::json::Object toJSON(const DeviceJob &job);

/// The answer to a DeviceJob: one outcome for each build.
struct DeviceAnswer {
  std::vector<RunOutcome> outcomes;
  /// The process ends after this answer.
  bool isDeviceLost = false;
};
llvm::json::Object toJSON(const RunOutcome &outcome);
DeviceAnswer readDeviceAnswer(const llvm::json::Object &message);

/// The children's functions; they return exit codes. `binaries` is the folder
/// for code, `numBefore` the number of processes that had the device before.
int runCompileWorker(Channel &channel, const EngineOptions &options,
                     llvm::StringRef chip, bool isPTX,
                     llvm::StringRef binaries);
int runDeviceWorker(Channel &channel, const EngineOptions &options,
                    llvm::StringRef binaries, unsigned numBefore);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_WORKERS_H
