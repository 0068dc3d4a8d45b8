//===- IntegerPairs.h - Numbers of small integers ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_INTEGERPAIRS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_INTEGERPAIRS_H

#include "LoweringContext.h"
#include "tcgemm/Target/ScalarType.h"

namespace tcgemm {

/// Converts integers of 4 or 8 bits, one in each half of a register, to pairs
/// of f16 or bf16. Those of bf16 are multiplied by the power of two of
/// getProductExponent. All results are exact.
class IntegerPairs {
public:
  /// `zeroPoint` is subtracted from elements of 4 bits: an f32 with an integer
  /// from -128 to 255, of signed elements to 127, or null.
  IntegerPairs(IntegerBuilder &b, ScalarType from, ScalarType to,
               mlir::Value zeroPoint = {});

  /// Converts the elements that start at bits `low` and `high` of the two
  /// halves of the i32 `bits`. Elements of 4 bits may start at 0 or 4, those of
  /// 8 bits at 0. The other bits may be anything.
  mlir::Value convert(mlir::Value bits, int64_t low = 0, int64_t high = 0);
  /// Converts elements `i` and `i` + 4 of a word with eight, `i` < 4.
  mlir::Value convertPair(mlir::Value word, int64_t i);
  /// Converts the eight elements of a word to four such pairs.
  Values convertWord(mlir::Value word);

private:
  mlir::Value makeConstants(double low, double high);
  mlir::Value subtractZeroPoint(double low, double high);

  IntegerBuilder &b;
  ScalarType to;
  bool isSigned;
  uint32_t mask; ///< The bits of an element.
  double unit;   ///< The number that an element of 1 becomes.
  mlir::VectorType pairType;
  mlir::Value zeroPoint;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_INTEGERPAIRS_H
