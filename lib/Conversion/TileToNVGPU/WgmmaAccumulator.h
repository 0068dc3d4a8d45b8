//===- WgmmaAccumulator.h - Accumulators of wgmma ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAACCUMULATOR_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAACCUMULATOR_H

#include "Accumulator.h"

namespace tcgemm {

/// Registers of wgmma. Warp w of the warpgroup holds rows 16w to 16w + 15 of
/// each block of 64; in them, lane l rows l/4 and l/4 + 8, columns 2(l mod 4)
/// and the next of every 8.
class WgmmaAccumulator : public Accumulator {
public:
  using Accumulator::Accumulator;
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  llvm::SmallVector<mlir::Type> expand(FragmentType type) override;
  void lower(FragmentLoadOp op) override;
  using Accumulator::lower;
  AccView view(EpilogueOp op, bool withValues) override;
  SliceGrid cut(EpilogueOp op, const AccView &view) override;
  AccView prepareSums(EpilogueOp op, AccView view) override;
  void finishResults(EpilogueOp op, size_t columns,
                     llvm::MutableArrayRef<mlir::Value> results) override;
  bool storesInLoop() const override { return true; }
  LaneBits getLaneBits(EpilogueOp op) const override {
    if (op.getTransposed())
      return {0b11, 0b11100};
    return {0b11100, 0b11};
  }
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAACCUMULATOR_H
