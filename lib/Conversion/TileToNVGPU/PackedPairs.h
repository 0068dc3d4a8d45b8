//===- PackedPairs.h - Numbers of 4-bit elements ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDPAIRS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDPAIRS_H

#include "LoweringContext.h"
#include "tcgemm/Target/ScalarType.h"

namespace tcgemm {

/// The same bits in both halves of a register.
constexpr uint32_t inBoth(uint32_t bits) { return bits << 16 | bits; }

/// Converts elements of 4 bits, one in each half of a register, to pairs of f16
/// or bf16. No value changes, except that a zero point is subtracted.
class PackedPairs {
public:
  /// `zeroPoint` is an f32 with an integer from -128 to 255, or null.
  PackedPairs(IntegerBuilder &b, ScalarType from, ScalarType to,
              mlir::Value zeroPoint);

  /// The bit of each half where an element starts. The other bits may be
  /// anything.
  int64_t getPlace() const { return place; }
  /// Converts an element in each half of the i32 `bits`.
  mlir::Value convert(mlir::Value bits);
  /// The same to f16, of elements that start at bits `low` and `high` of the
  /// halves, 0 or 4.
  mlir::Value convertToHalves(mlir::Value bits, int64_t low, int64_t high);
  /// Converts elements `i` and `i` + 4 of a word with eight, `i` < 4.
  /// `shiftRight` shifts a word by so many bits.
  mlir::Value
  convertPair(mlir::Value word, int64_t i,
              llvm::function_ref<mlir::Value(mlir::Value, int64_t)> shiftRight);
  /// Converts the eight elements of a word to four such pairs.
  Values convertWord(mlir::Value word);
  /// Returns (`value` & `mask`) ^ `bits` as a pair of numbers.
  mlir::Value makeNumbers(mlir::Value value, uint32_t mask, uint32_t bits);

private:
  /// A pair of constants and the zero point, which is added or subtracted.
  mlir::Value makePair(double low, double high, bool subtractsZeroPoint);

  IntegerBuilder &b;
  bool isHalf;
  uint32_t sign; ///< Added to signed elements when their sign is inverted.
  mlir::VectorType pairType;
  mlir::Value zeroPoint;
  int64_t place;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDPAIRS_H
