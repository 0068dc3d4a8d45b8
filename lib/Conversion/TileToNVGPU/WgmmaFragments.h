//===- WgmmaFragments.h - A of wgmma in registers ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A narrow operand stays narrow in shared memory. A warpgroup loads 16 bytes of
// each row at a time and converts them to the elements of A that wgmma takes
// from registers. The other operand has a descriptor, so that the order
// of k cannot change: the four lanes of a row load the same bytes, and each
// selects its own.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAFRAGMENTS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAFRAGMENTS_H

#include "LoweringContext.h"

namespace tcgemm {

class WgmmaFragments : public Lowering {
public:
  using Lowering::Lowering;
  /// The registers, all i32, 64 rows after the other. Of rows of 16 bytes, a
  /// lane has all of each of its two rows. Of longer rows, it has the four
  /// registers of one instruction after the other.
  llvm::SmallVector<mlir::Type> expand(FragmentType type);
  void lower(FragmentLoadOp op);
  void lower(FragmentConvertOp op);

private:
  Values loadPieces(FragmentLoadOp op);
  Values loadMatrices(FragmentLoadOp op);
  Values loadTransposed(FragmentLoadOp op);
  /// The offset in shared memory of chunk `chunk` of a row of the tile, without
  /// the constant that getConstant gives.
  mlir::Value getPlace(FragmentLoadOp op, mlir::Value row, mlir::Value chunk);
  /// The same of one of the lane's rows, at the step.
  mlir::Value getOffset(FragmentLoadOp op, mlir::Value row, mlir::Value chunk,
                        int64_t stepBytes);
  int64_t getConstant(FragmentLoadOp op);
  /// Loads the registers of one instruction by ldmatrix: eight lanes have the
  /// rows of one 8 x 8 matrix each, at `offset` and a constant, in the order
  /// (m, k), (m + 8, k), (m, k + 8), (m + 8, k + 8).
  Values loadMatrix(mlir::Value offset, int64_t constant, bool isTransposed);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAFRAGMENTS_H
