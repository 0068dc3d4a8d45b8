//===- Baseline.h - Times of another library --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports compare tcgemm's times with these: CSV with a line for each problem.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_BASELINE_H
#define TCGEMM_TUNER_BASELINE_H

#include "tcgemm/Store/Record.h"

namespace tcgemm {

/// The time of one problem.
struct BaselineTime {
  MatmulSizes sizes;
  double microseconds = 0;
  std::optional<KernelSpec> kernel; ///< None: any.
  std::string device;               ///< Empty: any.
};

struct Baseline {
  std::string name; ///< `cuBLASLt`.
  std::vector<BaselineTime> times;

  /// The time of a record's problem on its device.
  std::optional<double> find(const TuningProblem &problem,
                             llvm::StringRef device) const;
};

/// Reads CSV whose first line names the columns M, N, K and us (microseconds),
/// in either case and any order, and optionally batch, kernel, device and
/// library (the name of the baseline; the file's name by default). Other
/// columns are skipped. `#` starts a comment line. Errors name the line.
llvm::Expected<Baseline> parseBaseline(llvm::StringRef text,
                                       llvm::StringRef fileName);

/// A baseline from a file, or a shipped baseline by name.
llvm::Expected<Baseline> readBaseline(llvm::StringRef name);

} // namespace tcgemm

#endif // TCGEMM_TUNER_BASELINE_H
