//===- WmmaAccumulator.h - Accumulators of wmma -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMAACCUMULATOR_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMAACCUMULATOR_H

#include "Accumulator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tcgemm {

/// Matrices of wmma, one for each instruction: !gpu.mma_matrix, or what a
/// derived class has for elements that it cannot hold. Which thread holds which
/// element is not known.
class WmmaAccumulator : public Accumulator {
public:
  WmmaAccumulator(LoweringContext &c, AccLayout layout)
      : Accumulator(c), shape(*getWmmaShape(layout)) {}
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  llvm::SmallVector<mlir::Type> expand(FragmentType type) override;
  void lower(AccZeroOp op) override;
  void lower(FragmentLoadOp op) override;
  void lower(MmaOp op) override;
  void lower(FragmentFetchOp op) override;
  void lower(AccStageOp op) override;
  AccView view(EpilogueOp op, bool withValues) override;
  void store(EpilogueOp op) override;
  LaneBits getLaneBits(EpilogueOp) const override {
    unsigned columns = shape.n / 2 - 1;
    return {31 & ~columns, columns};
  }

protected:
  /// The type of one instruction's sums, and of its A or B.
  virtual mlir::Type getSumsType(mlir::Type element) const;
  virtual mlir::Type getOperandType(FragmentType fragment) const;
  virtual mlir::Value createZeros(mlir::Type element);
  /// Loads A or B of one instruction from element `index` (i32) plus `constant`
  /// of the ring's memory, whose rows are `pitch` elements apart.
  virtual mlir::Value loadShared(FragmentLoadOp op, mlir::Value index,
                                 int64_t constant, int64_t pitch);
  /// The same from global memory. `pitch` is an i32.
  virtual mlir::Value loadGlobal(FragmentFetchOp op, mlir::Value address,
                                 mlir::Value pitch);
  virtual mlir::Value multiply(MmaOp op, mlir::Value row, mlir::Value column,
                               mlir::Value sums);
  /// The registers of a matrix of sums.
  virtual Values getRegisters(mlir::Value sums);
  /// Stores registers as a matrix of f32 or i32 with rows `pitch` (i32)
  /// elements apart.
  virtual void storeRegisters(mlir::ValueRange registers, mlir::Value address,
                              mlir::Value pitch);
  /// Returns whether `gpu` has an operation that stores sums.
  virtual bool storesByGpu() const { return shape.k == 16; }

  WmmaShape shape;

private:
  int64_t getUnit(FragmentType fragment) const;
  mlir::gpu::MMAMatrixType getMatrixType(FragmentType fragment) const;
  mlir::Value roundMatrix(mlir::Operation *op, FragmentType fragment,
                          mlir::Value matrix);
  mlir::Value getGlobalAddress(mlir::Value base, mlir::Value index);
  void storeShared(mlir::Value matrix, mlir::Value memory, mlir::Value index,
                   int64_t pitch);
  mlir::Value canStoreMatrices(EpilogueOp op);
  void storeMatrices(EpilogueOp op);
  void storeMatrix(EpilogueOp op, unsigned output, mlir::Value m, mlir::Value n,
                   mlir::ValueRange results);
  void storeByElement(EpilogueOp op, mlir::Value whole);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMAACCUMULATOR_H
