//===- DotThreads.h - Dot products in threads -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTTHREADS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTTHREADS_H

#include "DotElements.h"
#include "DotEmitter.h"

namespace tcgemm {

/// All lanes of a warp read the same rows, each another vector along k. A
/// thread has a sum for each pair of rows.
class ThreadDots : public DotEmitter {
public:
  ThreadDots(LoweringContext &c, AccDotOp op, const DotLanes &lanes)
      : DotEmitter(c, op, lanes) {}

protected:
  void storeSums(mlir::Value memory, mlir::Value first,
                 llvm::ArrayRef<mlir::Value> sums) override;
  /// The sums of a thread.
  virtual int64_t countSums() { return int64_t(op.getRows()) * groupRows; }
  /// Adds the products of the next `count` vectors of each row to `sums`; with
  /// `left` (i32) only of the elements below that many from the lane's first
  /// one on. `start` (i32) is the position of the lane's next vector along k.
  virtual Values multiplyVectors(int64_t count, mlir::Value start,
                                 mlir::Value left,
                                 llvm::ArrayRef<mlir::Value> sums);
  /// The elements of words, as multiplyAddElements takes them.
  Values widen(Side side, mlir::ValueRange words, mlir::Value zeroPoint = {}) {
    return widenElements(b, sides[side].type, sumType, words, zeroPoint);
  }

private:
  Values multiplyRows() override;
  mlir::Value multiplyWholeTrips(Values &sums);
  mlir::Value getPosition(mlir::Value trip);
  Values multiplyRest(mlir::Value trips, mlir::Value rest,
                      llvm::ArrayRef<mlir::Value> sums);
  Values multiplyElements(mlir::Value rest, llvm::ArrayRef<mlir::Value> sums);
  Values loadUnit(Side side, mlir::Value address, mlir::Value left);
  void addProducts(llvm::ArrayRef<Values> ofFew, llvm::ArrayRef<Values> ofMany,
                   llvm::ArrayRef<mlir::Value> ownScales, Sums sums);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTTHREADS_H
