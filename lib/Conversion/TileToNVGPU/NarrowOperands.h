//===- NarrowOperands.h - Operands of 8 bits as 16 bits ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of 8 bits whose partner has 16 bits stays narrow in memory and in
// its fragments. It is converted where it is multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_NARROWOPERANDS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_NARROWOPERANDS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Returns whether a lane holds pairs of neighbours along k, of 8 bits each, at
/// the positions of elements with 16 bits.
bool holdsPairs(FragmentType type);

/// Loads a fragment of pairs: for each 16 rows, a vector of four pairs as i16.
Values loadPairs(LoweringContext &c, FragmentLoadOp op);

/// Converts a vector of pairs to f16 or bf16. No value changes.
mlir::Value convertPairs(IntegerBuilder &b, ScalarType from, ScalarType to,
                         mlir::Value pairs);
/// Converts two elements of FP8, in an i16, to a vector of f16.
mlir::Value convertFP8ToHalves(IntegerBuilder &b, ScalarType from,
                               mlir::Value pair);

/// Converts a pair of FP8, an i16, to a vector of f16 or bf16.
mlir::Value convertFP8Pair(IntegerBuilder &b, ScalarType from, ScalarType to,
                           mlir::Value pair);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_NARROWOPERANDS_H
