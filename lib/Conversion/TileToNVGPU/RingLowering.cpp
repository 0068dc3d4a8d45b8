//===- RingLowering.cpp - Chooses the implementation of a ring ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpAsyncRing.h"
#include "Families.h"
#include "MBarrierRing.h"
#include "StageMasks.h"

using namespace mlir;
using namespace tcgemm;

std::unique_ptr<Ring> tcgemm::createRing(LoweringContext &c,
                                         TypedValue<RingType> ring) {
  if (hasBarriers(ring))
    return std::make_unique<MBarrierRing>(c);
  return std::make_unique<CpAsyncRing>(c);
}

namespace {
class RingLowering : public Lowering {
public:
  using Lowering::Lowering;
  template <typename Op> auto lower(Op op) {
    return createRing(c, op.getRing())->lower(op);
  }
};
} // namespace

void tcgemm::populateRingPatterns(LoweringContext &c,
                                  RewritePatternSet &patterns) {
  addFamily<RingLowering, RingCreateOp, RingStartOp, RingAdvanceOp,
            RingAcquireOp, RingCommitOp, RingWaitOp, RingReleaseOp>(c,
                                                                    patterns);
  addFamily<MBarrierRing, RingEmptyGroupOp, RingPublishOp, RingAwaitReleasesOp>(
      c, patterns);
  addFamily<CpAsyncRing, RingDrainOp>(c, patterns);
  addFamily<StageMasks, RingMaskOp, RingTrimOp>(c, patterns);
}
