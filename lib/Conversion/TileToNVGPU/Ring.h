//===- Ring.h - Rings of stages in shared memory ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_RING_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_RING_H

#include "LoweringContext.h"

namespace tcgemm {

/// A ring's stages are handed over either by groups of cp.async and the CTA's
/// barrier, or by mbarriers. The state of the first is the offset of a stage,
/// in elements; that of the second is the number of the stage and the parity of
/// its phase.
class Ring : public Lowering {
public:
  using Lowering::Lowering;
  virtual ~Ring() = default;

  virtual void lower(RingCreateOp op) = 0;
  virtual void lower(RingStartOp op) = 0;
  virtual void lower(RingAdvanceOp op) = 0;
  virtual void lower(RingAcquireOp op) = 0;
  virtual void lower(RingCommitOp op) = 0;
  virtual void lower(RingWaitOp op) = 0;
  virtual void lower(RingReleaseOp op) = 0;
};

/// The implementation for a ring.
std::unique_ptr<Ring> createRing(LoweringContext &c,
                                 mlir::TypedValue<RingType> ring);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_RING_H
