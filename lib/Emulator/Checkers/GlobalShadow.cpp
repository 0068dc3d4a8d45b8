//===- GlobalShadow.cpp - Shadow of global memory -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/GlobalShadow.h"

#include <algorithm>

namespace tcgemm::emu {

GlobalShadow::GlobalShadow(uint64_t bytes, unsigned elementBytes)
    : bytes(bytes), shift(elementBytes <= 2 ? 1 : 2) {}

/// Allocates the memory at the first access. It is a multiple of the region's
/// size, but takes host memory only where it is accessed.
bool GlobalShadow::prepare() {
  int now = state.load(std::memory_order_acquire);
  if (LLVM_LIKELY(now != 0))
    return now > 0;
  std::call_once(once, [&] {
    uint64_t granules = (bytes >> shift) + 1;
    for (Words *words : {&writes, &reads}) {
      words->words = allocateZeroed(granules * sizeof(uint64_t));
      words->sites = allocateZeroed(granules * sizeof(uint16_t));
    }
    bool all = writes.words && writes.sites && reads.words && reads.sites;
    state.store(all ? 1 : -1, std::memory_order_release);
  });
  return state.load(std::memory_order_acquire) > 0;
}

GlobalShadow::Granules GlobalShadow::getGranules(uint64_t offset,
                                                 uint32_t size) const {
  if (size == 0 || offset >= bytes)
    return {0, 0};
  uint64_t last = offset + std::min<uint64_t>(size, bytes - offset) - 1;
  return {offset >> shift, (last >> shift) + 1};
}

/// The bytes of a granule that lie in [offset, offset + size), as bits.
uint32_t GlobalShadow::getGranuleMask(uint64_t offset, uint32_t size,
                                      uint64_t granule) const {
  uint64_t first = granule << shift, end = first + (uint64_t(1) << shift);
  uint64_t from = std::max(offset, first);
  uint64_t to = std::min(offset + size, end);
  return ((1u << (to - from)) - 1) << (from - first);
}

uint64_t GlobalShadow::makeEntry(const GlobalAccessor &me, uint32_t mask) {
  return uint64_t(me.cluster + 1) << 44 | uint64_t(me.warp) << 35 |
         uint64_t(me.strong ? uint8_t(kStrong) : me.lane) << 29 |
         uint64_t(me.time) << 4 | mask;
}

bool GlobalShadow::isOrdered(uint64_t entry, const GlobalAccessor &me) {
  uint64_t cluster = entry >> 44;
  uint32_t warp = entry >> 35 & kMaxWarp, time = entry >> 4 & kLastTime;
  if (cluster == 0)
    return true;
  if (cluster == uint64_t(me.cluster) + 1)
    return time <= me.known[warp];
  // A warp that knows another cluster may know all the readers.
  if (cluster == kManyClusters)
    return !me.clock->foreign.empty();
  return time <= me.clock->getForeign(cluster - 1, warp);
}

bool GlobalShadow::check(uint64_t entry, const GlobalAccessor &me,
                         uint32_t mask, bool wrote, uint64_t granule,
                         GlobalRaceParty &other) const {
  if (LLVM_LIKELY(entry == 0) || !(entry & mask) || isOrdered(entry, me))
    return false;
  uint32_t warp = entry >> 35 & kMaxWarp;
  uint8_t lane = entry >> 29 & 63;
  if (lane == kStrong && me.strong)
    return false;
  // A strong access of the same warp may be one of the same lane.
  if (entry >> 44 == uint64_t(me.cluster) + 1 && warp == me.warp &&
      (lane == me.lane || lane == kStrong))
    return false;
  other.cluster = uint32_t(entry >> 44) - 1;
  other.manyReaders = entry >> 44 == kManyClusters;
  other.warp = warp;
  other.time = entry >> 4 & kLastTime;
  other.lane = lane;
  other.wrote = wrote;
  other.offset = (granule << shift) + llvm::countr_zero(unsigned(entry & mask));
  const Words &words = wrote ? writes : reads;
  uint16_t site = words.getSites()[granule].load(std::memory_order_relaxed);
  other.site = site & kMaxSite;
  other.beginsCas = site & kBeginsCas;
  return true;
}

void GlobalShadow::noteRead(const GlobalAccessor &me, uint64_t granule,
                            uint32_t mask) {
  Word &word = reads.getWords()[granule];
  Site &site = reads.getSites()[granule];
  uint64_t before = word.load(std::memory_order_relaxed);
  uint16_t siteBefore = site.load(std::memory_order_relaxed);
  uint64_t cluster = before >> 44;
  bool isUnordered = cluster && !isOrdered(before, me);
  // A read that begins a compare-and-swap loop does not replace an ordinary
  // read, since its races are warnings only.
  bool wasCas = siteBefore & kBeginsCas;
  bool keepsSite = isUnordered && me.beginsCas && !wasCas;
  bool replacesCas = !me.beginsCas && wasCas;
  uint64_t entry;
  if (cluster == kManyClusters) {
    // Bytes that only this cluster reads are not added: its own write of them
    // is no race.
    bool weakens = !me.strong && isStrong(before);
    if (!(before & mask) || (!replacesCas && !weakens))
      return;
    entry = weakens ? before & ~kLaneMask : before;
  } else if (cluster != uint64_t(me.cluster) + 1 && isUnordered &&
             (before & mask)) {
    // Any later write of these bytes races with one of the two.
    bool isAllStrong = me.strong && isStrong(before);
    entry =
        kManyClusters << 44 | (isAllStrong ? kStrongLane : 0) | (before & mask);
  } else if ((before >> 35 & kMaxWarp) != me.warp && isUnordered &&
             !replacesCas) {
    // The first of unordered readers is kept. The next write is probably by
    // a warp that has read before, and should find the other reader.
    return;
  } else {
    entry = makeEntry(me, mask);
  }
  word.store(entry, std::memory_order_relaxed);
  site.store(keepsSite ? siteBefore : getSite(me), std::memory_order_relaxed);
}

bool GlobalShadow::read(const GlobalAccessor &me, uint64_t offset,
                        uint32_t size, GlobalRaceParty &other) {
  if (!prepare())
    return false;
  bool race = false;
  auto [first, end] = getGranules(offset, size);
  for (uint64_t granule = first; granule < end; ++granule) {
    uint32_t mask = getGranuleMask(offset, size, granule);
    uint64_t write = writes.getWords()[granule].load(std::memory_order_relaxed);
    if (!race)
      race = check(write, me, mask, /*wrote=*/true, granule, other);
    noteRead(me, granule, mask);
  }
  return race;
}

bool GlobalShadow::write(const GlobalAccessor &me, uint64_t offset,
                         uint32_t size, GlobalRaceParty &other) {
  if (!prepare())
    return false;
  bool race = false;
  auto [first, end] = getGranules(offset, size);
  for (uint64_t granule = first; granule < end; ++granule) {
    uint32_t mask = getGranuleMask(offset, size, granule);
    Word &word = writes.getWords()[granule];
    uint64_t write = word.load(std::memory_order_relaxed);
    uint64_t read = reads.getWords()[granule].load(std::memory_order_relaxed);
    if (!race)
      race = check(write, me, mask, /*wrote=*/true, granule, other) ||
             check(read, me, mask, /*wrote=*/false, granule, other);
    word.store(makeEntry(me, mask), std::memory_order_relaxed);
    writes.getSites()[granule].store(getSite(me), std::memory_order_relaxed);
  }
  return race;
}

} // namespace tcgemm::emu
