//===- MmaSyncAccumulator.h - Accumulators of mma.sync ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_MMASYNCACCUMULATOR_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_MMASYNCACCUMULATOR_H

#include "Accumulator.h"

namespace tcgemm {

/// Returns whether each register of a fragment holds one element, and lanes
/// load these by plain loads. ldmatrix has no form for 64 bits.
bool holdsElements(FragmentType type);
/// Loads a fragment of such registers from shared memory.
Values loadElements(LoweringContext &c, FragmentLoadOp op);

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
  LaneBits getLaneBits(EpilogueOp) const override { return {0b11100, 0b11}; }

private:
  mlir::Value getIndexAlongK(FragmentType type, size_t number,
                             llvm::ArrayRef<int64_t> position) override;
  Values getRegisters(mlir::Value operand);
  Values multiply(const MatrixInstruction &instruction,
                  llvm::ArrayRef<mlir::Value> a,
                  llvm::ArrayRef<mlir::Value> columns,
                  llvm::ArrayRef<mlir::Value> sums);
  mlir::Value multiplyBlock(const MatrixInstruction &instruction, mlir::Value a,
                            mlir::Value columns, mlir::Value sum);
  mlir::Value multiplyAdd(const MatrixInstruction &instruction, int64_t depth,
                          mlir::Value row, mlir::Value column, mlir::Value sum);
  /// The vectors of an operand, rounded or converted if its type asks for that.
  Values prepare(MmaOp op, mlir::TypedValue<FragmentType> operand);
  Values splitColumns(MmaOp op, llvm::ArrayRef<mlir::Value> matrices);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_MMASYNCACCUMULATOR_H
