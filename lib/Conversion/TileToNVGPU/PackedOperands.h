//===- PackedOperands.h - Products with operands of 4 bits ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of 4 bits stays packed in memory and in its fragments. A lane
// reads whole words of it, so that it has more neighbours along k than one
// instruction takes from a lane. The sum over k may have any order: the
// partner's lane reads the same k, and two instructions multiply a fragment.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDOPERANDS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDOPERANDS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Returns whether each of four lanes holds a quarter of a row's elements,
/// which are neighbours along k, for two instructions.
bool holdsRuns(FragmentType type);
/// The type of the registers of 16 rows: of elements with 4 bits, an integer
/// for each 8 rows; of others, the 8 registers of both instructions.
mlir::VectorType getRunVector(FragmentType type);

/// Loads a fragment of runs.
Values loadRuns(LoweringContext &c, FragmentLoadOp op);

/// Converts the registers of 16 rows of 4-bit elements to those of f16, bf16,
/// i8 or e4m3. No value changes, but for the zero points, which are subtracted:
/// i32, of the lane's row of each 8, or none.
mlir::Value convertRuns(IntegerBuilder &b, FragmentType type, ScalarType to,
                        mlir::Value packed,
                        llvm::ArrayRef<mlir::Value> zeroPoints);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_PACKEDOPERANDS_H
