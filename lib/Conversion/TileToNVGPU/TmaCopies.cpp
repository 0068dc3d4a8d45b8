//===- TmaCopies.cpp - Copies by TMA --------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TmaCopies.h"
#include "MBarriers.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tcgemm;

/// The CTAs that a copy reaches, bit by rank, i16. `multicast` has a bit for
/// each difference (xor) between this CTA's rank and theirs. These are any
/// combination of some bits, so that the mask moves only by the other ones.
Value TmaCopies::createReceiverMask(TmaLoadOp op) {
  int64_t ctas = analysis.getProgram().getCluster();
  uint64_t multicast = op.getMulticast(), bits = 0;
  for (unsigned rank = 0; rank < 64; ++rank)
    if (multicast >> rank & 1)
      bits |= rank;
  Value mask = b.i32(multicast);
  if (uint64_t(ctas) != uint64_t(llvm::popcount(multicast)))
    mask = b.createOrFold<arith::ShLIOp>(
        mask, b.bitAnd(createClusterRank(b), b.i32(~bits & (ctas - 1))));
  return b.createOrFold<arith::TruncIOp>(b.getI16Type(), mask);
}

/// The address that the copy writes, in the shared memory of the cluster.
Value TmaCopies::createTarget(TmaLoadOp op) {
  RingType ring = op.getRing().getType();
  TileType tile = ring.getTiles()[op.getTile()];
  Value offset = b.mul(one(op.getState()), ring.getStageBytes());
  if (op.getRow())
    offset = b.add(offset, b.mul(one(op.getRow()), tile.getRowBytes()));
  Value target =
      createSharedAddress(c, offset,
                          analysis.getSharedMemory().getStages(op.getRing()) +
                              ring.getTileOffset(op.getTile()));
  // Through an integer: LLVM 22 crashes on the cast of a 32-bit pointer.
  target = b.create<LLVM::PtrToIntOp>(b.getI32Type(), target);
  return b.create<LLVM::IntToPtrOp>(
      LLVM::LLVMPointerType::get(b.getContext(), 7), target);
}

/// The offsets of a window, i16.
SmallVector<Value> TmaCopies::createOffsets(TmaLoadOp op) {
  SmallVector<Value> offsets;
  for (Value offset : c.flatten(op.getOffsets()))
    offsets.push_back(b.createOrFold<arith::TruncIOp>(b.getI16Type(), offset));
  return offsets;
}

void TmaCopies::lower(TmaLoadOp op) {
  Value target = createTarget(op);
  Value mask = op.getMulticast() > 1 ? createReceiverMask(op) : Value();
  OpBuilder::InsertionGuard scope(b);
  enterLeader(c, analysis.getRole(op));
  b.create<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(
      target, createMapAddress(b, one(op.getMap())),
      c.flatten(op.getCoordinates()),
      createBarrierAddress(c, op.getRing(), op.getState(), /*empty=*/false),
      createOffsets(op), mask, /*l2CacheHint=*/Value(),
      op.getOffsets().empty() ? NVVM::TMALoadMode::TILE
                              : NVVM::TMALoadMode::IM2COL,
      /*isCTAOnly=*/false,
      /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

/// Groups are each thread's own; those that stored nothing wait for nothing.
void TmaCopies::lower(TmaAwaitOp) {
  b.create<NVVM::CpAsyncBulkWaitGroupOp>(0, b.getUnitAttr());
}
