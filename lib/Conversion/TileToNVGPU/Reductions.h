//===- Reductions.h - Sums over warps and over memory -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_REDUCTIONS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_REDUCTIONS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Sums over the warps of a CTA and over memory.
class Reductions : public Lowering {
public:
  using Lowering::Lowering;
  void lower(AccReduceOp op);
  void lower(AccGatherOp op);
  void lower(AccUnstageOp op);

private:
  template <typename Sum> Values addParts(AccReduceOp op);
};

/// Adds two elements of an accumulator.
mlir::Value addElements(IntegerBuilder &b, mlir::Value x, mlir::Value y);
/// Adds the four elements at `address` in shared memory to `sums`.
void addQuad(IntegerBuilder &b, llvm::MutableArrayRef<mlir::Value> sums,
             mlir::Value address);
/// Adds two elements of an accumulator in the program's algebra.
mlir::Value addSums(LoweringContext &c, mlir::Value x, mlir::Value y);
/// The value that accumulators of the program start with.
mlir::Value getInitialSum(LoweringContext &c, mlir::Type type);

/// One of several lists of values, chosen at run time: registers cannot be
/// indexed, so it is copied. `number` (i32) counts from `first` on.
Values selectSlice(IntegerBuilder &b, llvm::ArrayRef<Values> slices,
                   mlir::Value number, int64_t first = 0);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_REDUCTIONS_H
