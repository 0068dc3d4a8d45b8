//===- CandidateRunner.h - One candidate on a device ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, checks and times compiled kernels for one problem after the other.
// What all candidates of a problem share is made once: the data on the device,
// as many copies as exceed the caches, and the result to compare with.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_CANDIDATERUNNER_H
#define TCGEMM_LIB_TUNER_MEASURE_CANDIDATERUNNER_H

#include "Measure/DeviceProblem.h"
#include "tcgemm/Runtime/DeviceMonitor.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// What became of a candidate on the device: the part of a record that it
/// decides.
struct RunOutcome {
  Outcome outcome = Outcome::Success;
  std::string message, variant;
  Timing timing;
  Resources resources;
  DeviceState state;
  double verifyMilliseconds = 0, measureMilliseconds = 0;
  /// The device cannot be used any more: this process must end.
  bool isDeviceLost = false;
  /// The device's driver cannot take such code at all.
  bool isForeignCode = false;
  /// What the store has of its code is not what was compiled.
  bool isDamagedCode = false;
};

/// A finalist's times, and the device's state under its load alone.
struct FinalTiming {
  Timing timing;
  DeviceState state;
};

class CandidateRunner {
public:
  /// `monitor` may be null: then nothing is known of the device's state.
  CandidateRunner(Device &device, const ChipInfo &chip,
                  const EngineOptions &options, const DeviceMonitor *monitor)
      : device(device), chip(chip), options(options), monitor(monitor) {}

  /// Runs one. `best`: the fastest time so far in microseconds, 0 if none.
  RunOutcome run(const TuningProblem &problem, const KernelPack &pack,
                 const KernelConfig &config, double best);

  /// Times candidates that passed in turns, in random order in each round; a
  /// list of samples for each.
  llvm::Expected<std::vector<FinalTiming>>
  refine(const TuningProblem &problem,
         llvm::ArrayRef<const KernelPack *> packs);

private:
  llvm::Error setProblem(const TuningProblem &problem, const KernelPack &pack);
  llvm::Error runChecked(const TuningProblem &problem, const KernelPack &pack,
                         const KernelConfig &config, double best,
                         RunOutcome &result);
  llvm::Error wake(LoadedCandidate &candidate);
  llvm::Error warmUp(Graph &graph);
  llvm::Expected<DeviceState> observe(Graph &graph, double milliseconds);
  llvm::Error measure(LoadedCandidate &candidate, double best,
                      RunOutcome &result);

  Device &device;
  const ChipInfo &chip;
  const EngineOptions &options;
  const DeviceMonitor *monitor;
  std::string current; ///< The problem that `shared` is for.
  std::unique_ptr<DeviceProblem> shared;
  bool isWarm = false; ///< Something of the problem was timed.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_CANDIDATERUNNER_H
