//===- Reduction.h - Reductions of an epilogue's values ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output with a reduction holds the values of all elements along the
// dimensions that it does not have, combined into one.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_REDUCTION_H
#define TCGEMM_TARGET_REDUCTION_H

#include "tcgemm/Target/ScalarType.h"

namespace tcgemm {

/// How two values become one. The order is that of the table in Reduction.cpp.
enum class Combiner {
  MaximumF,
  MinimumF,
  MaxNumF,
  MinNumF,
  AddF,
  MaxSI,
  MinSI,
  MaxUI,
  MinUI,
  AddI
};
inline constexpr unsigned kNumCombiners = 10;

/// The operation of the dialect arith without its prefix: `maximumf`.
llvm::StringRef getCombinerName(Combiner combiner);
std::optional<Combiner> parseCombiner(llvm::StringRef name);
/// The names of all combiners, for messages.
std::string getCombinerNames();

/// Returns whether values of the type can be combined: f32 and f64, or i32.
bool canCombine(Combiner combiner, ScalarType type);
/// Returns whether results depend on the order of the values, because sums are
/// rounded.
bool isOrdered(Combiner combiner);
/// The value that changes no other one.
ScalarConstant getNeutral(Combiner combiner, ScalarType type);
/// The combination of two values of a type, in double.
double combine(Combiner combiner, ScalarType type, double x, double y);

/// The reduction of an output.
struct ReductionInfo {
  Combiner combiner = Combiner::MaximumF;
  /// The value that all others are combined with: the result over nothing.
  ScalarConstant initial = 0.0;
};

} // namespace tcgemm

#endif // TCGEMM_TARGET_REDUCTION_H
