//===- DotEmitter.h - The frame of dot products -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTEMITTER_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTEMITTER_H

#include "DotRows.h"

namespace tcgemm {

/// Multiplies the rows that acc.dot names. Derived classes differ in what
/// multiplies.
class DotEmitter : public DotRows {
public:
  DotEmitter(LoweringContext &c, AccDotOp op, const DotLanes &lanes)
      : DotRows(c, op, lanes), unroll(op.getUnroll()) {}
  virtual ~DotEmitter() = default;
  /// The thread's elements of the result, of which threads beyond have the
  /// last.
  Values emit();

protected:
  using Sums = llvm::MutableArrayRef<mlir::Value>;
  /// The thread's sums of the products of all rows.
  virtual Values multiplyRows() = 0;
  /// Stores the sums of the warp in `memory`, from `first` on: those of a row
  /// of the small operand side by side.
  virtual void storeSums(mlir::Value memory, mlir::Value first,
                         llvm::ArrayRef<mlir::Value> sums) = 0;
  /// Takes the addresses from what a loop carries; returns the others.
  Values adopt(mlir::ValueRange carried);

  int64_t unroll; // vectors of a lane and row in a trip

private:
  Values sumOverWarps(llvm::ArrayRef<mlir::Value> totals);
};

/// Multiplies in threads, in the type of the sums.
std::unique_ptr<DotEmitter> createThreadDots(LoweringContext &c, AccDotOp op);
/// The same of a `many` whose rows are neighbours.
std::unique_ptr<DotEmitter> createColumnDots(LoweringContext &c, AccDotOp op);
/// Multiplies in tensor cores, by mma.sync.
std::unique_ptr<DotEmitter> createTensorDots(LoweringContext &c, AccDotOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTEMITTER_H
