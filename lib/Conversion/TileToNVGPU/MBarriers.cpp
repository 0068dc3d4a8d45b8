//===- MBarriers.cpp - Barriers in shared memory that count ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MBarriers.h"
#include "ControlFlow.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

Value tcgemm::createMapAddress(IntegerBuilder &b, Value map) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  return b.create<UnrealizedConversionCastOp>(pointer, map).getResult(0);
}

/// Prefetches the tensor maps. A thread of the second warp does so while one of
/// the first initialises the barriers.
static void prefetchMaps(LoweringContext &c) {
  IntegerBuilder &b = c.b;
  ProgramOp program = c.analysis.getProgram();
  Value isOne =
      b.equal(c.threadId(), b.i32(program.getThreads() > 32 ? 32 : 0));
  buildIf(b, isOne, [&] {
    for (BlockArgument argument : program.getBody().getArguments())
      if (isa<TensorMapType>(argument.getType()))
        // LLVM 22 makes two of nvvm.prefetch, for the parameter's address in
        // either space.
        createAssembly(b, "prefetch.tensormap [$0];", "l", TypeRange(),
                       createMapAddress(b, argument));
  });
}

/// Initialises the barrier that counts what other CTAs send.
static void initInbox(LoweringContext &c, AccClusterReduceOp op) {
  IntegerBuilder &b = c.b;
  Inbox inbox = c.analysis.getSharedMemory().getInbox(op);
  Value barrier = createInboxBarrierAddress(c, op);
  b.create<NVVM::MBarrierInitOp>(barrier, b.i32(1), Value());
  b.create<NVVM::MBarrierArriveExpectTxOp>(
      Type(), barrier, b.i32(inbox.barrier - inbox.start),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void tcgemm::initBarriers(LoweringContext &c, RingCreateOp op) {
  IntegerBuilder &b = c.b;
  int64_t stages = op.getRing().getType().getStages();
  int64_t base = c.analysis.getSharedMemory().getBarriers(op.getRing());
  bool isFirstRing = c.analysis.isFirstWithBarriers(op);
  if (isFirstRing) {
    prefetchMaps(c);
    c.barrierThread = b.create<NVVM::ElectSyncOp>(b.getI1Type(), Value());
  }
  // One thread of the first warp for all, with constant addresses: for several,
  // ptxas makes a loop over the threads. It is the one that may copy.
  Value isInFirst = b.lessU(c.threadId(), b.i32(32));
  buildIf(b, b.bitAnd(isInFirst, c.barrierThread), [&] {
    if (isFirstRing)
      op->getBlock()->walk(
          [&](AccClusterReduceOp reduce) { initInbox(c, reduce); });
    for (int64_t stage = 0; stage < stages; ++stage) {
      b.create<NVVM::MBarrierInitOp>(
          createSharedAddress(c, {}, base + 8 * stage),
          b.i32(op.getFullArrivals()), Value());
      b.create<NVVM::MBarrierInitOp>(
          createSharedAddress(c, {}, base + 8 * (stages + stage)),
          b.i32(op.getEmptyArrivals()), Value());
    }
    b.create<NVVM::FenceMbarrierInitOp>();
  });
  // The fence above publishes the barriers, and other CTAs read nothing else
  // that was written here. An arrival that releases would cost a fence of all
  // memory.
  if (c.analysis.getProgram().getCluster() > 1 &&
      !isa<RingCreateOp>(op->getNextNode()))
    b.create<NVVM::ClusterArriveRelaxedOp>(b.getUnitAttr());
}

void tcgemm::awaitBarrierInit(LoweringContext &c) {
  if (c.analysis.getProgram().getCluster() > 1 &&
      !c.analysis.syncsClusterLate())
    c.b.create<NVVM::ClusterWaitOp>(c.b.getUnitAttr());
  else if (!c.analysis.getRoleStartThreads())
    c.b.create<gpu::BarrierOp>();
}

/// The producer's first warp, which has initialised the barriers, arrives and
/// continues; the consumers wait for it.
void tcgemm::awaitBarrierInitInRole(LoweringContext &c, RoleOp role) {
  IntegerBuilder &b = c.b;
  int64_t count = c.analysis.getRoleStartThreads();
  if (!count)
    return;
  Value barrier = b.i32(0), threads = b.i32(count);
  if (role.getKind() == RoleKind::Producer)
    b.create<NVVM::BarrierArriveOp>(barrier, threads);
  else
    b.create<NVVM::BarrierOp>(Type(), barrier, threads,
                              NVVM::BarrierReductionAttr(), Value());
}

//===----------------------------------------------------------------------===//
// Addresses and waits
//===----------------------------------------------------------------------===//

Value tcgemm::createBarrierAddress(LoweringContext &c, Value ring, Value state,
                                   bool empty) {
  auto type = cast<RingType>(ring.getType());
  int64_t base = c.analysis.getSharedMemory().getBarriers(ring);
  return createSharedAddress(c, c.b.mul(c.one(state), 8),
                             base + (empty ? 8 * type.getStages() : 0));
}

Value tcgemm::createInboxBarrierAddress(LoweringContext &c,
                                        AccClusterReduceOp op) {
  return createSharedAddress(c, {},
                             c.analysis.getSharedMemory().getInbox(op).barrier);
}

void tcgemm::waitForPhase(IntegerBuilder &b, Value barrier, Value parity) {
  // The time that the hardware may suspend the thread for, in nanoseconds.
  constexpr int64_t suspend = 10'000'000;
  b.create<NVVM::MBarrierTryWaitParityOp>(barrier, parity, b.i32(suspend));
}
