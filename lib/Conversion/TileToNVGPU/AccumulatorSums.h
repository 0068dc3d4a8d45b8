//===- AccumulatorSums.h - Sums of accumulators -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATORSUMS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATORSUMS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Lowers sums of accumulators in registers, and loads of their scales and of
/// zero points.
class AccumulatorSums : public Lowering {
public:
  using Lowering::Lowering;
  void lower(AccAddOp op);
  void lower(AccExtendOp op);
  void lower(AccScaleOp op);
  void lower(AccSplitOp op);
  void lower(ScalesLoadOp op);
  void lower(ZeroPointsLoadOp op);

private:
  Values getFactors(AccAddOp op);
  Values addScaled(AccAddOp op);
  Values addScaledFragments(AccAddOp op);
  template <typename Op>
  Values loadValues(Op op, int64_t count,
                    llvm::function_ref<mlir::Value(int64_t)> getNumber);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATORSUMS_H
