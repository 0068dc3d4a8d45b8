//===- CandidateRunner.h - One candidate on a device ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, checks and measures compiled kernels for one problem after the other.
// The common data of all candidates of a problem is created once: the data on
// the device, with enough copies to exceed the caches, and the result for
// comparisons.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_CANDIDATERUNNER_H
#define TCGEMM_LIB_TUNER_MEASURE_CANDIDATERUNNER_H

#include "Measure/DeviceProblem.h"
#include "tcgemm/Runtime/DeviceMonitor.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// The result of a candidate on the device: the part of a record that the
/// device determines.
struct RunOutcome {
  Outcome outcome = Outcome::Success;
  std::string message, variant;
  Timing timing;
  Resources resources;
  DeviceState state;
  double verifyMilliseconds = 0, measureMilliseconds = 0;
  /// The device cannot be used any more: this process must end.
  bool isDeviceLost = false;
  /// The driver does not support such code.
  bool isForeignCode = false;
  /// The stored code does not match its hash.
  bool isDamagedCode = false;
};

/// A finalist's times, and the device's state under its load.
struct FinalTiming {
  Timing timing;
  DeviceState state;
};

/// What runs candidates in the process that has the device.
class DeviceRunner {
public:
  virtual ~DeviceRunner() = default;
  /// Runs one candidate. `best`: the fastest time so far in microseconds, 0 if
  /// none.
  virtual RunOutcome run(const TuningProblem &problem, const KernelPack &pack,
                         const KernelConfig &config, double best) = 0;
  /// Measures successful candidates in rounds, in random order in each round.
  /// Returns a list of samples for each.
  virtual llvm::Expected<std::vector<FinalTiming>>
  refine(const TuningProblem &problem,
         llvm::ArrayRef<const KernelPack *> packs) = 0;
};

class CandidateRunner : public DeviceRunner {
public:
  /// Without a `monitor` (null) the device's state is unknown.
  CandidateRunner(Device &device, const ChipInfo &chip,
                  const EngineOptions &options, const DeviceMonitor *monitor)
      : device(device), chip(chip), options(options), monitor(monitor) {}

  RunOutcome run(const TuningProblem &problem, const KernelPack &pack,
                 const KernelConfig &config, double best) override;
  llvm::Expected<std::vector<FinalTiming>>
  refine(const TuningProblem &problem,
         llvm::ArrayRef<const KernelPack *> packs) override;

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
  std::string current; ///< The problem of `shared`.
  std::unique_ptr<DeviceProblem> shared;
  bool isWarm = false; ///< A candidate of the problem was measured.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_CANDIDATERUNNER_H
