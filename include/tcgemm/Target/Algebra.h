//===- Algebra.h - What products do in place of times and plus --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product combines an element of A with one of B and reduces the results over
// k. In the algebra of most products these are multiplication and addition. One
// table has the others. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_ALGEBRA_H
#define TCGEMM_TARGET_ALGEBRA_H

#include "tcgemm/Target/ScalarType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/Error.h"

namespace tcgemm {

/// The names of algebras in the help of tools.
inline constexpr llvm::StringLiteral kAlgebraHelp =
    "What reduces and combines elements of f32 and f64: plus-times, max-plus, "
    "min-plus, max-min, min-max, or with maxnum and minnum";

/// An operation on two scalars of one type.
enum class AlgebraOperation {
  Times,
  Plus,
  Max, ///< NaN if an operand is NaN; -0 is less than 0.
  Min,
  MaxNum, ///< The other operand if one is NaN.
  MinNum,
};

/// The word for an operation, such as `max`.
llvm::StringRef getAlgebraWord(AlgebraOperation operation);
/// Computes an operation on floats in double, without rounding its result to
/// their type.
double applyAlgebra(AlgebraOperation operation, double x, double y);

/// How a product reduces, and how it combines.
struct Algebra {
  AlgebraOperation reduce = AlgebraOperation::Plus;
  AlgebraOperation combine = AlgebraOperation::Times;

  bool operator==(const Algebra &other) const {
    return reduce == other.reduce && combine == other.combine;
  }
  bool operator!=(const Algebra &other) const { return !(*this == other); }
  /// Whether this is multiplication and addition.
  bool isDefault() const { return *this == Algebra(); }
  /// Whether products can have it; see getAlgebras.
  bool isSupported() const;
  /// The value that `reduce` leaves every other as it is with. If A has it
  /// beyond K and B has zeros there, the elements beyond K contribute nothing.
  double getNeutral() const;
  /// `max-plus`: the word of `reduce`, then that of `combine`.
  std::string str() const;
  /// Reads what `str` writes. The error lists the algebras.
  static llvm::Expected<Algebra> parse(llvm::StringRef text);
};

inline llvm::hash_code hash_value(const Algebra &algebra) {
  return llvm::hash_combine(algebra.reduce, algebra.combine);
}

/// All algebras that products can have, the default first.
llvm::ArrayRef<Algebra> getAlgebras();
/// Whether elements and sums of `type` can be combined and reduced by others
/// than the default.
bool hasAlgebras(ScalarType type);

} // namespace tcgemm

#endif // TCGEMM_TARGET_ALGEBRA_H
