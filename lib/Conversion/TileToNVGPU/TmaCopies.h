//===- TmaCopies.h - Copies by TMA ------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_TMACOPIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_TMACOPIES_H

#include "LoweringContext.h"

namespace tcgemm {

class TmaCopies : public Lowering {
public:
  using Lowering::Lowering;
  void lower(TmaLoadOp op);
  void lower(TmaAwaitOp op);

private:
  mlir::Value createReceiverMask(TmaLoadOp op);
  mlir::Value createTarget(TmaLoadOp op);
  llvm::SmallVector<mlir::Value> createOffsets(TmaLoadOp op);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_TMACOPIES_H
