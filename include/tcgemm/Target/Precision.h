//===- Precision.h - Precisions of products ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How products of f32 and of f16 operands are computed. Only the user chooses
// less precision than products and sums of f32 have. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_PRECISION_H
#define TCGEMM_TARGET_PRECISION_H

#include "tcgemm/Target/ScalarType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace tcgemm {

/// The description of an option that takes the name of a precision.
inline constexpr llvm::StringLiteral kPrecisionHelp =
    "How products are computed: ieee; of f32 also tf32, tf32x3, bf16x3 or "
    "bf16x6; of f16 also f16";

enum class Precision {
  IEEE, ///< Products and sums of f32.
  TF32, ///< Operands are rounded to tf32.
  TF32X3,
  BF16X3,
  BF16X6,
  F16, ///< Instructions add products of f16 operands in f16.
};

/// One product of parts: A's part `a` by B's part `b`.
struct PartProduct {
  unsigned a, b;
};

/// A split operand x is a sum of parts: part 0 is x rounded to the part's type,
/// part i is the remainder x - part 0 - ... - part (i - 1), rounded. A product
/// of two of them is the sum of some products of parts.
struct SplitInfo {
  /// The products of parts, in the order of their sums.
  llvm::ArrayRef<PartProduct> products;
  /// The bound of the relative error of a product, without that of its sums.
  double error;
  /// Products of integers up to this number are exact.
  double largestExact;

  int64_t getNumProducts() const { return products.size(); }
  /// The parts of an operand.
  int64_t getNumParts() const;
  /// The part of A (0) or B (1) in a product of parts.
  unsigned getPart(unsigned operand, size_t product) const {
    return operand ? products[product].b : products[product].a;
  }
};

llvm::StringRef getPrecisionName(Precision precision);
/// The error names the precisions that there are.
llvm::Expected<Precision> parsePrecision(llvm::StringRef name);

/// The precisions of operands that are `type` in memory, `ieee` first.
llvm::SmallVector<Precision> getPrecisions(ScalarType type);
/// The type of operands that are `type` in memory. A precision that is for
/// other types changes nothing.
ScalarType getOperandType(ScalarType type, Precision precision);
/// The precision of products of such operands.
Precision getPrecision(ScalarType operandType);
/// The type in which instructions add the products of such operands. The sums
/// of a kernel are of type `sum`.
ScalarType getInstructionSum(ScalarType operandType, ScalarType sum);
/// How operands of `operandType` are split; null if they are not.
const SplitInfo *getSplit(ScalarType operandType);
/// The products of parts that make one product of such operands; 1 if they are
/// not split.
int64_t getNumProducts(ScalarType operandType);
/// The parts of such an operand; 1 if it is not split.
int64_t getNumParts(ScalarType operandType);
/// The bound of the error of a sum of `k` products, relative to the sum of
/// their magnitudes. It is 0 for integers.
double getSumError(ScalarType a, ScalarType b, ScalarType accumulator,
                   int64_t k);

} // namespace tcgemm

#endif // TCGEMM_TARGET_PRECISION_H
