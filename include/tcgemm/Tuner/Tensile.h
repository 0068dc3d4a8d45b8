//===- Tensile.h - Tensile's kernel parameters and benchmarks ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel parameters of D. Tanner, "Tensile: Auto-tuning GEMM GPU Assembly
// for All Problem Sizes" (2018), as parameters of schedule simt, and the
// reading of Tensile's benchmark files (docs/guide/tensile.md).
//
// Tensile's C is column-major. tcgemm computes the transposed product, so that
// Tensile's first free index, d0, is tcgemm's N, and its second one M.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_TENSILE_H
#define TCGEMM_TUNER_TENSILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tcgemm {

/// One of the paper's sixteen kernel parameters.
struct TensileParameter {
  llvm::StringRef name;         ///< Its key in files: `ThreadTile`.
  llvm::StringRef abbreviation; ///< The paper's: `TT`.
  llvm::StringRef parameters;   ///< tcgemm's: `cta.m`, `cta.n`.
  llvm::StringRef rule;         ///< How a value becomes one of these.
};

/// All of them, in the paper's order.
llvm::ArrayRef<TensileParameter> getTensileParameters();

/// A benchmark file's kernels and sizes.
struct TensileBenchmark {
  std::string space; ///< YAML, as Space::parse reads it.
  /// Lines of sizes, as parseTuningProblems reads them; `numSizes` lines.
  std::string sizes;
  size_t numSizes = 0;
  std::string dtype;              ///< The type of A, B and C: `f32` or `f64`.
  std::vector<std::string> notes; ///< What has no effect, one a line.
};

/// Returns whether a text is a benchmark file of Tensile: a mapping with the
/// key `BenchmarkProblems` at the start of a line.
bool isTensileBenchmark(llvm::StringRef text);

/// Reads a benchmark file with one problem type and one group of problem sizes:
/// its initial and forked parameters become a space named `name`, and its final
/// problem sizes a list. Errors have the form `file:line:column: message`: a
/// key that is unknown or has no counterpart, a value of another kind than its
/// key takes, a step that benchmarks or joins.
llvm::Expected<TensileBenchmark>
importTensileBenchmark(llvm::StringRef text, llvm::StringRef fileName,
                       llvm::StringRef name);

} // namespace tcgemm

#endif // TCGEMM_TUNER_TENSILE_H
