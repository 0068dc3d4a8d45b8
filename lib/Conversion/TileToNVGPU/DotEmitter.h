//===- DotEmitter.h - The loop over k of dot products -----------*- C++ -*-===//
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
  /// The thread's element of the result, of which threads beyond have the last.
  mlir::Value emit();

protected:
  using Sums = llvm::MutableArrayRef<mlir::Value>;
  /// The registers of a thread's sums.
  virtual int64_t countSums() = 0;
  /// The number of the lanes' vector that decides on the group of their scales.
  virtual mlir::Value getGroupNumber() = 0;
  /// Adds the products of a vector to `sums`. `ofMany` has the words of the
  /// lane's rows of the large operand; those of the small one are loaded.
  virtual void multiplyVector(int64_t vector, mlir::Value left,
                              llvm::ArrayRef<Values> ofMany,
                              llvm::ArrayRef<mlir::Value> ownScales,
                              llvm::ArrayRef<mlir::Value> ownZeros,
                              Sums sums) = 0;
  /// Adds the products of the last elements, fewer than a vector. `rest` (i32)
  /// are those that no whole trip had.
  virtual Values multiplyElements(mlir::Value rest,
                                  llvm::ArrayRef<mlir::Value> sums) = 0;
  /// Stores the sums of the warp in `memory`, from `first` on: those of a row
  /// of the small operand side by side.
  virtual void storeSums(mlir::Value memory, mlir::Value first,
                         llvm::ArrayRef<mlir::Value> sums) = 0;

private:
  Values adopt(mlir::ValueRange carried);
  Values multiplyVectors(int64_t count, mlir::Value start, mlir::Value rest,
                         llvm::ArrayRef<mlir::Value> sums);
  mlir::Value multiplyWholeTrips(Values &sums);
  mlir::Value getPosition(mlir::Value trip);
  Values multiplyRest(mlir::Value trips, mlir::Value rest,
                      llvm::ArrayRef<mlir::Value> sums);
  mlir::Value sumOverWarps(llvm::ArrayRef<mlir::Value> totals);

  int64_t unroll; // vectors of a lane and row in a trip
};

/// Multiplies in threads, in the type of the sums.
std::unique_ptr<DotEmitter> createThreadDots(LoweringContext &c, AccDotOp op);
/// Multiplies in tensor cores, by mma.sync.
std::unique_ptr<DotEmitter> createTensorDots(LoweringContext &c, AccDotOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTEMITTER_H
