//===- AccumulatorLayouts.h - The layouts of accumulators -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATORLAYOUTS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATORLAYOUTS_H

#include "Accumulator.h"

namespace tcgemm {

/// Registers of mma.sync. Lane l holds rows l/4 and l/4 + 8 of every 16,
/// columns 2(l mod 4) and the next of every 8.
class MmaSyncAccumulator : public Accumulator {
public:
  using Accumulator::Accumulator;
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  llvm::SmallVector<mlir::Type> expand(FragmentType type) override;
  using Accumulator::lower;
  void lower(FragmentLoadOp op) override;
  void lower(MmaOp op) override;
  AccView view(EpilogueOp op, bool withValues) override;
  SliceGrid cut(EpilogueOp op, const AccView &view) override;
  bool storesThroughStaging() const override { return true; }
};

/// Registers of wgmma. Warp w of the warpgroup holds rows 16w to 16w + 15 of
/// each block of 64; in them, lane l rows l/4 and l/4 + 8, columns 2(l mod 4)
/// and the next of every 8.
class WgmmaAccumulator : public Accumulator {
public:
  using Accumulator::Accumulator;
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  AccView view(EpilogueOp op, bool withValues) override;
  SliceGrid cut(EpilogueOp op, const AccView &view) override;
  AccView prepareSums(EpilogueOp op, AccView view) override;
  void finishResults(EpilogueOp op, size_t columns,
                     llvm::MutableArrayRef<mlir::Value> results) override;
  bool storesInLoop() const override { return true; }
};

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
  void lower(FragmentFetchOp op);
  void lower(AccStageOp op);
  AccView view(EpilogueOp op, bool withValues) override;
  void store(EpilogueOp op) override;

private:
  int64_t getUnit(FragmentType fragment) const;
  mlir::gpu::MMAMatrixType getMatrixType(FragmentType fragment) const;
  mlir::Value getGlobalAddress(mlir::Value base, mlir::Value index);
  mlir::Value canStoreMatrices(EpilogueOp op);
  void storeMatrices(EpilogueOp op);
  void storeMatrix(EpilogueOp op, unsigned output, mlir::Value m, mlir::Value n,
                   mlir::ValueRange results);
  void storeByElement(EpilogueOp op, mlir::Value whole);

  WmmaShape shape;
};

/// Scalars of products by one thread. Its rows and columns are runs of
/// neighbours.
class SimtAccumulator : public Accumulator {
public:
  using Accumulator::Accumulator;
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  llvm::SmallVector<mlir::Type> expand(FragmentType type) override;
  using Accumulator::lower;
  void lower(FragmentLoadOp op) override;
  void lower(MmaOp op) override;
  AccView view(EpilogueOp op, bool withValues) override;
};

/// Neighbours in a row, as they come from sums in memory and dot products.
class RowAccumulator : public Accumulator {
public:
  using Accumulator::Accumulator;
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  AccView view(EpilogueOp op, bool withValues) override;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATORLAYOUTS_H
