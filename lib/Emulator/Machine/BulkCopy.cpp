//===- BulkCopy.cpp - Bulk copies in flight -------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/BulkCopy.h"
#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// One copy
//===----------------------------------------------------------------------===//

/// Calls fn(region, address, at, bytes) for contiguous bytes of a piece, in
/// chunks of 16 bytes if it is swizzled.
template <class Fn>
static void forEachPart(const BulkPiece &piece, uint32_t span, Fn fn) {
  bool isSwizzled = span && piece.region->space == ptx::Space::Shared;
  if (!isSwizzled)
    return fn(piece.address, piece.at, piece.bytes);
  for (uint32_t done = 0; done < piece.bytes; done += 16)
    fn(swizzle(piece.address + done, span), piece.at + done,
       std::min(16u, piece.bytes - done));
}

/// Rounds as a tensor map of type TFLOAT32: to nearest, ties to even.
/// Infinities and NaNs stay as they are.
static void roundToTFloat(std::vector<uint8_t> &data) {
  for (size_t at = 0; at + 4 <= data.size(); at += 4) {
    uint32_t bits;
    memcpy(&bits, &data[at], 4);
    if ((bits & 0x7F800000) == 0x7F800000)
      continue;
    bits = (bits + 0xFFF + (bits >> 13 & 1)) & 0xFFFFE000;
    memcpy(&data[at], &bits, 4);
  }
}

void BulkQueue::read(BulkCopy &copy) {
  if (copy.isRead)
    return;
  copy.isRead = true;
  copy.data.assign(copy.bytes, 0);
  copy.defined.assign(copy.bytes, 1);
  for (const BulkPiece &piece : copy.sources) {
    const Region &region = *piece.region;
    forEachPart(piece, copy.swizzle,
                [&](uint64_t address, uint32_t at, uint32_t bytes) {
                  uint64_t offset = address - region.base;
                  memcpy(&copy.data[at], region.data + offset, bytes);
                  if (region.defined)
                    memcpy(&copy.defined[at], region.defined + offset, bytes);
                });
  }
  if (copy.roundsToTFloat)
    roundToTFloat(copy.data);
}

void BulkQueue::finish(BulkCopy &copy) {
  read(copy);
  Warp &warp = *copy.warp;
  Cluster &cluster = warp.block.cluster;
  ++cluster.effects;
  if (copy.arrivingLanes)
    warp.asyncCopies.finish(copy.arrivingLanes, copy.copiesBefore);
  for (const BulkPiece &piece : copy.targets) {
    const Region &region = *piece.region;
    forEachPart(piece, copy.swizzle,
                [&](uint64_t address, uint32_t at, uint32_t bytes) {
                  uint64_t offset = address - region.base;
                  if (!copy.reduce)
                    memcpy(region.data + offset, &copy.data[at], bytes);
                  else
                    copy.reduce(copy.reduction, copy.type, region,
                                region.data + offset, &copy.data[at], bytes);
                  if (region.defined && !copy.reduce)
                    memcpy(region.defined + offset, &copy.defined[at], bytes);
                });
  }
  if (!copy.signal.block)
    return;
  const MBarrier *barrier = copy.signal.find();
  if (!barrier) {
    if (warp.block.launch().options.checks.barriers)
      warp.report(FindingKind::BarrierMisuse, *copy.inst, copy.lane,
                  copy.signal.address,
                  "the mbarrier that the copy signals no longer exists");
    return;
  }
  SyncKey key = copy.signal.getKey(barrier->phase);
  if (copy.arrivingLanes) {
    warp.observe([&](ClusterObserver &o) {
      o.arrive(warp, *copy.inst, copy.lane, key);
      o.release(warp, key);
    });
    arrive(warp, *copy.inst, copy.lane, copy.signal,
           llvm::popcount(copy.arrivingLanes));
  } else {
    warp.observe([&](ClusterObserver &o) { o.bulkEnd(copy, key); });
    addTransactions(warp, *copy.inst, copy.lane, copy.signal,
                    -int64_t(copy.bytes));
  }
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

void BulkQueue::begin(std::unique_ptr<BulkCopy> copy) {
  ++copy->warp->block.cluster.effects;
  if (!copy->arrivingLanes)
    copy->warp->observe(
        [&](ClusterObserver &o) { o.bulkBegin(*copy->warp, *copy); });
  copies.push_back(std::move(copy));
}

bool BulkQueue::finishFor(const Block &block, uint32_t mbarrier) {
  bool any = false;
  for (auto &copy : copies)
    if (copy->signal.block == &block && copy->signal.address == mbarrier) {
      auto mine = std::move(copy);
      finish(*mine);
      any = true;
    }
  llvm::erase_if(copies, [](const auto &copy) { return !copy; });
  return any;
}

void BulkQueue::waitGroups(Warp &warp, uint32_t lanes, uint32_t pending,
                           bool onlyRead) {
  for (auto &copy : copies) {
    if (copy->warp != &warp || copy->signal.block ||
        !(lanes >> copy->lane & 1) ||
        copy->group + pending >= warp.asyncCopies.bulkGroups[copy->lane])
      continue;
    read(*copy);
    if (!onlyRead)
      finish(*copy);
    warp.observe(
        [&](ClusterObserver &o) { o.bulkWaited(warp, *copy, onlyRead); });
    if (!onlyRead)
      copy.reset();
  }
  llvm::erase_if(copies, [](const auto &copy) { return !copy; });
}

void BulkQueue::finishAll() {
  for (auto &copy : copies)
    finish(*copy);
  copies.clear();
}

void BulkQueue::blockExits(Block &block) {
  if (!block.launch().options.checks.barriers)
    return;
  auto isIn = [&](const std::vector<BulkPiece> &pieces) {
    return llvm::any_of(pieces, [&](const BulkPiece &piece) {
      return piece.region == &block.shared;
    });
  };
  for (auto &copy : copies) {
    bool reads = !copy->isRead && isIn(copy->sources);
    if (!reads && !isIn(copy->targets))
      continue;
    copy->warp->report(
        FindingKind::ClusterExit, *copy->inst, copy->lane, 0,
        llvm::formatv("block ({0}, {1}, {2}) exits while the copy {3} its "
                      "shared memory",
                      block.id[0], block.id[1], block.id[2],
                      reads ? "reads from" : "writes to"));
  }
}

void beginMulticast(std::unique_ptr<BulkCopy> copy, uint32_t mask) {
  BulkQueue &queue = copy->warp->block.cluster.bulk;
  if (!mask)
    return queue.begin(std::move(copy));
  Cluster &cluster = copy->warp->block.cluster;
  for (; mask; mask &= mask - 1) {
    unsigned rank = llvm::countr_zero(mask);
    if (rank >= cluster.blocks.size()) {
      copy->warp->fail(llvm::formatv("the cluster has no block {0}", rank));
      return;
    }
    Block &block = *cluster.blocks[rank];
    auto each = std::make_unique<BulkCopy>(*copy);
    for (BulkPiece &piece : each->targets)
      piece.region = &block.shared;
    each->signal.block = &block;
    if (!each->signal.find()) {
      std::string text = llvm::formatv(
          "block {0} of the cluster has no mbarrier at shared {1:x}", rank,
          copy->signal.address);
      if (block.launch().options.checks.barriers)
        copy->warp->report(FindingKind::BarrierMisuse, *copy->inst, copy->lane,
                           copy->signal.address, text);
      copy->warp->fail(text);
      return;
    }
    queue.begin(std::move(each));
  }
}

} // namespace tcgemm::emu
