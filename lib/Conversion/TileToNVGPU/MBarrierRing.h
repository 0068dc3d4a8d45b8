//===- MBarrierRing.h - Stages handed over by mbarriers ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_MBARRIERRING_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_MBARRIERRING_H

#include "Ring.h"

namespace tcgemm {

class MBarrierRing : public Ring {
public:
  using Ring::Ring;
  void lower(RingCreateOp op) override;
  void lower(RingStartOp op) override;
  void lower(RingAdvanceOp op) override;
  void lower(RingAcquireOp op) override;
  void lower(RingCommitOp op) override;
  void lower(RingWaitOp op) override;
  void lower(RingReleaseOp op) override;
  void lower(RingEmptyGroupOp op);
  void lower(RingPublishOp op);
  void lower(RingAwaitReleasesOp op);

private:
  std::pair<mlir::Value, mlir::Value>
  advanceByOne(mlir::Value stage, mlir::Value phase, int64_t stages);
  mlir::Value countBytes(RingAcquireOp op);
  mlir::Value findSetBit(mlir::Value number, uint64_t mask);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_MBARRIERRING_H
