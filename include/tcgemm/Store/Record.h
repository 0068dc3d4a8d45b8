//===- Record.h - What became of a candidate --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit that is stored, reported and exported: one configuration tried for
// one problem on one platform, whatever came of it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_RECORD_H
#define TCGEMM_STORE_RECORD_H

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Target/DeviceState.h"

namespace tcgemm {

enum class Outcome {
  Success,        ///< Right, and measured.
  Constraints,    ///< Illegal, or no variant of the kernel takes the problem.
  Compile,        ///< The compiler or ptxas refused it, or it spills.
  CompileTimeout, ///< ptxas did not end in time.
  Memory,         ///< The device has not enough memory for it.
  Runtime,        ///< A launch failed: a fault, an illegal instruction.
  Timeout,        ///< A launch did not end in time.
  Correctness,    ///< A wrong result, or damage to other memory.
  Crash,          ///< The process that tried it died.
};
inline constexpr unsigned kNumOutcomes = 9;
/// `success`, `constraints`, `compile`, `compile_timeout`, ...
llvm::StringRef getOutcomeName(Outcome outcome);
std::optional<Outcome> parseOutcome(llvm::StringRef name);

/// What a time depends on beside the problem and the configuration.
struct Platform {
  std::string chip;   ///< Compiled for: `sm_90a`.
  std::string device; ///< `NVIDIA H200`, or `emulator`.
  std::string driver; ///< `CUDA driver 13.0`, or `emulator`.
  std::string ptxas;  ///< Its version; empty where only PTX was made.
  std::string tcgemm; ///< Version and fingerprint of the code generator.

  bool isEmulated() const { return device == "emulator"; }
  bool operator==(const Platform &other) const;
};

/// How much was measured before a candidate was given up.
enum class TimingStage {
  None,     ///< Not measured.
  Single,   ///< One launch was enough to see that it is slow.
  Screened, ///< One chain of launches.
  Full,     ///< Chains up to the wanted precision.
  Final,    ///< Again, interleaved with the other finalists.
  Model,    ///< The emulator has no clock: a model's estimate.
};
llvm::StringRef getTimingStageName(TimingStage stage);
std::optional<TimingStage> parseTimingStage(llvm::StringRef name);

/// Microseconds of one run, with cold caches, all launches of it included.
struct Timing {
  TimingStage stage = TimingStage::None;
  double median = 0;
  /// 95 % confidence interval of the median.
  double low = 0, high = 0;
  std::vector<double> samples;
};

struct Resources {
  int64_t registers = 0;    ///< Of the main kernel, a thread.
  int64_t spillBytes = 0;   ///< Of all kernels that ran.
  int64_t sharedMemory = 0; ///< Dynamic, of the main kernel.
  int64_t threads = 0;      ///< Of its block.
  int64_t workspace = 0;    ///< Bytes.
  std::string binary;       ///< SHA-256 of the module's code.
};

/// Milliseconds spent on a candidate.
struct Costs {
  double compile = 0, verify = 0, measure = 0;
};

struct Record {
  TuningProblem problem;
  KernelConfig config;
  Platform platform;
  Outcome outcome = Outcome::Success;
  std::string message; ///< Of a failure: all that is known.
  std::string variant; ///< Of the manifest, that ran.
  Timing timing;
  Resources resources;
  DeviceState state; ///< At the end of its timing, under its load.
  Costs costs;
  int64_t timestamp = 0; ///< Seconds since 1970, UTC.

  bool isSuccess() const { return outcome == Outcome::Success; }
  double getTflops() const;
  /// Of one run; none where the power is not known.
  std::optional<double> getJoules() const;
  std::optional<double> getTflopsPerWatt() const;
};

/// One object with a member for each field; problem, configuration and
/// platform as text; what is not known of the device's state is left out.
/// `recordFromJSON` reads it back.
llvm::json::Object toJSON(const Record &record);
llvm::Expected<Record> recordFromJSON(const llvm::json::Object &object);

/// Fails where a size or a number is outside of what can be: what follows from
/// the numbers of other records is finite. Asked of all records from outside.
llvm::Error checkNumbers(const Record &record);

/// The median of `samples` with a 95 % confidence interval that assumes no
/// distribution: the order statistics of ranks n/2 - 0.98·√n and
/// n/2 + 1 + 0.98·√n (Le Boudec, Performance Evaluation of Computer and
/// Communication Systems, 2010, section 2.2). With fewer than six, their range.
Timing summarizeSamples(TimingStage stage, std::vector<double> samples);

/// The version of this tcgemm and, after a `+`, a fingerprint of the sources
/// that decide the code it generates.
std::string getGeneratorVersion();

} // namespace tcgemm

#endif // TCGEMM_STORE_RECORD_H
