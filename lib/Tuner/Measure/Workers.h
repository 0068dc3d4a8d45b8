//===- Workers.h - What the engine's children do ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds: one compiles, one uses the device. Both answer each message with
// one, until there are no more. Jobs and answers are structs here and JSON on
// the channel.
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
/// The part of a build that its compilation decides.
llvm::json::Object toJSON(const Build &build);
void readBuild(const llvm::json::Object &answer, Build &build);

/// What the worker of a device says first.
struct DeviceGreeting {
  std::string error; ///< Why there is no device; else empty.
  std::string device, driver, chip;
};
DeviceGreeting readGreeting(const llvm::json::Object &message);

/// Runs one build, or times several that passed in turns.
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

/// The children's functions; they return exit codes. `binaries` is the store's
/// folder for code.
int runCompileWorker(Channel &channel, const EngineOptions &options,
                     llvm::StringRef chip, bool isPTX,
                     llvm::StringRef binaries);
int runDeviceWorker(Channel &channel, const EngineOptions &options,
                    llvm::StringRef binaries);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_WORKERS_H
