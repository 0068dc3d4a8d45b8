//===- CacheModel.cpp - Cache model ---------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile/CacheModel.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace tcgemm::emu {

static constexpr unsigned kLineBytes = 128;

SectorCache::SectorCache(uint64_t bytes)
    : sets(std::max<uint64_t>(1, bytes / kLineBytes / kWays)) {
  lines.resize(sets * kWays);
  clocks.resize(sets);
}

SectorCache::Line *SectorCache::findSet(uint64_t line) {
  // Caches hash the line number, so that pitches of a power of two spread.
  return &lines[(line ^ line >> 9 ^ line >> 17) % sets * kWays];
}

/// Finds the line, or inserts it.
SectorCache::Line &SectorCache::find(uint64_t line, CacheTraffic &traffic) {
  Line *set = findSet(line);
  Line *oldest = set;
  uint32_t now = ++clocks[(set - lines.data()) / kWays];
  for (Line *each = set; each != set + kWays; ++each) {
    if (each->tag == line + 1) {
      each->used = now;
      return *each;
    }
    if (each->used < oldest->used)
      oldest = each;
  }
  traffic.writtenBack += llvm::popcount(oldest->dirty);
  *oldest = Line();
  oldest->tag = line + 1;
  oldest->used = now;
  return *oldest;
}

void SectorCache::access(uint64_t line, unsigned sectors, CacheAccess kind,
                         CacheTraffic &traffic) {
  Line &found = find(line, traffic);
  // A written sector is not fetched, since the cache knows which bytes it has.
  if (kind != CacheAccess::Write)
    traffic.fetched += llvm::popcount(sectors & ~unsigned(found.valid));
  if (kind != CacheAccess::Read)
    found.dirty |= sectors;
  found.valid |= sectors;
}

unsigned SectorCache::read(uint64_t line, unsigned sectors) {
  CacheTraffic none;
  Line &found = find(line, none);
  unsigned missing = sectors & ~unsigned(found.valid);
  found.valid |= sectors;
  return missing;
}

void SectorCache::drop(uint64_t line, unsigned sectors) {
  Line *set = findSet(line);
  for (Line *each = set; each != set + kWays; ++each)
    if (each->tag == line + 1)
      each->valid &= ~sectors;
}

SharedCache::SharedCache(uint64_t bytes) {
  for (unsigned i = 0; i < kParts; ++i)
    parts.push_back(std::make_unique<Part>(bytes / kParts));
}

void SharedCache::access(uint64_t line, unsigned sectors, CacheAccess kind,
                         CacheTraffic &traffic) {
  Part &part = *parts[(line ^ line >> 6 ^ line >> 12) % kParts];
  std::lock_guard<std::mutex> lock(part.mutex);
  part.cache.access(line / kParts, sectors, kind, traffic);
}

} // namespace tcgemm::emu
