//===- ScalesCopies.h - Scales by way of shared memory ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_SCALESCOPIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_SCALESCOPIES_H

#include "LoweringContext.h"

namespace tcgemm {

/// Lowers copies of scales to shared memory. A warp reads only what its own
/// lanes have copied, so that warps do not wait for each other.
class ScalesCopies : public Lowering {
public:
  using Lowering::Lowering;
  void lower(ScalesCreateOp op);
  void lower(ScalesFetchOp op);
  void lower(ScalesCommitOp op);
  void lower(ScalesReadOp op);

private:
  void copy(ScalesFetchOp op, mlir::Value slot, mlir::Value element);
  /// The address of the slot of `block` in the running warp's part.
  mlir::Value getSlot(mlir::Value buffer, mlir::Value block);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_SCALESCOPIES_H
