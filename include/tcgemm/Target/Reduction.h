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
// Kernels combine states. The state of most combiners is a value. That of the
// greatest value's index is one integer: the value as a signed number in its
// high half, so that numbers are ordered as the values are, and the index in
// its low half, where the smaller one is the greater number. Values of 64 bits
// and indices among all elements do not fit: then the state is two integers of
// 64 bits. The states of others have several parts:
//
//   sumexpf           the greatest value m, and the sum of exp(x - m). Two sums
//                     are added behind a scaling of one of them, as in
//                     M. Milakov and N. Gimelshein, Online normalizer
//                     calculation for softmax, arXiv:1805.02867.
//   meanf, variancef  the number of values, their mean and the sum of squared
//                     deviations from it, combined as in T. F. Chan,
//                     G. H. Golub and R. J. LeVeque, Updating formulae and a
//                     pairwise algorithm for computing sample variances, 1979.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_REDUCTION_H
#define TCGEMM_TARGET_REDUCTION_H

#include "tcgemm/Target/ScalarType.h"

#include <optional>
#include <string>

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
  AddI,
  ArgMaximumF, ///< The index of the greatest value; NaN is the greatest.
  ArgMaxNumF,  ///< The same, but NaN does not count.
  ArgMaxSI,
  SumExpF,  ///< The sum of exp(x - m), where m is the greatest x.
  MeanF,    ///< The arithmetic mean.
  VarianceF ///< The mean of squared deviations from the mean.
};
inline constexpr unsigned kNumCombiners = 16;

/// The operation of the dialect arith without its prefix, `maximumf`, or a name
/// of its own.
llvm::StringRef getCombinerName(Combiner combiner);
std::optional<Combiner> parseCombiner(llvm::StringRef name);
/// The names of all combiners, for messages.
std::string getCombinerNames();

/// The kinds of states that kernels combine.
enum class StateKind {
  Value,  ///< One value.
  Index,  ///< The value as an integer, and the index.
  SumExp, ///< The greatest value and the sum.
  Moments ///< The number, the mean and the squared deviations.
};
StateKind getStateKind(Combiner combiner);
/// Returns whether values of the type can be combined: f32 and f64, or i32.
/// sumexpf is of f32 only.
bool canCombine(Combiner combiner, ScalarType type);
/// Returns whether values of type `value` can be combined to a result of type
/// `result`: the same type, but for an index, which is i32 or i64.
bool canReduce(Combiner combiner, ScalarType value, ScalarType result);
/// Returns whether results depend on the order of the values, because sums are
/// rounded.
bool isOrdered(Combiner combiner);
/// The value that changes no other one. The state is a value.
ScalarConstant getNeutral(Combiner combiner, ScalarType type);
/// The combination of two values of a type, in double. The state is a value.
double combine(Combiner combiner, ScalarType type, double x, double y);

/// The reduction of an output.
struct ReductionInfo {
  Combiner combiner = Combiner::MaximumF;
  /// The value that all others are combined with: the result over nothing. For
  /// an index and sumexpf it belongs to the least value, minus infinity or that
  /// of i32.
  ScalarConstant initial = 0.0;
};
/// Returns the rule that a reduction to the type `result` breaks; empty if it
/// breaks none.
std::string findViolation(const ReductionInfo &reduction, ScalarType result);

} // namespace tcgemm

#endif // TCGEMM_TARGET_REDUCTION_H
