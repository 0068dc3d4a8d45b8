//===- Benchmark.h - Measuring kernels --------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol of every figure that the project publishes: random normal data;
// inputs rotate through sets that together exceed twice the L2 (cold) or stay
// the same (hot); launches form a linear chain in a graph, so that the host's
// launch cost is hidden; contenders are timed in random order, round after
// round, in one process; figures are medians with the 10th and 90th percentile.
// Everything that a variant needs is counted: all of its steps.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_BENCHMARK_H
#define TCGEMM_RUNTIME_BENCHMARK_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

struct BenchmarkOptions {
  int64_t minRotatedBytes = int64_t(256) << 20; ///< Also at least twice the L2.
  int64_t maxSets = 1024;       ///< Limit of the rotation for small problems.
  double chainMilliseconds = 5; ///< Minimum duration of a chain.
  double warmUpMilliseconds = 300;
  unsigned rounds = 21;
  uint64_t seed = 1; ///< Seed of the random order.
  bool compareCublasLt = false;
  /// Compare with cuBLASLt's product with its fused bias, followed by an
  /// elementwise kernel. Otherwise compare with the plain product.
  bool fuseCublasLt = false;
  std::string cublasLtPath; ///< Empty: the usual names.
  /// FP8: whether cuBLASLt may sum all of k in the tensor cores.
  bool fastAccumulation = true;
  unsigned maxAlgorithms = 16;
};

/// Median, 10th and 90th percentile.
struct Spread {
  double median = 0, low = 0, high = 0;
};
Spread summarize(std::vector<double> samples);

struct Contender {
  /// `tcgemm`, `cublaslt-first`, `cublaslt-best`; `cublaslt-fused-best`.
  std::string name;
  std::string detail; ///< The variant, or the algorithm's number.
  Spread cold, hot;   ///< Microseconds.
  /// This contender's time over tcgemm's, round by round: above 1, tcgemm is
  /// faster.
  Spread coldRatio, hotRatio;
};

struct BenchmarkReport {
  std::vector<Contender> contenders; ///< tcgemm first.
  double flops = 0;                  ///< Floating-point operations of one run.
  int64_t bytes = 0; ///< Minimum traffic: each byte read or written once.
  int64_t numSets = 0;
  int64_t chainLength = 0;
  std::string cublasLtVersion;
  unsigned numAlgorithms = 0;
  /// The reason why there is no comparison, or a note that cuBLASLt's result
  /// differs.
  std::string note;
  /// Largest |tcgemm - cuBLASLt| over the largest |cuBLASLt|; negative if not
  /// compared (an epilogue that cuBLASLt does not run).
  double difference = -1;
  /// True if that is too much for rounding alone; `note` says so, too.
  bool isWrong = false;
};

/// Measures a filled problem. Its functions' launches run one after the other
/// as one unit.
llvm::Expected<BenchmarkReport> runBenchmark(Device &device, Executor &executor,
                                             const Problem &problem,
                                             const BenchmarkOptions &options);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_BENCHMARK_H
