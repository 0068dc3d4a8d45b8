//===- MBarrier.cpp - State of mbarriers ----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

MBarrier *MBarrierRef::find() const {
  auto it = block->mbarriers.find(address);
  return it == block->mbarriers.end() ? nullptr : &it->second;
}

SyncKey MBarrierRef::getKey(uint64_t phase) const {
  return {SyncKey::Kind::MBarrier, uint64_t(block->rank) << 32 | address,
          phase};
}

std::string describeMBarrier(const MBarrierRef &where, uint64_t phase) {
  std::string text = llvm::formatv("phase {0} (parity {1}) of the mbarrier at "
                                   "shared {2:x}",
                                   phase, phase & 1, where.address);
  if (where.block->cluster.blocks.size() > 1)
    text += llvm::formatv(" of block ({0}, {1}, {2})", where.block->id[0],
                          where.block->id[1], where.block->id[2]);
  if (const MBarrier *barrier = where.find()) {
    text += llvm::formatv(": {0} of {1} arrivals are missing", barrier->pending,
                          barrier->count);
    for (uint32_t warp : barrier->lastArrived)
      if (!llvm::is_contained(barrier->arrived, warp)) {
        const Warp &missing = where.block->cluster.getWarp(warp);
        text += llvm::formatv(", in the last phase one was of warp {0}",
                              missing.index);
        if (where.block->cluster.blocks.size() > 1)
          text +=
              llvm::formatv(" of block ({0}, {1}, {2})", missing.block.id[0],
                            missing.block.id[1], missing.block.id[2]);
        break;
      }
    if (barrier->tx > 0)
      text += llvm::formatv(", and {0} bytes", barrier->tx);
    if (barrier->tx < 0)
      text += llvm::formatv(", and {0} bytes have come that nobody expects",
                            -barrier->tx);
    if (barrier->phase != phase)
      text += llvm::formatv("; it is in phase {0}", barrier->phase);
  } else {
    text += ", which is not there any more";
  }
  return text;
}

static bool wantsChecks(Warp &warp) {
  return warp.block.launch().options.checks.barriers;
}

static void completeIfDone(MBarrier &barrier) {
  if (barrier.pending || barrier.tx)
    return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  std::swap(barrier.arrived, barrier.lastArrived);
  barrier.arrived.clear();
}

void arrive(Warp &warp, const Instruction &inst, unsigned lane,
            MBarrierRef where, uint32_t arrivals, bool isDrop) {
  MBarrier &barrier = *where.find();
  ++warp.block.cluster.effects;
  if (arrivals > barrier.pending) {
    if (wantsChecks(warp))
      warp.report(FindingKind::ArriveOverflow, inst, lane, where.address,
                  llvm::formatv("{0} more arrive than {1}", arrivals,
                                describeMBarrier(where, barrier.phase)));
    arrivals = barrier.pending;
  }
  barrier.pending -= arrivals;
  if (!llvm::is_contained(barrier.arrived, warp.clusterIndex))
    barrier.arrived.push_back(warp.clusterIndex);
  if (isDrop)
    barrier.count -= std::min(arrivals, barrier.count);
  completeIfDone(barrier);
}

void addTransactions(Warp &warp, const Instruction &inst, unsigned lane,
                     MBarrierRef where, int64_t bytes) {
  MBarrier &barrier = *where.find();
  ++warp.block.cluster.effects;
  int64_t sum = barrier.tx + bytes;
  if (sum > MBarrier::kMaxTx || sum < -MBarrier::kMaxTx) {
    if (wantsChecks(warp))
      warp.report(
          FindingKind::TxOverflow, inst, lane, where.address,
          llvm::formatv("the count of bytes becomes {0}, beyond {1}; {2}", sum,
                        MBarrier::kMaxTx,
                        describeMBarrier(where, barrier.phase)));
    sum = sum > 0 ? MBarrier::kMaxTx : -MBarrier::kMaxTx;
  }
  barrier.tx = int32_t(sum);
  if (bytes < 0)
    completeIfDone(barrier);
}

void checkPlainAccess(Warp &warp, const LaneAccess &access) {
  bool told = !wantsChecks(warp);
  forEachLane(access.lanes, [&](unsigned lane) {
    const Region &region = *access.region[lane];
    if (told || region.space != ptx::Space::Shared)
      return;
    Block &owner = warp.block.cluster.getOwner(region);
    uint64_t from = access.address[lane], to = from + access.bytes;
    if (from >= owner.mbarrierHigh || to <= owner.mbarrierLow)
      return;
    auto it = owner.mbarriers.lower_bound(from < 8 ? 0 : uint32_t(from) - 7);
    if (it == owner.mbarriers.end() || it->first >= to)
      return;
    told = true;
    warp.report(FindingKind::BarrierMisuse, *access.inst, lane, from,
                llvm::formatv("access of {0} bytes at shared {1:x}, where an "
                              "mbarrier is (at {2:x}) that mbarrier.inval has "
                              "not ended",
                              access.bytes, from, it->first));
  });
}

} // namespace tcgemm::emu
