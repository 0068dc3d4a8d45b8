//===- WgmmaConversion.h - Narrow elements as A of wgmma --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMACONVERSION_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMACONVERSION_H

#include "IntegerPairs.h"
#include "PackedBytes.h"

namespace tcgemm {

/// Converts the elements of a row that one lane multiplies: of neighbours along
/// k that have 16 bytes when they are converted, a quarter. Numbers of bf16
/// have the unit of getProductExponent, and zero points are subtracted from
/// elements of 4 bits.
class WgmmaConversion {
public:
  /// From 4 or 8 bits to f16 or bf16, or from 4 bits to e4m3; `lane` is the
  /// lane's number in its row. `zeroPoint` is that of IntegerPairs; e4m3
  /// has none.
  WgmmaConversion(IntegerBuilder &b, ScalarType from, ScalarType to,
                  mlir::Value lane, mlir::Value zeroPoint = {});

  /// Returns the lane's elements of neighbours number `group`, as an i32.
  /// `words` are the row's 16 bytes; of interleaved elements, the lane's word.
  mlir::Value convert(llvm::ArrayRef<mlir::Value> words, int64_t group);

private:
  /// Returns the bits of two bytes as the lowest ones of two halves; if a side
  /// is FP8, as those of the lower half. The other bits are undefined.
  mlir::Value select(llvm::ArrayRef<mlir::Value> words, int64_t group);

  IntegerBuilder &b;
  ScalarType from, to;
  mlir::Value selector;
  IntegerPairs pairs;
  std::optional<PackedBytes> bytes;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMACONVERSION_H
