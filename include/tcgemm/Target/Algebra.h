//===- Algebra.h - What products do in place of times and plus --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product combines an element of A with one of B and reduces the results over
// k. In the algebra of most products these are multiplication and addition. An
// algebra is any pair of operations in one table. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_ALGEBRA_H
#define TCGEMM_TARGET_ALGEBRA_H

#include "tcgemm/Target/ScalarType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tcgemm {

/// The names of algebras in the help of tools.
inline constexpr llvm::StringLiteral kAlgebraHelp =
    "What reduces and combines elements: plus-times, max-plus or any two of "
    "times, plus, max, min; of floats maxnum, minnum; of integers maxu, minu, "
    "and, or, xor";

/// An operation on two scalars of one type. Each is associative and commutative
/// but for the roundings of floats, and has a neutral element.
enum class AlgebraOperation {
  Times,
  Plus,
  Max, ///< Of floats: NaN if an operand is NaN, and -0 is less than 0.
  Min,
  MaxNum, ///< The other operand if one is NaN.
  MinNum,
  MaxUnsigned, ///< Compares integers as unsigned ones.
  MinUnsigned,
  And, ///< Of each bit.
  Or,
  Xor,
};

/// The word for an operation, such as `max`.
llvm::StringRef getAlgebraWord(AlgebraOperation operation);
/// Reads what getAlgebraWord returns.
std::optional<AlgebraOperation> parseAlgebraWord(llvm::StringRef word);
/// The name in MLIR's dialect arith, such as `maximumf`, for floats or for
/// integers; empty if they do not have the operation.
llvm::StringRef getArithName(AlgebraOperation operation, bool ofFloats);
/// Computes an operation on floats in double, without rounding its result to
/// their type.
double applyAlgebra(AlgebraOperation operation, double x, double y);
/// Computes an operation on integers of 32 bits. Results wrap around.
int32_t applyIntegerAlgebra(AlgebraOperation operation, int32_t x, int32_t y);

/// How a product reduces, and how it combines.
struct Algebra {
  AlgebraOperation reduce = AlgebraOperation::Plus;
  AlgebraOperation combine = AlgebraOperation::Times;

  bool operator==(const Algebra &other) const {
    return reduce == other.reduce && combine == other.combine;
  }
  bool operator!=(const Algebra &other) const { return !(*this == other); }
  /// Returns whether this is multiplication and addition.
  bool isDefault() const { return *this == Algebra(); }
  /// Returns whether a type has both operations.
  bool isSupported() const;
  /// Returns whether results of a float type depend on the order of the
  /// reductions, because each one rounds.
  bool isOrdered(ScalarType type) const;
  /// The value of sums of `type` that `reduce` leaves every other as it is
  /// with.
  ScalarConstant getNeutral(ScalarType type) const;
  /// The value that elements of A (0) or B (1) beyond K have: the combination
  /// of both is the neutral element. Copies fill with zeros, and B has zeros
  /// where they are enough.
  ScalarConstant getPadding(ScalarType type, unsigned operand) const;
  /// `max-plus`: the word of `reduce`, then that of `combine`.
  std::string str() const;
  /// Reads what `str` writes. The error lists the operations.
  static llvm::Expected<Algebra> parse(llvm::StringRef text);
};

inline llvm::hash_code hash_value(const Algebra &algebra) {
  return llvm::hash_combine(algebra.reduce, algebra.combine);
}

/// All algebras of sums of `type`.
std::vector<Algebra> listAlgebras(ScalarType type);
/// Returns whether products can have the algebra if A and B are of `type`.
/// Integers of 8 bits are extended to 32. They have the algebras whose neutral
/// element is the combination of zeros, because they cannot represent others.
bool hasAlgebra(ScalarType type, const Algebra &algebra);
/// The types that have the algebra, for messages: `f32 and f64`, by the names
/// that `getName` has for them.
std::string
listAlgebraTypes(const Algebra &algebra,
                 llvm::StringRef (*getName)(ScalarType) = getTypeName);

} // namespace tcgemm

#endif // TCGEMM_TARGET_ALGEBRA_H
