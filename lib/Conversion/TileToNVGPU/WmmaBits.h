//===- WmmaBits.h - Accumulators of wmma for bits ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMABITS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMABITS_H

#include "WmmaAccumulator.h"

namespace tcgemm {

/// Matrices of wmma.m8n8k128, whose elements have one bit: an i32 for A or B,
/// and a vector of two i32 for sums. !gpu.mma_matrix and NVVM have no such
/// matrices.
class WmmaBits : public WmmaAccumulator {
public:
  using WmmaAccumulator::WmmaAccumulator;

protected:
  mlir::Type getSumsType(mlir::Type element) const override;
  mlir::Type getOperandType(FragmentType fragment) const override;
  mlir::Value createZeros(mlir::Type element) override;
  mlir::Value loadShared(FragmentLoadOp op, mlir::Value index, int64_t constant,
                         int64_t pitch) override;
  mlir::Value loadGlobal(FragmentFetchOp op, mlir::Value address,
                         mlir::Value pitch) override;
  mlir::Value multiply(MmaOp op, mlir::Value row, mlir::Value column,
                       mlir::Value sums) override;
  Values getRegisters(mlir::Value sums) override;
  void storeRegisters(mlir::ValueRange registers, mlir::Value address,
                      mlir::Value pitch) override;
  bool storesByGpu() const override { return false; }

private:
  mlir::Value load(FragmentType fragment, mlir::Value address,
                   mlir::Value pitch);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMABITS_H
