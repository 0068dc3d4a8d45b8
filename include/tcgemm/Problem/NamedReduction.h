//===- NamedReduction.h - Reductions with names -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_NAMEDREDUCTION_H
#define TCGEMM_PROBLEM_NAMEDREDUCTION_H

#include "tcgemm/Target/Reduction.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tcgemm {

/// What is combined to one result.
enum class ReductionAxis {
  All,   ///< The whole of D, with all batches.
  Row,   ///< Each row of each batch.
  Column ///< Each column of each batch.
};

enum class ReductionKind {
  Max,
  Min,
  Sum,
  SumOfSquares,
  Amax,   ///< The greatest absolute value.
  ArgMax, ///< The index of the greatest value. Of all: m * N + n, for each
          ///< batch.
  SumExp, ///< The sum of exp(x - max): the divisor of a softmax.
  Mean,
  Variance ///< The mean of squared deviations from the mean.
};
inline constexpr unsigned kNumReductionKinds = 9;

/// The help of tools about reductions.
inline constexpr llvm::StringLiteral kReduceHelp =
    "Further results: none, or max, min, sum, sumsq, amax, argmax, sumexp, "
    "mean, variance, behind row- or column- those of each row or column, "
    "joined by _";

/// The function of an element whose values are combined.
enum class ReducedFunction { Identity, Square, Absolute };

struct NamedReduction {
  ReductionAxis axis = ReductionAxis::All;
  ReductionKind kind = ReductionKind::Amax;

  /// `amax`, `row-max`, `column-sum`.
  std::string str() const;
  /// The combiner of floats or of integers; none if these have none.
  std::optional<Combiner> getCombiner(bool isFloat) const;
  ReducedFunction getFunction() const;
  /// Returns whether a combined state takes more registers than a value.
  bool hasParts() const;
  /// Returns whether the results start with zero, and otherwise with the
  /// combiner's neutral value. An index, and parts of a state, start with zero;
  /// the values that they belong to with the least value.
  bool startsWithZero() const;
  bool operator==(const NamedReduction &other) const {
    return axis == other.axis && kind == other.kind;
  }
};

/// The names of all kinds, by commas.
std::string getReductionKindNames();

/// The reductions of a product's result, in the order of their outputs.
struct NamedReductions {
  std::vector<NamedReduction> list;
  /// True if one of them has no name.
  bool hasOther = false;

  bool empty() const { return list.empty() && !hasOther; }
  /// `none`, or the names joined by `_`.
  std::string str() const;
  /// Reads what `str` writes for named ones. The error names the word that is
  /// no reduction.
  static llvm::Expected<NamedReductions> parse(llvm::StringRef text);
  bool operator==(const NamedReductions &other) const {
    return list == other.list && hasOther == other.hasOther;
  }
};

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_NAMEDREDUCTION_H
