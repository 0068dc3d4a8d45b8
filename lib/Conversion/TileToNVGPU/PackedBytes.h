//===- PackedBytes.h - FP8 of 4-bit elements --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDBYTES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDBYTES_H

#include "LoweringContext.h"
#include "tcgemm/Target/ScalarType.h"

namespace tcgemm {

/// Converts elements of 4 bits to e4m3, which represents each of their values.
class PackedBytes {
public:
  /// `from` is I4 or U4.
  PackedBytes(IntegerBuilder &b, ScalarType from);

  /// Converts the four elements in the lower half of the i32 `bits`, to an i32
  /// with their e4m3 in the same order. The upper half may be anything.
  mlir::Value convert(mlir::Value bits);
  /// Converts the eight elements of an i32 to two of these.
  Values convertWord(mlir::Value word);

private:
  /// Looks up four elements whose highest bit is clear; others become 0.
  mlir::Value lookUp(llvm::ArrayRef<uint8_t> table, mlir::Value bits);

  IntegerBuilder &b;
  /// The numbers of elements without their highest bit, and those of the other
  /// ones divided by `factor`. No highest bit of a byte is set.
  std::array<uint8_t, 8> low, high;
  int64_t factor;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDBYTES_H
