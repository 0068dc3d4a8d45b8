//===- Barrier.cpp - bar, barrier and fence -------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Decoder.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Type;

static SyncKey makeKey(const Warp &warp, uint32_t id, bool countsExits) {
  return {SyncKey::Kind::Barrier, uint64_t(warp.block.rank) << 8 | id,
          /*phase=*/0, countsExits};
}

//===----------------------------------------------------------------------===//
// bar and barrier
//===----------------------------------------------------------------------===//

namespace {
enum class BarrierOp : uint8_t { Sync, Arrive, Popc, And, Or };
struct BarrierExtra : Extra {
  BarrierOp op = BarrierOp::Sync;
  bool aligned = true;
  bool hasCount = false;
  // Operands: [d,] barrier [, count] [, predicate].
  unsigned id = 0, count = 0, predicate = 0;
};
} // namespace

/// Arrives for the lanes in exec. False after a failure.
static bool arrive(Warp &warp, const BarrierExtra &extra,
                   const Instruction &inst, uint32_t id) {
  Block &block = warp.block;
  const bool check = block.launch().options.checks.barriers;
  unsigned lane = llvm::countr_zero(warp.exec);
  uint32_t live = warp.launched & ~warp.exited;
  if (extra.aligned && warp.exec != live && check)
    warp.report(FindingKind::BarrierDivergence, lane, 0,
                llvm::formatv("only lanes {0:x} of {1:x} execute it together",
                              warp.exec, live));
  Barrier &barrier = block.barriers[id];
  uint32_t expected = 0;
  if (extra.hasCount) {
    expected = warp.lanes<uint32_t>(inst.operands[extra.count])[lane];
    uint32_t all = block.warps.size() * kWarpSize;
    if (expected == 0 || expected % kWarpSize || expected > all) {
      if (check)
        warp.report(FindingKind::BarrierMisuse, lane, 0,
                    llvm::formatv("barrier {0} for {1} threads: it takes a "
                                  "multiple of {2} up to the block's {3}",
                                  id, expected, kWarpSize, all));
      warp.fail("no such number of threads can meet at a barrier");
      return false;
    }
  }
  if (check && barrier.arrived && barrier.expected != expected)
    warp.report(FindingKind::BarrierMisuse, lane, 0,
                llvm::formatv("barrier {0} is waited for by {1} threads, and "
                              "others wait for {2} (0: all)",
                              id, expected, barrier.expected));
  if (check && extra.aligned &&
      llvm::is_contained(barrier.arrivedWarps, warp.index))
    warp.report(FindingKind::BarrierMisuse, lane, 0,
                llvm::formatv("warp {0} arrives again at barrier {1}, which "
                              "is not complete",
                              warp.index, id));
  ++block.cluster.effects;
  barrier.expected = expected;
  // A warp arrives as a whole, even a partial one.
  barrier.arrived += extra.aligned && extra.hasCount
                         ? kWarpSize
                         : llvm::popcount(extra.aligned ? live : warp.exec);
  barrier.arrivedWarps.push_back(warp.index);
  if (extra.op >= BarrierOp::Popc)
    barrier.holds +=
        llvm::popcount(warp.exec & warp.mask(inst.operands[extra.predicate]));
  if (expected ? barrier.arrived >= expected
               : barrier.arrived >= block.getLiveThreads())
    barrier.complete();
  return true;
}

static void setResult(Warp &warp, const BarrierExtra &extra,
                      const Instruction &inst, const Barrier &barrier) {
  if (extra.op == BarrierOp::Popc) {
    uint32_t *result = warp.lanes<uint32_t>(inst.operands[0]);
    forEachLane(warp.exec,
                [&](unsigned lane) { result[lane] = barrier.lastHolds; });
  } else {
    bool holds = extra.op == BarrierOp::And
                     ? barrier.lastHolds == barrier.lastArrived
                     : barrier.lastHolds != 0;
    warp.setMask(inst.operands[0], holds ? ~0u : 0);
  }
}

static Outcome runBarrier(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const BarrierExtra &>(*inst.extra);
  uint32_t id = warp.lanes<uint32_t>(
      inst.operands[extra.id])[llvm::countr_zero(warp.exec)];
  if (id >= warp.block.barriers.size())
    return warp.fail(llvm::formatv("barrier {0}: there are 16", id));
  Barrier &barrier = warp.block.barriers[id];
  SyncKey key = makeKey(warp, id, !extra.hasCount);
  if (!warp.path().wait.active) {
    uint64_t phase = barrier.phase;
    warp.observe([&](ClusterObserver &o) {
      o.arrive(warp, inst, llvm::countr_zero(warp.exec), key);
      o.release(warp, key);
    });
    if (!arrive(warp, extra, inst, id))
      return Outcome::Failed;
    if (extra.op == BarrierOp::Arrive)
      return Outcome::Next;
    warp.path().wait = {true, key, phase};
  }
  if (barrier.phase == warp.path().wait.phase)
    return Outcome::Blocked;
  warp.path().wait.active = false;
  warp.observe([&](ClusterObserver &o) { o.acquire(warp, key); });
  if (extra.op >= BarrierOp::Popc)
    setResult(warp, extra, inst, barrier);
  return Outcome::Next;
}

static Outcome runWarpBarrier(Warp &warp, const Instruction &inst) {
  uint32_t mask =
      warp.lanes<uint32_t>(inst.operands[0])[llvm::countr_zero(warp.exec)];
  uint32_t missing = mask & warp.launched & ~warp.exited & ~warp.exec;
  if (missing && warp.block.launch().options.checks.barriers)
    warp.report(FindingKind::BarrierDivergence, llvm::countr_zero(warp.exec), 0,
                llvm::formatv("lanes {0:x} of the mask {1:x} do not execute it "
                              "together with the others",
                              missing, mask));
  warp.observe([&](ClusterObserver &o) { o.syncWarp(warp, warp.exec); });
  return Outcome::Next;
}

static void decodeClusterBarrier(Decoder &d, Modifiers &mods);

static void decodeBarrier(Decoder &d, Modifiers &mods) {
  if (mods.take("warp")) {
    if (!mods.take("sync") || !d.expectOperands(1))
      return d.fail("bar.warp.sync takes a mask");
    d.src(0u, Type::B32);
    d.code->run = runWarpBarrier;
    return;
  }
  if (mods.take("cluster"))
    return decodeClusterBarrier(d, mods);
  auto extra = std::make_unique<BarrierExtra>();
  mods.take("cta");
  bool isBar = d.getSource().opcode == "bar";
  extra->aligned = mods.take("aligned") || isBar;
  unsigned next = 0;
  if (mods.take("sync")) {
    extra->op = BarrierOp::Sync;
  } else if (mods.take("arrive")) {
    extra->op = BarrierOp::Arrive;
  } else if (mods.take("red")) {
    auto op = mods.takeOneOf({"popc", "and", "or"});
    if (!op)
      return d.fail("one of .popc, .and and .or is needed");
    extra->op = BarrierOp(unsigned(BarrierOp::Popc) + *op);
    mods.takeOneOf({"u32", "pred"});
    d.dst(next++, *op == 0 ? Type::U32 : Type::Pred);
  } else {
    return d.fail("one of .sync, .arrive and .red is needed");
  }
  bool hasPredicate = extra->op >= BarrierOp::Popc;
  extra->id = next;
  d.src(next++, Type::U32);
  extra->hasCount = d.getNumOperands() > next + hasPredicate;
  if (extra->hasCount) {
    extra->count = next;
    d.src(next++, Type::U32);
  }
  if (extra->op == BarrierOp::Arrive && !extra->hasCount)
    return d.fail("arriving needs the number of threads");
  if (hasPredicate) {
    extra->predicate = next;
    d.src(next++, Type::Pred);
  }
  d.expectOperands(next);
  d.code->isBarrier = true;
  d.code->extra = std::move(extra);
  d.code->run = runBarrier;
}

//===----------------------------------------------------------------------===//
// barrier.cluster
//===----------------------------------------------------------------------===//

static constexpr SyncKey kClusterKey{SyncKey::Kind::ClusterBarrier, 0,
                                     /*phase=*/0, /*countsExits=*/true};

/// imm: whether it releases.
static Outcome runClusterArrive(Warp &warp, const Instruction &inst) {
  Cluster &cluster = warp.block.cluster;
  if ((warp.clusterArrival.lanes & warp.exec) &&
      warp.block.launch().options.checks.barriers)
    warp.report(FindingKind::BarrierMisuse, llvm::countr_zero(warp.exec), 0,
                "the warp arrives again without having waited");
  warp.observe([&](ClusterObserver &o) {
    if (inst.imm)
      o.release(warp, kClusterKey);
    else
      o.releaseFenced(warp, kClusterKey);
  });
  warp.clusterArrival.lanes |= warp.exec;
  ++cluster.effects;
  warp.clusterArrival.phase = cluster.barrier.phase;
  cluster.barrier.arrived += llvm::popcount(warp.exec);
  cluster.barrier.arrivedWarps.push_back(warp.clusterIndex);
  uint32_t live = 0;
  for (auto &block : cluster.blocks)
    live += block->getLiveThreads();
  cluster.barrier.completeIfAllArrived(live);
  return Outcome::Next;
}

static Outcome runClusterWait(Warp &warp, const Instruction &) {
  Cluster &cluster = warp.block.cluster;
  if (!(warp.clusterArrival.lanes & warp.exec))
    return warp.fail("the warp waits at the cluster's barrier without having "
                     "arrived");
  if (cluster.barrier.phase == warp.clusterArrival.phase) {
    warp.path().wait = {true, kClusterKey, warp.clusterArrival.phase};
    return Outcome::Blocked;
  }
  warp.path().wait.active = false;
  warp.clusterArrival.lanes &= ~warp.exec;
  warp.observe([&](ClusterObserver &o) { o.acquire(warp, kClusterKey); });
  return Outcome::Next;
}

static void decodeClusterBarrier(Decoder &d, Modifiers &mods) {
  mods.take("aligned");
  d.expectOperands(0);
  d.code->isBarrier = true;
  if (mods.take("arrive")) {
    mods.take("release");
    d.code->imm = !mods.take("relaxed");
    d.code->run = runClusterArrive;
  } else if (mods.take("wait")) {
    mods.take("acquire");
    d.code->run = runClusterWait;
  } else {
    d.fail("one of .arrive and .wait is needed");
  }
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// imm: the scope; imm2: whether it is fence.mbarrier_init.
static Outcome runFence(Warp &warp, const Instruction &inst) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  warp.observe([&](ClusterObserver &o) {
    o.fence(warp, static_cast<Scope>(inst.imm));
    if (inst.imm2)
      o.fenceInit(warp);
  });
  return Outcome::Next;
}

/// imm: whether it is a fence of the asynchronous proxy.
static Outcome runProxyFence(Warp &warp, const Instruction &inst) {
  if (inst.imm)
    warp.observe([&](ClusterObserver &o) { o.proxyFence(warp); });
  return Outcome::Next;
}

static void decodeProxyFence(Decoder &d, Modifiers &mods) {
  d.code->run = runProxyFence;
  if (mods.take("tensormap::generic")) {
    mods.takeOneOf({"acquire", "release"});
    mods.takeOneOf({"cta", "cluster", "gpu", "sys"});
    if (d.expectOperands(0, 2) && d.getNumOperands())
      d.address(0u, ptx::Space::Generic);
    return;
  }
  d.expectOperands(0);
  if (mods.take("async::generic")) {
    mods.takeOneOf({"acquire", "release"});
    mods.takeOneOf(
        {"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
    mods.takeOneOf({"cta", "cluster"});
    d.code->imm = 1;
  } else {
    d.code->imm = mods.take("async");
    mods.take("alias");
  }
  mods.takeSpace();
}

static void decodeFence(Decoder &d, Modifiers &mods) {
  if (mods.take("proxy"))
    return decodeProxyFence(d, mods);
  d.expectOperands(0);
  d.code->imm2 = mods.take("mbarrier_init");
  if (d.code->imm2)
    mods.take("release");
  else
    mods.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  auto scope = mods.takeOneOf({"cta", "cluster", "gpu", "sys"});
  if (!scope) {
    // membar's names.
    auto level = mods.takeOneOf({"gl"});
    if (!level)
      return d.fail("the fence's scope is missing");
    scope = unsigned(Scope::Gpu);
  }
  d.code->imm = *scope;
  d.code->run = runFence;
}

llvm::ArrayRef<FamilyEntry> getBarrierFamily() {
  static constexpr FamilyEntry kFamily[] = {{"bar", decodeBarrier},
                                            {"barrier", decodeBarrier},
                                            {"membar", decodeFence},
                                            {"fence", decodeFence}};
  return kFamily;
}

} // namespace tcgemm::emu
