//===- MBarrierRing.cpp - Stages handed over by mbarriers -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Consumers wait for the phase of the full barrier with the parity of the
// state. Producers wait for the phase of the empty barrier with the other
// parity, which counts as complete at the start.
//
//===----------------------------------------------------------------------===//

#include "MBarrierRing.h"
#include "ControlFlow.h"
#include "EpilogueLowering.h"
#include "MBarriers.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Dialect/TileCopies.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tcgemm;

/// The stage of a group of copies that has none.
static constexpr int64_t kNoStage = -1;

void MBarrierRing::lower(RingCreateOp op) {
  set(op.getRing(), {});
  initBarriers(c, op);
}

void MBarrierRing::lower(RingStartOp op) {
  int64_t stages = op.getRing().getType().getStages();
  set(op.getState(),
      {b.i32(op.getOffset() % stages), b.i32(op.getOffset() / stages % 2)});
}

/// The stage and phase behind `stage` and `phase` in a ring of `stages`.
std::pair<Value, Value> MBarrierRing::advanceByOne(Value stage, Value phase,
                                                   int64_t stages) {
  Value next = b.add(stage, 1);
  Value wraps = b.equal(next, b.i32(stages));
  Value flips = b.extBool(wraps);
  return {b.select(wraps, b.i32(0), next), b.bitXor(phase, flips)};
}

void MBarrierRing::lower(RingAdvanceOp op) {
  int64_t stages = op.getRing().getType().getStages();
  Value stage = all(op.getState())[0], phase = all(op.getState())[1];
  if (!op.getBy()) {
    auto [next, nextPhase] = advanceByOne(stage, phase, stages);
    return set(op.getNext(), {next, nextPhase});
  }
  Value next = b.add(stage, one(op.getBy()));
  Value rounds = b.divU(next, stages);
  set(op.getNext(),
      {b.remU(next, stages), b.bitAnd(b.bitXor(phase, rounds), b.i32(1))});
}

/// The bytes that TMA copies into an acquired stage, i32. Copies whose
/// condition is false bring none.
Value MBarrierRing::countBytes(RingAcquireOp op) {
  ArrayRef<TileType> tiles = op.getRing().getType().getTiles();
  int64_t bytes = 0;
  Value conditional;
  llvm::SmallDenseSet<int64_t> counted;
  for (Operation *user : op.getToken().getUsers()) {
    auto load = dyn_cast<TmaLoadOp>(user);
    if (!load || !counted.insert(load.getTile()).second)
      continue;
    int64_t ofTile = tiles[load.getTile()].getBytes();
    Value condition = getCopyCondition(load);
    if (!condition) {
      bytes += ofTile;
      continue;
    }
    Value added = b.select(one(condition), b.i32(ofTile), b.i32(0));
    conditional = conditional ? b.add(conditional, added) : added;
  }
  return conditional ? b.add(conditional, bytes) : b.i32(bytes);
}

void MBarrierRing::lower(RingAcquireOp op) {
  waitForPhase(
      b, createBarrierAddress(c, op.getRing(), op.getState(), /*empty=*/true),
      b.bitXor(all(op.getState())[1], 1));
  set(op.getToken(), one(op.getState()));
  if (!analysis.announcesBytes(op))
    return;
  // The barrier learns of the bytes before the first of them can arrive.
  OpBuilder::InsertionGuard scope(b);
  enterLeader(c, analysis.getRole(op));
  b.create<NVVM::MBarrierArriveExpectTxOp>(
      Type(),
      createBarrierAddress(c, op.getRing(), op.getState(), /*empty=*/false),
      countBytes(op), NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void MBarrierRing::lower(RingCommitOp op) {
  // TMA copies need none: the acquire has announced their bytes.
  if (!op.getInFlight())
    return;
  set(op.getInFlight(), one(op.getToken()));
  if (!analysis.copiesThroughRegisters())
    b.create<NVVM::CpAsyncCommitGroupOp>();
}

void MBarrierRing::lower(RingEmptyGroupOp op) {
  set(op.getToken(), b.i32(kNoStage));
}

void MBarrierRing::lower(RingPublishOp op) {
  if (!analysis.copiesThroughRegisters())
    b.create<NVVM::CpAsyncWaitGroupOp>(op.getPending());
  // Threads write through the generic proxy, products read through the
  // asynchronous one.
  b.create<NVVM::FenceProxyOp>(
      NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  Value hasStage;
  if (llvm::any_of(op.getRing().getUsers(), llvm::IsaPred<RingEmptyGroupOp>))
    hasStage = b.notEqual(one(op.getToken()), b.i32(kNoStage));
  buildIfGiven(b, hasStage, [&] {
    b.create<NVVM::MBarrierArriveOp>(
        Type(),
        createBarrierAddress(c, op.getRing(), op.getToken(), /*empty=*/false),
        Value(), NVVM::MemScopeKind::CTA);
  });
}

/// A stage that was never written counts as released. Each of the next uses,
/// one for each stage, would wait for the release of the last one.
void MBarrierRing::lower(RingAwaitReleasesOp op) {
  int64_t stages = op.getRing().getType().getStages();
  int64_t barriers =
      analysis.getSharedMemory().getBarriers(op.getRing()) + 8 * stages;
  scf::ForOp loop = createRolledLoop(b, stages, all(op.getState()));
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  Value stage = loop.getRegionIterArg(0), phase = loop.getRegionIterArg(1);
  waitForPhase(b, createSharedAddress(c, b.mul(stage, 8), barriers),
               b.bitXor(phase, 1));
  auto [next, nextPhase] = advanceByOne(stage, phase, stages);
  b.create<scf::YieldOp>(ValueRange{next, nextPhase});
}

void MBarrierRing::lower(RingWaitOp op) {
  for (EpilogueOp epilogue : analysis.getEarlyEpilogues(op))
    loadEarlyInputs(c, epilogue);
  set(op.getToken(), one(op.getState()));
  waitForPhase(
      b, createBarrierAddress(c, op.getRing(), op.getState(), /*empty=*/false),
      all(op.getState())[1]);
}

/// The position of the set bit of `mask`, all below 16, that has `number`
/// others below it.
Value MBarrierRing::findSetBit(Value number, uint64_t mask) {
  if (llvm::isMask_64(mask))
    return number;
  // From a list with four bits for each.
  uint64_t list = 0;
  for (unsigned bit = 0, entry = 0; bit < 16; ++bit)
    if (mask >> bit & 1)
      list |= uint64_t(bit) << 4 * entry++;
  Value shifted =
      b.create<arith::ShRUIOp>(b.i64(list), b.ext(b.mul(number, 4)));
  return b.bitAnd(b.create<arith::TruncIOp>(b.getI32Type(), shifted),
                  b.i32(15));
}

void MBarrierRing::lower(RingReleaseOp op) {
  int64_t mask = std::max<int64_t>(1, op.getMulticast());
  int64_t count = llvm::popcount(uint64_t(mask));
  int64_t threads = 32 * analysis.getRole(op).getNumWarps();
  int64_t perArrival = threads / int64_t(op.getArrivals());
  Value number = b.remU(getThreadInRole(c, op), perArrival);
  Value barrier =
      createBarrierAddress(c, op.getRing(), op.getToken(), /*empty=*/true);
  buildIf(b, b.lessU(number, b.i32(count)), [&] {
    // One thread for each CTA. The scope is the CTA's also where the barrier is
    // another's: a wider one would cost a fence of the whole GPU.
    if (count > 1)
      barrier = b.create<NVVM::MapaOp>(
          LLVM::LLVMPointerType::get(b.getContext(), 7), barrier,
          b.bitXor(createClusterRank(b), findSetBit(number, mask)));
    b.create<NVVM::MBarrierArriveOp>(Type(), barrier, Value(),
                                     NVVM::MemScopeKind::CTA);
  });
}
