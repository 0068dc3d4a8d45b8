//===- MBarrierOps.cpp - mbarrier instructions ----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/BulkCopyOps.h"
#include "Instructions/MemoryOrder.h"
#include "Machine/Block.h"
#include "Machine/Decoder.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Space;
using ptx::Type;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

namespace {
struct MBarrierExtra : Extra {
  // Operands: [state,] [count or tx or state or parity].
  bool hasState = false; ///< An arrival has a destination.
  bool hasValue = false;
  bool isDrop = false, isNoComplete = false, expectsTx = false;
  bool isParity = false;
  bool isTest = false; ///< test_wait, which does not wait.
  bool orders = true;  ///< Not .relaxed.
};
} // namespace

static const MBarrierExtra &getExtra(const Instruction &inst) {
  return static_cast<const MBarrierExtra &>(*inst.extra);
}

static bool wantsBarrierChecks(Warp &warp) {
  return warp.block.launch().options.checks.barriers;
}

/// The place of the mbarrier of `lane`. Block is null if there is no memory.
static MBarrierRef locate(Warp &warp, const Instruction &inst,
                          const AddressOperand &operand, Space space,
                          unsigned lane) {
  LaneAccess access;
  access.inst = &inst;
  access.kind = AccessKind::CopyTarget; // Observers need not see it.
  access.bytes = 8;
  access.lanes = 1u << lane;
  warp.memory.resolve(access, operand, space, 8);
  if (!access.lanes)
    return {};
  if (access.region[lane]->space != Space::Shared) {
    warp.fail("an mbarrier is in shared memory");
    return {};
  }
  return {&warp.block.cluster.getOwner(*access.region[lane]),
          uint32_t(access.address[lane])};
}

MBarrierRef findMBarrier(Warp &warp, const Instruction &inst,
                         const AddressOperand &operand, Space space,
                         unsigned lane) {
  MBarrierRef where = locate(warp, inst, operand, space, lane);
  if (!where.block)
    return where;
  if (where.find()) {
    warp.observe([&](ClusterObserver &o) {
      o.useMBarrier(warp, inst, lane, where.getKey(0));
    });
    return where;
  }
  std::string text =
      llvm::formatv("there is no mbarrier at shared {0:x}: it was not "
                    "initialised, or has ended",
                    where.address);
  if (wantsBarrierChecks(warp))
    warp.report(FindingKind::BarrierMisuse, inst, lane, where.address, text);
  warp.fail(text);
  return {};
}

/// The result of arrive and operand of test_wait: the phase and its pending
/// count.
static uint64_t makeState(const MBarrier &barrier) {
  return barrier.phase << 20 | barrier.pending;
}

//===----------------------------------------------------------------------===//
// init, inval
//===----------------------------------------------------------------------===//

static Outcome runInit(Warp &warp, const Instruction &inst) {
  bool failed = false;
  forEachLane(warp.exec, [&](unsigned lane) {
    MBarrierRef where = locate(warp, inst, inst.address, inst.space, lane);
    if (!where.block) {
      failed = true;
      return;
    }
    uint32_t count = warp.lanes<uint32_t>(inst.operands[0])[lane];
    if (wantsBarrierChecks(warp)) {
      if (count == 0 || count > MBarrier::kMaxCount)
        warp.report(FindingKind::BarrierMisuse, lane, where.address,
                    llvm::formatv("{0} arrivals: an mbarrier takes 1 to {1}",
                                  count, MBarrier::kMaxCount));
      if (where.find())
        warp.report(FindingKind::BarrierMisuse, lane, where.address,
                    "there is an mbarrier already, which mbarrier.inval has "
                    "not ended");
    }
    Block &owner = *where.block;
    LaneAccess access;
    access.inst = &inst;
    access.kind = AccessKind::Store;
    access.order = Order::Relaxed;
    access.bytes = 8;
    access.lanes = 1u << lane;
    access.address[lane] = where.address;
    access.region[lane] = &owner.shared;
    warp.observe([&](ClusterObserver &o) { o.access(warp, access); });
    warp.definedness.markDefined(access);
    memcpy(access.data(lane), "mbarrier", 8);
    MBarrier barrier;
    barrier.count = barrier.pending = count;
    warp.observe(
        [&](ClusterObserver &o) { o.initMBarrier(warp, where.getKey(0)); });
    owner.mbarriers[where.address] = std::move(barrier);
    owner.mbarrierLow = std::min(owner.mbarrierLow, where.address);
    owner.mbarrierHigh = std::max(owner.mbarrierHigh, where.address + 8);
    ++owner.cluster.effects;
  });
  return failed ? Outcome::Failed : Outcome::Next;
}

static Outcome runInval(Warp &warp, const Instruction &inst) {
  bool failed = false;
  forEachLane(warp.exec, [&](unsigned lane) {
    MBarrierRef where =
        findMBarrier(warp, inst, inst.address, inst.space, lane);
    if (where.block)
      where.block->mbarriers.erase(where.address);
    else
      failed = true;
  });
  return failed ? Outcome::Failed : Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

static void noteRemote(Warp &warp, const Instruction &inst, unsigned lane,
                       Block &owner) {
  if (&owner != &warp.block)
    warp.observe(
        [&](ClusterObserver &o) { o.arriveRemote(warp, inst, lane, owner); });
}

static Outcome runArrive(Warp &warp, const Instruction &inst) {
  const MBarrierExtra &extra = getExtra(inst);
  bool failed = false;
  forEachLane(warp.exec, [&](unsigned lane) {
    if (failed)
      return;
    MBarrierRef where =
        findMBarrier(warp, inst, inst.address, inst.space, lane);
    if (!where.block) {
      failed = true;
      return;
    }
    MBarrier &barrier = *where.find();
    uint32_t value =
        extra.hasValue
            ? warp.lanes<uint32_t>(inst.operands[extra.hasState])[lane]
            : 1;
    if (extra.hasState)
      warp.lanes<uint64_t>(inst.operands[0])[lane] = makeState(barrier);
    uint32_t arrivals = extra.expectsTx ? 1 : value;
    if (extra.isNoComplete && arrivals >= barrier.pending &&
        wantsBarrierChecks(warp))
      warp.report(FindingKind::BarrierMisuse, lane, where.address,
                  "arrives with .noComplete, and completes " +
                      describeMBarrier(where, barrier.phase));
    if (extra.expectsTx)
      addTransactions(warp, inst, lane, where, value);
    if (extra.orders) {
      noteRemote(warp, inst, lane, *where.block);
      warp.observe([&](ClusterObserver &o) {
        o.arrive(warp, inst, lane, where.getKey(barrier.phase));
        o.release(warp, where.getKey(barrier.phase));
      });
    }
    arrive(warp, inst, lane, where, arrivals, extra.isDrop);
  });
  return failed ? Outcome::Failed : Outcome::Next;
}

/// imm: 1 for expect_tx, -1 for complete_tx.
static Outcome runTransactions(Warp &warp, const Instruction &inst) {
  bool failed = false;
  forEachLane(warp.exec, [&](unsigned lane) {
    MBarrierRef where =
        findMBarrier(warp, inst, inst.address, inst.space, lane);
    if (!where.block) {
      failed = true;
      return;
    }
    int64_t bytes = warp.lanes<uint32_t>(inst.operands[0])[lane];
    addTransactions(warp, inst, lane, where, int64_t(inst.imm) * bytes);
  });
  return failed ? Outcome::Failed : Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// The phase that an instruction tests.
static uint64_t findPhase(Warp &warp, const Instruction &inst, unsigned lane,
                          const MBarrierRef &where) {
  const MBarrierExtra &extra = getExtra(inst);
  uint64_t now = where.find()->phase;
  if (!extra.isParity)
    return warp.lanes<uint64_t>(inst.operands[1])[lane] >> 20;
  uint32_t parity = warp.lanes<uint32_t>(inst.operands[1])[lane] & 1;
  const WaitState &wait = warp.path().wait;
  if (!wait.active || wait.phase != now)
    warp.observe([&](ClusterObserver &o) {
      o.testParity(warp, lane, where.getKey(now), parity);
    });
  return (now & 1) == parity ? now : now - 1;
}

static Outcome runWait(Warp &warp, const Instruction &inst) {
  const MBarrierExtra &extra = getExtra(inst);
  Cluster &cluster = warp.block.cluster;
  uint32_t done = 0;
  MBarrierRef first;
  uint64_t firstPhase = 0;
  WaitState &wait = warp.path().wait;
  for (uint32_t rest = warp.exec; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    MBarrierRef where =
        findMBarrier(warp, inst, inst.address, inst.space, lane);
    if (!where.block)
      return Outcome::Failed;
    MBarrier &barrier = *where.find();
    uint64_t phase = findPhase(warp, inst, lane, where);
    if (phase >= barrier.phase || phase == ~uint64_t(0)) {
      // The phase before the first one counts as complete.
      if (phase != ~uint64_t(0)) {
        if (!first.block)
          first = where, firstPhase = phase;
        continue;
      }
    } else {
      SyncKey key = where.getKey(barrier.phase - 1);
      warp.observe([&](ClusterObserver &o) { o.seePhase(warp, key); });
      if (extra.orders)
        warp.observe([&](ClusterObserver &o) { o.acquire(warp, key); });
    }
    done |= 1u << lane;
  }
  if (first.block && !done && !extra.isTest && !warp.polls.timedOut) {
    // Copies take place as late as possible. A warp that polls other memory
    // must not delay them for ever.
    constexpr uint32_t kPatience = 8;
    uint32_t attempts = wait.active ? wait.attempts + 1 : 0;
    wait = {true, first.getKey(firstPhase), firstPhase, attempts};
    if (attempts % kPatience == kPatience - 1)
      cluster.bulk.finishFor(*first.block, first.address);
    return Outcome::Blocked;
  }
  wait.active = false;
  warp.polls.timedOut = false;
  warp.setMask(inst.operands[0], done);
  if (first.block && !done) {
    constexpr uint64_t kPatience = 64;
    if (++warp.polls.failed % kPatience == 0)
      cluster.bulk.finishFor(*first.block, first.address);
  }
  return Outcome::Next;
}

static Outcome runPendingCount(Warp &warp, const Instruction &inst) {
  uint32_t *count = warp.lanes<uint32_t>(inst.operands[0]);
  const uint64_t *state = warp.lanes<uint64_t>(inst.operands[1]);
  forEachLane(warp.exec, [&](unsigned lane) {
    count[lane] = state[lane] & MBarrier::kMaxCount;
  });
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static void decodeWait(Decoder &d, MBarrierExtra &extra, Modifiers &mods) {
  extra.isParity = mods.take("parity");
  if (!d.expectOperands(3, extra.isTest ? 3 : 4))
    return;
  d.dst(0u, Type::Pred);
  d.code->address = d.address(1u, d.code->space);
  d.src(2u, extra.isParity ? Type::U32 : Type::B64);
  if (d.getNumOperands() == 4)
    d.getSourceSlot(d.operand(3), Type::U32); // How long: no matter.
  d.code->run = runWait;
}

static void decodeArrive(Decoder &d, MBarrierExtra &extra, Modifiers &mods) {
  extra.expectsTx = mods.take("expect_tx");
  extra.isNoComplete = mods.take("noComplete");
  using Kind = ptx::Operand::Kind;
  unsigned next = 0;
  if (d.getNumOperands() && d.operand(0).kind != Kind::Address) {
    extra.hasState = d.operand(0).kind != Kind::Sink;
    if (extra.hasState)
      d.dst(0u, Type::B64);
    ++next;
  }
  if (!d.expectOperands(next + 1, next + 2))
    return;
  d.code->address = d.address(next++, d.code->space);
  extra.hasValue = d.getNumOperands() > next;
  if (extra.hasValue)
    d.src(next, Type::U32);
  else if (extra.expectsTx || extra.isNoComplete)
    return d.fail("a count is needed");
  d.code->run = runArrive;
}

static void decodeMBarrier(Decoder &d, Modifiers &mods) {
  auto extra = std::make_unique<MBarrierExtra>();
  d.parent.program.usesAsyncProxy = true;
  Instruction &code = *d.code;
  mods.take("b64");
  code.space = mods.takeSpace();
  extra->orders = !mods.take("relaxed");
  mods.takeOneOf({"acquire", "release"});
  mods.takeOneOf({"cta", "cluster"});
  if (mods.take("init")) {
    if (!d.expectOperands(2))
      return;
    code.address = d.address(0u, code.space);
    d.src(1u, Type::U32);
    code.run = runInit;
  } else if (mods.take("inval")) {
    if (d.expectOperands(1))
      code.address = d.address(0u, code.space);
    code.run = runInval;
  } else if (mods.take("test_wait")) {
    extra->isTest = true;
    decodeWait(d, *extra, mods);
  } else if (mods.take("try_wait")) {
    decodeWait(d, *extra, mods);
  } else if (mods.take("pending_count")) {
    if (!d.expectOperands(2))
      return;
    d.dst(0u, Type::U32);
    d.src(1u, Type::B64);
    code.run = runPendingCount;
  } else if (mods.take("arrive")) {
    decodeArrive(d, *extra, mods);
  } else if (mods.take("arrive_drop")) {
    extra->isDrop = true;
    decodeArrive(d, *extra, mods);
  } else {
    bool expects = mods.take("expect_tx");
    if (!expects && !mods.take("complete_tx"))
      return d.fail("this operation on mbarriers is not supported");
    if (!d.expectOperands(2))
      return;
    code.address = d.address(0u, code.space);
    d.src(1u, Type::U32);
    code.imm = expects ? 1 : ~uint64_t(0);
    code.run = runTransactions;
  }
  code.extra = std::move(extra);
}

llvm::ArrayRef<FamilyEntry> getMBarrierFamily() {
  static constexpr FamilyEntry kFamily[] = {{"mbarrier", decodeMBarrier}};
  return kFamily;
}

} // namespace tcgemm::emu
