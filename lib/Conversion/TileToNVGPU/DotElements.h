//===- DotElements.h - The elements of dot products -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTELEMENTS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTELEMENTS_H

#include "LoweringContext.h"
#include "tcgemm/Target/ScalarType.h"

namespace tcgemm {

/// Appends what a thread multiplies of `words`, which are registers of i32, or
/// one of i16 that holds a single element or byte: elements in the type of the
/// sums, or for sums of i32 the words themselves. `zeroPoint` (f32, or none) is
/// subtracted from elements of 4 bits.
Values widenElements(IntegerBuilder &b, ScalarType type, mlir::Type sum,
                     mlir::ValueRange words, mlir::Value zeroPoint = {});

/// `sum` + x · y of what widenElements gives; without `sum` the product.
mlir::Value multiplyAddElements(IntegerBuilder &b, ScalarType typeX,
                                ScalarType typeY, mlir::Value x, mlir::Value y,
                                mlir::Value sum);

/// x + y of sums.
mlir::Value addSums(IntegerBuilder &b, mlir::Value x, mlir::Value y);

/// `sum` of the lane whose number differs by `distance`, a power of two.
mlir::Value exchangeSums(IntegerBuilder &b, mlir::Value sum, int32_t distance);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTELEMENTS_H
