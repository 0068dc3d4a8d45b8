//===- Engine.h - Compiles and times candidates -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evaluator that compiles and measures candidates. Compilers, and the one
// process that uses the device, are child processes, so that the run survives
// their crashes. This process only waits for them, with a deadline for each
// candidate, and writes their results to the store.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_ENGINE_H
#define TCGEMM_TUNER_ENGINE_H

#include "tcgemm/Pipelines/CompileOptions.h"
#include "tcgemm/Tuner/Evaluator.h"
#include "tcgemm/Tuner/Simulation.h"

#include <atomic>

namespace tcgemm {

/// How candidates are timed; docs/guide/tuning.md has the protocol.
struct TimingOptions {
  unsigned minSamples = 3, maxSamples = 9;
  /// Measurement stops at this ratio of half the confidence interval to the
  /// median.
  double relativeError = 0.005;
  /// A candidate that is slower than the best by this factor is rejected after
  /// a single launch, after the first chain (the warm-up), or after the second
  /// one.
  double singleCut = 1.6, firstCut = 1.35, chainCut = 1.08;
  double chainMilliseconds = 2; ///< Minimum duration of a chain of launches.
  /// Duration of the chains before the first measurement of a problem, because
  /// clocks rise under load.
  double warmUpMilliseconds = 40;
  /// Duration of the launches before the first launch of a candidate that the
  /// host has checked. The device was idle during the check, and one slow
  /// launch would reject the candidate.
  double wakeMilliseconds = 20;
  int64_t rotatedBytes = int64_t(128) << 20; ///< Also at least twice the L2.
  unsigned finalRounds = 11;
  double finalMilliseconds = 10; ///< Minimum duration of a finalist's chain.
  /// Duration of a finalist's load after its rounds, before its power is read.
  /// Drivers update the power about fifty times a second.
  double powerMilliseconds = 60;
  uint64_t seed = 1; ///< Seed of data and of orders.
};

struct EngineOptions {
  /// `cuda`, `cuda:N`, `emulator` or `simulated`, one device.
  std::string device = "cuda";
  /// The target chip; empty: the device's.
  std::string chip;
  CompileOptions compile;
  TimingOptions timing;
  unsigned compilers = 0;       ///< Processes; 0: one for each core.
  bool mayCompile = true;       ///< False: only builds that are stored.
  double compileTimeout = 120;  ///< Seconds for a candidate.
  double launchTimeout = 20;    ///< Seconds for a candidate on the device.
  int64_t memoryLimit = 0;      ///< Bytes of device memory; 0: all.
  SimulationOptions simulation; ///< Of the device `simulated`.
  /// The folder of a work list, whose tasks share their builds. Empty: builds
  /// are in the database, and code is beside it.
  std::string workFolder;
  /// Set by a signal handler. `wait` then returns finished records only.
  const std::atomic<bool> *interrupted = nullptr;
};

/// Builds and records that are already in the store are reused. Errors: there
/// is no device, or its architecture is not the chip's. An error of the device
/// is a DeviceError, here and in the functions of the engine.
llvm::Expected<std::unique_ptr<Evaluator>>
createEngine(Store &store, const EngineOptions &options);

/// The engine of one of several devices.
struct DeviceEngine {
  std::string device; ///< As in EngineOptions.
  std::unique_ptr<Evaluator> engine;
  std::string failure; ///< The reason why there is no engine, or empty.
};

/// The engines of `devices`, with common compilers for each chip and one store.
/// A configuration that several engines need at the same time is compiled once.
/// Errors: an error that is not that of a device.
llvm::Expected<std::vector<DeviceEngine>>
createEngines(Store &store, const EngineOptions &options,
              llvm::ArrayRef<std::string> devices);

/// The names of the devices that `text` names: `cuda`, `emulator`, `cuda:1`,
/// `cuda:0,1,3`, `cuda:all`. Errors: another text, an ordinal that is too large
/// for this machine or that occurs twice; without a device, a DeviceError.
llvm::Expected<std::vector<std::string>> expandDevices(llvm::StringRef text);

/// An evaluator that only compiles, for a machine without the device. Its
/// records have no time.
llvm::Expected<std::unique_ptr<Evaluator>>
createCompileEngine(Store &store, const EngineOptions &options);

/// Returns whether the text of a failure to load code states that the driver
/// does not support such code.
bool isForeignCode(llvm::StringRef message);
/// The advice for such a failure.
llvm::StringRef getForeignCodeAdvice();

} // namespace tcgemm

#endif // TCGEMM_TUNER_ENGINE_H
