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

/// Matrices of wmma, !gpu.mma_matrix, one for each instruction. Which thread
/// holds which element is not known.
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
  void lower(AccStageOp op);
  AccView view(EpilogueOp op, bool withValues) override;
  void store(EpilogueOp op) override;
  LaneBits getLaneBits(EpilogueOp) const override {
    unsigned columns = shape.n / 2 - 1;
    return {31 & ~columns, columns};
  }

private:
  int64_t getUnit(FragmentType fragment) const;
  mlir::gpu::MMAMatrixType getMatrixType(FragmentType fragment) const;
  mlir::Value roundMatrix(mlir::Operation *op, FragmentType fragment,
                          mlir::Value matrix);
  mlir::Value getGlobalAddress(mlir::Value base, mlir::Value index);
  void storeShared(mlir::Value matrix, mlir::Value memory, mlir::Value index,
                   int64_t pitch);
  void storeRegisters(mlir::ValueRange registers, mlir::Value address,
                      mlir::Value pitch);
  mlir::Value canStoreMatrices(EpilogueOp op);
  void storeMatrices(EpilogueOp op);
  void storeMatrix(EpilogueOp op, unsigned output, mlir::Value m, mlir::Value n,
                   mlir::ValueRange results);
  void storeByElement(EpilogueOp op, mlir::Value whole);

  WmmaShape shape;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMAACCUMULATOR_H
