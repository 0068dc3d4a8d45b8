//===- EpilogueSlices.h - Epilogues, slice by slice -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUESLICES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUESLICES_H

#include "Accumulator.h"
#include "EpilogueInputs.h"

namespace tcgemm {

/// A slice of an accumulator, its number and where it starts (i32); whether it
/// is known to be the last one.
struct Slice {
  AccView view;
  mlir::Value number, row, column;
  bool isLast;
};

/// A warp's or warpgroup's accumulator is evaluated and stored in slices, so
/// that few inputs and results are alive at once. Where the elementwise work is
/// long, a warpgroup evaluates its slices in a loop: unrolled, the code would
/// be larger than the instruction cache, and every instruction of it would be
/// fetched anew for every tile. In a loop, each element of the accumulator
/// takes a selection, because registers have no addresses.
class EpilogueSlices : public Lowering {
public:
  EpilogueSlices(LoweringContext &c, EpilogueOp op)
      : Lowering(c), op(op), inputs(c, op) {}

  /// Stores a slice, of whose elements each output has `results`.
  using StoreSlice =
      llvm::function_ref<void(const Slice &slice, llvm::ArrayRef<Values>)>;
  /// Evaluates the slices of `all` and stores them.
  void store(const AccView &all, const SliceGrid &grid, mlir::Value whole,
             StoreSlice storeSlice);
  /// Reads the inputs of all slices ahead of `store`.
  void loadEarly(const AccView &all, const SliceGrid &grid);

private:
  bool isFasterInLoop();
  void storeUnrolled(llvm::ArrayRef<AccView> views, const SliceGrid &grid,
                     mlir::Value whole, StoreSlice storeSlice);
  void storeInLoop(llvm::ArrayRef<AccView> views, const SliceGrid &grid,
                   mlir::Value whole, bool inPairs, StoreSlice storeSlice);
  Values select(llvm::ArrayRef<AccView> views, Values AccView::*list,
                mlir::Value number);
  mlir::Value getStart(mlir::Value index, llvm::ArrayRef<int64_t> starts,
                       int64_t size);
  Slice getSlice(const AccView &first, const SliceGrid &grid,
                 mlir::Value number);

  EpilogueOp op;
  EpilogueInputs inputs;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUESLICES_H
