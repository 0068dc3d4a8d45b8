//===- CpAsyncRing.cpp - Stages handed over by groups of copies -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpAsyncRing.h"
#include "EpilogueLowering.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tcgemm;

void CpAsyncRing::lower(RingCreateOp op) {
  RingType ring = op.getRing().getType();
  set(op.getRing(),
      createSharedView(b, getStagesType(b, ring).getElementType(),
                       ring.getStages() * getStageElements(ring)));
}

void CpAsyncRing::lower(RingStartOp op) {
  RingType ring = op.getRing().getType();
  int64_t stage = op.getOffset() % ring.getStages();
  set(op.getState(), b.i32(stage * getStageElements(ring)));
}

void CpAsyncRing::lower(RingAdvanceOp op) {
  RingType ring = op.getRing().getType();
  Value next = b.add(one(op.getState()), getStageElements(ring));
  Value end = b.i32(ring.getStages() * getStageElements(ring));
  Value wraps = b.equal(next, end);
  set(op.getNext(), b.select(wraps, b.i32(0), next));
}

/// The barrier of the last ring.wait has freed the stage, if there are several.
void CpAsyncRing::lower(RingAcquireOp op) {
  if (op.getRing().getType().waitsForReaders())
    b.create<gpu::BarrierOp>();
  set(op.getToken(), {});
}

/// The barrier of the next ring.wait frees the stage.
void CpAsyncRing::lower(RingReleaseOp) {}

/// A group of all copies since the last one. They may be under a predicate, so
/// their tokens are not at hand; an empty list would not round-trip.
Value CpAsyncRing::createGroup() {
  auto type = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  Value any = b.create<ub::PoisonOp>(type);
  return b.create<nvgpu::DeviceAsyncCreateGroupOp>(type, any);
}

void CpAsyncRing::lower(RingCommitOp op) {
  if (analysis.copiesThroughRegisters())
    set(op.getInFlight(), {});
  else
    set(op.getInFlight(), createGroup());
}

void CpAsyncRing::lower(RingWaitOp op) {
  for (EpilogueOp epilogue : analysis.getEarlyEpilogues(op))
    loadEarlyInputs(c, epilogue);
  set(op.getToken(), {});
  if (!analysis.copiesThroughRegisters())
    b.create<nvgpu::DeviceAsyncWaitOp>(
        one(op.getInFlight()),
        b.getI32IntegerAttr(static_cast<int32_t>(op.getPending())));
  b.create<gpu::BarrierOp>();
}

void CpAsyncRing::lower(RingDrainOp op) {
  if (!op.getLanded() && !analysis.copiesThroughRegisters())
    b.create<nvgpu::DeviceAsyncWaitOp>(createGroup(), b.getI32IntegerAttr(0));
  if (!op.getOrdered())
    b.create<gpu::BarrierOp>();
}
