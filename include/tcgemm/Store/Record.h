//===- Record.h - The result of a candidate ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is the unit that is stored, reported and exported: the result,
// successful or not, of one configuration for one problem on one platform.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_RECORD_H
#define TCGEMM_STORE_RECORD_H

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Target/DeviceState.h"

namespace tcgemm {

enum class Outcome {
  Success,        ///< The result is right, and the time was measured.
  Constraints,    ///< Illegal, or no variant accepts the problem.
  Compile,        ///< The compiler or ptxas failed, or the kernel spills.
  CompileTimeout, ///< ptxas exceeded the time limit.
  Memory,         ///< The device has too little memory.
  Runtime,        ///< A launch failed: a fault, an illegal instruction.
  Timeout,        ///< A launch exceeded the time limit.
  Correctness,    ///< A wrong result, or damage to other memory.
  Crash,          ///< The process that tried the candidate died.
  Pruned,         ///< Not tried: a bound or a prediction excludes that it wins.
};
inline constexpr unsigned kNumOutcomes = 10;
/// `success`, `constraints`, `compile`, `compile_timeout`, ...
llvm::StringRef getOutcomeName(Outcome outcome);
std::optional<Outcome> parseOutcome(llvm::StringRef name);

/// The properties that determine a time, apart from problem and configuration.
struct Platform {
  std::string chip;   ///< The compilation's target: `sm_90a`.
  std::string device; ///< `NVIDIA H200`, or `emulator`.
  std::string driver; ///< `CUDA driver 13.0`, or `emulator`.
  std::string ptxas;  ///< Version of ptxas; empty if only PTX was compiled.
  std::string tcgemm; ///< Version and fingerprint of the code generator.

  bool isEmulated() const { return device == "emulator"; }
  bool operator==(const Platform &other) const;
};

/// The extent of the measurement before a candidate was rejected.
enum class TimingStage {
  None,     ///< Not measured.
  Single,   ///< One launch, which was slow enough for a rejection.
  Screened, ///< One chain of launches.
  Full,     ///< Chains up to the requested precision.
  Final,    ///< Measured again, interleaved with the other finalists.
  Model,    ///< The emulator has no clock: a model's estimate.
};
llvm::StringRef getTimingStageName(TimingStage stage);
std::optional<TimingStage> parseTimingStage(llvm::StringRef name);

/// Microseconds of all launches of one run with cold caches.
struct Timing {
  TimingStage stage = TimingStage::None;
  double median = 0;
  /// 95 % confidence interval of the median.
  double low = 0, high = 0;
  std::vector<double> samples;
};

struct Resources {
  int64_t registers = 0;  ///< Registers of a thread of the main kernel.
  int64_t spillBytes = 0; ///< Bytes, summed over all executed kernels.
  int64_t sharedMemory =
      0;               ///< Dynamic shared memory of the main kernel, in bytes.
  int64_t threads = 0; ///< Threads of its block.
  int64_t workspace = 0; ///< Bytes.
  std::string binary;    ///< SHA-256 of the module's code.
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
  std::string message; ///< The full message of a failure.
  std::string variant; ///< The executed variant of the manifest.
  Timing timing;
  Resources resources;
  DeviceState state; ///< State at the end of its timing, under load.
  Costs costs;
  int64_t timestamp = 0; ///< Seconds since 1970, UTC.

  bool isSuccess() const { return outcome == Outcome::Success; }
  double getTflops() const;
  /// The energy of one run; none if the power is not known.
  std::optional<double> getJoules() const;
  std::optional<double> getTflopsPerWatt() const;
};

/// One object with a member for each field. Problem, configuration and platform
/// are text. Unknown values of the device's state are omitted. `recordFromJSON`
/// reads this object.
llvm::json::Object toJSON(const Record &record);
llvm::Expected<Record> recordFromJSON(const llvm::json::Object &object);

/// Fails if a size or a number is outside its possible range. Numbers that are
/// computed from checked records are finite. All records from user input are
/// checked.
llvm::Error checkNumbers(const Record &record);
/// The parts of that check: the sizes of a problem, and all other numbers.
llvm::Error checkSizes(const MatmulSizes &sizes);
llvm::Error checkResult(const Record &record);

/// The median of `samples` with a 95 % confidence interval that assumes no
/// distribution: the order statistics of ranks n/2 - 0.98·√n and
/// n/2 + 1 + 0.98·√n (Le Boudec, Performance Evaluation of Computer and
/// Communication Systems, 2010, section 2.2). With fewer than six, their range.
Timing summarizeSamples(TimingStage stage, std::vector<double> samples);

/// The version of this tcgemm and, after a `+`, a fingerprint of the sources
/// that determine the generated code.
std::string getGeneratorVersion();

} // namespace tcgemm

#endif // TCGEMM_STORE_RECORD_H
