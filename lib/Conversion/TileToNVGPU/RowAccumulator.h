//===- RowAccumulator.h - Accumulators of neighbours in a row ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_ROWACCUMULATOR_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_ROWACCUMULATOR_H

#include "Accumulator.h"

namespace tcgemm {

/// Neighbours in a row, as they come from sums in memory and dot products.
class RowAccumulator : public Accumulator {
public:
  using Accumulator::Accumulator;
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  AccView view(EpilogueOp op, bool withValues) override;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ROWACCUMULATOR_H
