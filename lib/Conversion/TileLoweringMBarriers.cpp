//===- TileLoweringMBarriers.cpp - Rings over mbarriers, TMA copies -------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring's state is its stage and the parity of the phase: consumers wait for
// the full barrier's phase of this parity, producers for the empty barrier's
// of the other, which at the start counts as complete.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Value TileLowering::mapAddress(Value map) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  return b.create<UnrealizedConversionCastOp>(pointer, one(map)).getResult(0);
}

/// A thread of the second warp does this while one of the first makes the
/// barriers.
void TileLowering::prefetchMaps() {
  Value isOne = b.cmp(arith::CmpIPredicate::eq, threadId(),
                      b.i32(program.getThreads() > 32 ? 32 : 0));
  auto branch = b.create<scf::IfOp>(isOne, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  for (BlockArgument argument : program.getBody().getArguments())
    if (isa<TensorMapType>(argument.getType())) {
      Type pointer = LLVM::LLVMPointerType::get(b.getContext());
      Value map =
          b.create<UnrealizedConversionCastOp>(pointer, ValueRange(argument))
              .getResult(0);
      // LLVM 22 makes two of nvvm.prefetch, for the parameter's address in
      // either space.
      emitAssembly("prefetch.tensormap [$0];", "l", 0, map);
    }
}

void TileLowering::createBarriers(RingCreateOp op) {
  int64_t stages = op.getRing().getType().getStages();
  int64_t base = layout.barriers.lookup(op);
  set(op.getRing(), {});
  if (!areBarriersNew) {
    prefetchMaps();
    elected = b.create<NVVM::ElectSyncOp>(b.getI1Type(), Value());
  }
  // One thread of the first warp for all, with constant addresses: for several,
  // ptxas makes a loop over the threads. It is the one that may copy.
  Value isFirst = b.cmp(arith::CmpIPredicate::ult, threadId(), b.i32(32));
  auto branch =
      b.create<scf::IfOp>(b.bitAnd(isFirst, elected), /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(branch.thenBlock());
    // Once for all rings.
    if (!areBarriersNew)
      op->getBlock()->walk(
          [&](AccClusterReduceOp reduce) { createInbox(reduce); });
    for (int64_t stage = 0; stage < stages; ++stage) {
      b.create<NVVM::MBarrierInitOp>(sharedAddress({}, base + 8 * stage),
                                     b.i32(op.getFullArrivals()), Value());
      b.create<NVVM::MBarrierInitOp>(
          sharedAddress({}, base + 8 * (stages + stage)),
          b.i32(op.getEmptyArrivals()), Value());
    }
    b.create<NVVM::FenceMbarrierInitOp>();
  }
  areBarriersNew = true;
  if (program.getCluster() > 1 && !isa<RingCreateOp>(op->getNextNode()))
    b.create<NVVM::ClusterArriveOp>(b.getUnitAttr());
}

/// Where the roles alone need the barriers, and the first one is a producer's
/// one thread, in the warp that makes them, that warp need not wait for others:
/// how many threads meet then, or 0.
int64_t TileLowering::countThreadsAtStart() {
  Block &body = program.getBody().front();
  auto roles = llvm::to_vector(body.getOps<RoleOp>());
  bool othersWait = llvm::all_of(body, [](Operation &op) {
    return isa<RoleOp, RingCreateOp>(op) || isMemoryEffectFree(&op);
  });
  if (roles.empty() || !othersWait ||
      (program.getCluster() > 1 && !gathersLate))
    return 0;
  int64_t threads = 32;
  for (RoleOp other : roles) {
    if (other.getKind() == RoleKind::Consumer)
      threads += 32 * other.getNumWarps();
    else if (other.getWarps()[0] != 0 || other.copiesByThreads())
      return 0;
  }
  return roles.front().getKind() == RoleKind::Producer ? threads : 0;
}

/// Waits, once, until all see the barriers. What comes before the next
/// operation with effects runs while the cluster gathers.
void TileLowering::awaitBarriers() {
  if (!std::exchange(areBarriersNew, false))
    return;
  if (program.getCluster() > 1 && !gathersLate)
    b.create<NVVM::ClusterWaitOp>(b.getUnitAttr());
  else if (threadsAtStart)
    rolesAwaitBarriers = true;
  else
    b.create<gpu::BarrierOp>();
}

/// At the start of a role: the producer's first warp says that the barriers are
/// there and goes on, the consumers wait for that.
void TileLowering::awaitBarriersInRole() {
  if (!rolesAwaitBarriers)
    return;
  Value barrier = b.i32(0), threads = b.i32(threadsAtStart);
  if (role.getKind() == RoleKind::Producer)
    b.create<NVVM::BarrierArriveOp>(barrier, threads);
  else
    b.create<NVVM::BarrierOp>(Type(), barrier, threads,
                              NVVM::BarrierReductionAttr(), Value());
}

/// A barrier of the stage that `state`, or a token to read, stands for.
Value TileLowering::barrierAddress(Value ring, Value state, bool empty) {
  auto type = cast<RingType>(ring.getType());
  int64_t base = layout.barriers.lookup(ring.getDefiningOp());
  return sharedAddress(b.mul(one(state), 8),
                       base + (empty ? 8 * type.getStages() : 0));
}

void TileLowering::spin(Value barrier, Value parity) {
  // The time that the hardware may suspend the thread for, in nanoseconds.
  constexpr int64_t suspend = 10'000'000;
  b.create<NVVM::MBarrierTryWaitParityOp>(barrier, parity, b.i32(suspend));
}

void TileLowering::advanceStage(RingAdvanceOp op) {
  int64_t stages = op.getRing().getType().getStages();
  Value stage = all(op.getState())[0], phase = all(op.getState())[1];
  if (!op.getBy()) {
    Value next = b.add(stage, 1);
    Value wraps = b.cmp(arith::CmpIPredicate::eq, next, b.i32(stages));
    Value turned = b.createOrFold<arith::ExtUIOp>(b.getI32Type(), wraps);
    return set(op.getNext(),
               {b.select(wraps, b.i32(0), next), b.bitXor(phase, turned)});
  }
  Value next = b.add(stage, one(op.getBy()));
  Value rounds = b.divU(next, stages);
  set(op.getNext(),
      {b.remU(next, stages), b.bitAnd(b.bitXor(phase, rounds), b.i32(1))});
}

void TileLowering::acquireStage(RingAcquireOp op) {
  RingType ring = op.getRing().getType();
  spin(barrierAddress(op.getRing(), op.getState(), /*empty=*/true),
       b.bitXor(all(op.getState())[1], 1));
  set(op.getToken(), one(op.getState()));
  if (!role.announcesBytes(op.getRing()))
    return;
  // The barrier learns of the bytes before the first of them can arrive.
  int64_t bytes = 0;
  llvm::SmallDenseSet<int64_t> tiles;
  for (Operation *user : op.getToken().getUsers())
    if (auto load = dyn_cast<TmaLoadOp>(user);
        load && tiles.insert(load.getTile()).second)
      bytes += ring.getTiles()[load.getTile()].getBytes();
  OpBuilder::InsertionGuard scope(b);
  enterLeader();
  b.create<NVVM::MBarrierArriveExpectTxOp>(
      Type(), barrierAddress(op.getRing(), op.getState(), /*empty=*/false),
      b.i32(bytes), NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void TileLowering::commitStage(RingCommitOp op) {
  // What TMA copies needs none: the acquire has told the barrier of its bytes.
  if (!op.getInFlight())
    return;
  set(op.getInFlight(), one(op.getToken()));
  if (!copiesInOrder)
    b.create<NVVM::CpAsyncCommitGroupOp>();
}

/// What stands for a group's stage where it has none.
static constexpr int64_t noStage = -1;

void TileLowering::lower(RingEmptyGroupOp op) {
  set(op.getToken(), b.i32(noStage));
}

void TileLowering::lower(RingPublishOp op) {
  if (!copiesInOrder)
    b.create<NVVM::CpAsyncWaitGroupOp>(op.getPending());
  // Threads write through the generic proxy, products read through the
  // asynchronous one.
  b.create<NVVM::FenceProxyOp>(
      NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  OpBuilder::InsertionGuard scope(b);
  if (llvm::any_of(op.getRing().getUsers(), llvm::IsaPred<RingEmptyGroupOp>)) {
    Value hasStage =
        b.cmp(arith::CmpIPredicate::ne, one(op.getToken()), b.i32(noStage));
    auto branch = b.create<scf::IfOp>(hasStage, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  b.create<NVVM::MBarrierArriveOp>(
      Type(), barrierAddress(op.getRing(), op.getToken(), /*empty=*/false),
      Value(), NVVM::MemScopeKind::CTA);
}

void TileLowering::waitForStage(RingWaitOp op) {
  if (role && op->getBlock() == &role.getBody().front())
    loadEarly();
  set(op.getToken(), one(op.getState()));
  spin(barrierAddress(op.getRing(), op.getState(), /*empty=*/false),
       all(op.getState())[1]);
}

/// The CTAs that a copy reaches, bit by rank. `multicast` has a bit for each
/// difference (xor) between this CTA's rank and theirs.
FailureOr<Value> TileLowering::receivers(TmaLoadOp op) {
  uint64_t multicast = op.getMulticast(), bits = 0, span = 0;
  for (unsigned rank = 0; rank < 64; ++rank)
    if (multicast >> rank & 1)
      bits |= rank;
  for (unsigned rank = 0; rank < 64; ++rank)
    if (!(rank & ~bits))
      span |= uint64_t(1) << rank;
  // Then no bit moves but by the bits of the rank that none of them changes.
  if (span != multicast)
    return op.emitOpError() << "multicast " << multicast
                            << " cannot be lowered yet: its CTAs must differ "
                               "in any combination of some bits of their rank";
  Value mask = b.i32(multicast);
  if (uint64_t(program.getCluster()) != uint64_t(llvm::popcount(multicast)))
    mask = b.createOrFold<arith::ShLIOp>(
        mask,
        b.bitAnd(clusterRank(), b.i32(~bits & (program.getCluster() - 1))));
  return b.createOrFold<arith::TruncIOp>(b.getI16Type(), mask);
}

/// The position of the set bit of `mask`, all below 16, that has `number`
/// others below it.
Value TileLowering::findSetBit(Value number, uint64_t mask) {
  if (llvm::isMask_64(mask))
    return number;
  // Out of a list with four bits for each.
  uint64_t list = 0;
  for (unsigned bit = 0, entry = 0; bit < 16; ++bit)
    if (mask >> bit & 1)
      list |= uint64_t(bit) << 4 * entry++;
  Value shifted =
      b.create<arith::ShRUIOp>(b.i64(list), b.ext(b.mul(number, 4)));
  return b.bitAnd(b.create<arith::TruncIOp>(b.getI32Type(), shifted),
                  b.i32(15));
}

LogicalResult TileLowering::releaseStage(RingReleaseOp op) {
  int64_t mask = std::max<int64_t>(1, op.getMulticast());
  int64_t count = llvm::popcount(uint64_t(mask));
  int64_t threads = 32 * role.getNumWarps();
  int64_t perArrival = threads / int64_t(op.getArrivals());
  if (perArrival * int64_t(op.getArrivals()) != threads || perArrival < count)
    return op.emitOpError()
           << "cannot be lowered yet: " << op.getArrivals()
           << " arrivals do not divide " << threads << " threads";
  Value number = b.remU(roleThread(), perArrival);
  Value barrier = barrierAddress(op.getRing(), op.getToken(), /*empty=*/true);
  auto branch = b.create<scf::IfOp>(
      b.cmp(arith::CmpIPredicate::ult, number, b.i32(count)),
      /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // One thread for each CTA. The scope is the CTA's also where the barrier is
  // another's: a wider one would cost a fence of the whole GPU.
  if (count > 1)
    barrier = b.create<NVVM::MapaOp>(
        LLVM::LLVMPointerType::get(b.getContext(), 7), barrier,
        b.bitXor(clusterRank(), findSetBit(number, mask)));
  b.create<NVVM::MBarrierArriveOp>(Type(), barrier, Value(),
                                   NVVM::MemScopeKind::CTA);
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult TileLowering::lower(TmaLoadOp op) {
  RingType ring = op.getRing().getType();
  TileType tile = ring.getTiles()[op.getTile()];
  Value offset = b.mul(one(op.getState()), ring.getStageBytes());
  if (op.getRow())
    offset = b.add(offset, b.mul(one(op.getRow()), tile.getRowBytes()));
  Value target =
      sharedAddress(offset, layout.stages.lookup(op.getRing().getDefiningOp()) +
                                ring.getTileOffset(op.getTile()));
  // Through an integer: LLVM 22 crashes on the cast of a 32-bit pointer.
  target = b.create<LLVM::PtrToIntOp>(b.getI32Type(), target);
  target = b.create<LLVM::IntToPtrOp>(
      LLVM::LLVMPointerType::get(b.getContext(), 7), target);
  Value mask;
  if (op.getMulticast() > 1) {
    FailureOr<Value> found = receivers(op);
    if (failed(found))
      return failure();
    mask = *found;
  }
  OpBuilder::InsertionGuard scope(b);
  enterLeader();
  b.create<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(
      target, mapAddress(op.getMap()), flatten(op.getCoordinates()),
      barrierAddress(op.getRing(), op.getState(), /*empty=*/false),
      /*im2colOffsets=*/ValueRange(), mask, /*l2CacheHint=*/Value(),
      NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  return success();
}
