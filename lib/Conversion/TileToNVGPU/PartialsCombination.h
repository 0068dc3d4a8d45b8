//===- PartialsCombination.h - Combines partial results ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_PARTIALSCOMBINATION_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_PARTIALSCOMBINATION_H

#include "Combiners.h"
#include "LoweringContext.h"

namespace tcgemm {

/// Combines the partial results of reductions: in registers, then in shared
/// memory.
class PartialsCombination : public Lowering {
public:
  using Lowering::Lowering;
  void lower(PartialsCombineOp op);

private:
  mlir::Value combineOwn(PartialsCombineOp op, mlir::Value lane,
                         mlir::Value group, mlir::Value count);
  mlir::Value combineThreads(mlir::Value own, mlir::Value memory);
  mlir::Value combineGroups(mlir::Value own, mlir::Value memory, int64_t lanes);

  std::unique_ptr<States> states; ///< Of the operation's combiner.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_PARTIALSCOMBINATION_H
