//===- Engine.h - Compiles and times candidates -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evaluator of real candidates. Compilers and the one process that uses the
// device are children: whatever they do to themselves, the run goes on. This
// process does no more than wait for them, with a deadline for each candidate,
// and write what they say to the store.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_ENGINE_H
#define TCGEMM_TUNER_ENGINE_H

#include "tcgemm/Pipelines/CompileOptions.h"
#include "tcgemm/Tuner/Evaluator.h"

#include <atomic>

namespace tcgemm {

/// How candidates are timed; docs/guide/tuning.md has the protocol.
struct TimingOptions {
  unsigned minSamples = 3, maxSamples = 9;
  /// Half the confidence interval over the median at which to stop.
  double relativeError = 0.005;
  /// A candidate slower than the best by this factor is given up after a
  /// single launch, after a first chain, which warms up, or after a second.
  double singleCut = 1.6, firstCut = 1.35, chainCut = 1.08;
  double chainMilliseconds = 2; ///< Least length of a chain of launches.
  /// Chains before the first time of a problem: clocks rise under load.
  double warmUpMilliseconds = 40;
  /// Launches before that of a candidate which the host has checked: the device
  /// slept meanwhile, and a single slow launch would be the candidate's last.
  double wakeMilliseconds = 20;
  int64_t rotatedBytes = int64_t(128) << 20; ///< At least twice the L2 too.
  unsigned finalRounds = 11;
  double finalMilliseconds = 10; ///< Least length of a finalist's chain.
  /// Load of a finalist, after its rounds, before its power is read: drivers
  /// bring that up to date some fifty times a second.
  double powerMilliseconds = 60;
  uint64_t seed = 1; ///< Of data and of orders.
};

struct EngineOptions {
  /// `cuda`, `cuda:N` or `emulator`.
  std::string device = "cuda";
  /// The device's own if empty.
  std::string chip;
  CompileOptions compile;
  TimingOptions timing;
  unsigned compilers = 0;      ///< Processes; 0: one for each core.
  double compileTimeout = 120; ///< Seconds for a candidate.
  double launchTimeout = 20;   ///< Seconds for a candidate on the device.
  int64_t memoryLimit = 0;     ///< Bytes of the device; 0: all.
  /// Set by a signal handler: `wait` then returns what is done and no more.
  const std::atomic<bool> *interrupted = nullptr;
};

/// Builds and records that the store has already are not made again. An error:
/// no device, or one of another kind than the chip.
llvm::Expected<std::unique_ptr<Evaluator>>
createEngine(Store &store, const EngineOptions &options);

/// Only compiles: for a machine without the device. Its records have no time.
llvm::Expected<std::unique_ptr<Evaluator>>
createCompileEngine(Store &store, const EngineOptions &options);

/// Whether a failure to load code, by its text, is that the driver cannot take
/// such code at all.
bool isForeignCode(llvm::StringRef message);
/// What to do then.
llvm::StringRef getForeignCodeAdvice();

} // namespace tcgemm

#endif // TCGEMM_TUNER_ENGINE_H
