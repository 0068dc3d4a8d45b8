//===- NarrowOperands.h - Operands that are converted -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand with fewer bits than the instruction multiplies stays narrow in
// memory and in its fragments. It is converted where it is multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_NARROWOPERANDS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_NARROWOPERANDS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Returns whether a lane holds pieces of less than 32 bits, which become the
/// 32 bits of a register when they are converted.
bool holdsPieces(FragmentType type);
/// The integer type of a piece: i8 or i16.
mlir::Type getPieceType(FragmentType type);

/// Loads a fragment of pieces: for each 16 rows, a vector of four pieces.
Values loadPieces(LoweringContext &c, FragmentLoadOp op);

/// Converts a vector of pieces to f16, bf16 or i8. No value changes.
mlir::Value convertPieces(IntegerBuilder &b, ScalarType from, ScalarType to,
                          mlir::Value pieces);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_NARROWOPERANDS_H
