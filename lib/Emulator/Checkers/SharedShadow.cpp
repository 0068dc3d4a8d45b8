//===- SharedShadow.cpp - Shadow of shared memory -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/SharedShadow.h"

#include <algorithm>

namespace tcgemm::emu {

SharedShadow::SharedShadow(uint64_t bytes, uint32_t warps)
    : granules((bytes + 3) / 4 + 4), reads(warps) {
  writes = allocateZeroed(granules * sizeof(uint64_t));
}

uint32_t *SharedShadow::getPlane(uint32_t warp) {
  // New asynchronous agents may appear during a launch.
  if (LLVM_UNLIKELY(warp >= reads.size()))
    reads.resize(warp + 1);
  Reads &mine = reads[warp];
  if (!mine.granules)
    mine.granules = allocateZeroed(granules * sizeof(uint32_t));
  return reinterpret_cast<uint32_t *>(mine.granules.get());
}

uint32_t *SharedShadow::getByteReads(uint32_t warp) {
  Reads &mine = reads[warp];
  if (!mine.bytes)
    mine.bytes = allocateZeroed(4 * granules * sizeof(uint32_t));
  return reinterpret_cast<uint32_t *>(mine.bytes.get());
}

uint64_t *SharedShadow::getByteWrites() {
  if (!byteWrites)
    byteWrites = allocateZeroed(4 * granules * sizeof(uint64_t));
  return reinterpret_cast<uint64_t *>(byteWrites.get());
}

uint64_t SharedShadow::getEnd(uint64_t offset, uint32_t bytes) const {
  return std::min(offset / 4 + (uint64_t(bytes) + 3) / 4, granules);
}

/// The bytes of a granule that an access of less than 4 bytes covers.
static uint32_t getMask(uint64_t offset, uint32_t bytes) {
  return bytes >= 4 ? 15 : ((1u << bytes) - 1) << (offset & 3);
}

//===----------------------------------------------------------------------===//
// Races with earlier writes
//===----------------------------------------------------------------------===//

/// Checks a write that is not known to have happened before `me`.
bool SharedShadow::checkWriteEntry(uint64_t entry, const Accessor &me,
                                   uint64_t offset, RaceParty &other) const {
  uint32_t warp = uint16_t(entry >> 16);
  uint8_t lane = uint8_t(entry >> 8);
  bool inFlight = entry & kFlightFlag;
  if (!inFlight && ((me.strong && (entry & kStrongFlag)) ||
                    (warp == me.warp && lane == me.lane)))
    return false;
  other.warp = warp;
  other.time = uint32_t((entry & ~kBeyond) >> 32);
  other.lane = lane;
  other.wrote = true;
  other.inFlight = inFlight;
  other.offset = offset;
  return true;
}

/// The slow path for a granule whose write may be unordered.
bool SharedShadow::checkGranule(const Accessor &me, uint64_t granule,
                                uint32_t mask, RaceParty &other) {
  uint64_t entry = reinterpret_cast<uint64_t *>(writes.get())[granule];
  if (!(entry & kSplitFlag))
    return !isOrdered(entry, me) &&
           checkWriteEntry(entry, me, granule * 4 + llvm::countr_zero(mask),
                           other);
  const uint64_t *bytes = getByteWrites() + granule * 4;
  for (unsigned i = 0; i < 4; ++i)
    if ((mask >> i & 1) && !isOrdered(bytes[i], me) &&
        checkWriteEntry(bytes[i], me, granule * 4 + i, other))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// Merges the entry of a read with an earlier one of its warp. Lanes that read
/// without a synchronisation between them are all kept, since the next write
/// may be by one of them. A read that begins a compare-and-swap loop does not
/// replace an ordinary read.
uint32_t SharedShadow::mergeReads(const Accessor &me, uint32_t before) {
  uint32_t mine = makeRead(me);
  if (getTime(before) <= me.known[me.warp])
    return mine;
  uint32_t lane = before & 63;
  bool beginsCas =
      (lane == kStrong || (before & kCasFlag)) && (me.strong || me.beginsCas);
  uint32_t flag = beginsCas ? kCasFlag : 0;
  if (lane == (mine & 63))
    return (mine & ~kCasFlag) | (me.strong ? 0 : flag);
  return flag | me.time << 6 | kSeveral;
}

void SharedShadow::noteRead(const Accessor &me, uint32_t *plane,
                            uint64_t granule, uint32_t mask) {
  uint32_t before = plane[granule];
  if (mask == 15 && (before & 63) != kSplit) {
    plane[granule] = mergeReads(me, before);
    return;
  }
  uint32_t *bytes = getByteReads(me.warp) + granule * 4;
  if ((before & 63) != kSplit)
    std::fill_n(bytes, 4, before);
  for (unsigned i = 0; i < 4; ++i)
    if (mask >> i & 1)
      bytes[i] = mergeReads(me, bytes[i]);
  bool same =
      bytes[0] == bytes[1] && bytes[0] == bytes[2] && bytes[0] == bytes[3];
  plane[granule] = same ? bytes[0] : me.time << 6 | kSplit;
}

bool SharedShadow::read(const Accessor &me, uint64_t offset, uint32_t bytes,
                        RaceParty &other) {
  uint64_t granule = offset / 4;
  uint32_t mask = getMask(offset, bytes);
  const auto *entries = reinterpret_cast<uint64_t *>(writes.get());
  uint32_t *plane = getPlane(me.warp);
  reads[me.warp].last = me.time;
  bool race = false;
  for (uint64_t end = getEnd(offset, bytes); granule < end; ++granule) {
    if (LLVM_UNLIKELY(!isOrdered(entries[granule], me)) && !race)
      race = checkGranule(me, granule, mask, other);
    noteRead(me, plane, granule, mask);
  }
  return race;
}

bool SharedShadow::readRows(const Accessor &me,
                            llvm::ArrayRef<uint32_t> offsets, unsigned &which,
                            RaceParty &other) {
  const auto *entries = reinterpret_cast<uint64_t *>(writes.get());
  uint32_t *plane = getPlane(me.warp);
  reads[me.warp].last = me.time;
  const uint32_t mine = makeRead(me);
  bool race = false;
  for (unsigned i = 0; i < offsets.size(); ++i) {
    uint64_t granule = offsets[i] / 4;
    if (LLVM_UNLIKELY(granule + 4 > granules))
      continue;
    const uint64_t *row = entries + granule;
    // A row mostly has four equal entries, of one copy or store.
    bool same =
        ((row[0] ^ row[1]) | (row[0] ^ row[2]) | (row[0] ^ row[3])) == 0;
    bool ordered = isOrdered(row[0], me);
    if (!same)
      ordered = ordered && isOrdered(row[1], me) && isOrdered(row[2], me) &&
                isOrdered(row[3], me);
    if (LLVM_UNLIKELY(!ordered) && !race)
      for (unsigned j = 0; j < 4 && !race; ++j)
        if (checkGranule(me, granule + j, 15, other)) {
          race = true;
          which = i;
        }
    std::fill_n(plane + granule, 4, mine);
  }
  return race;
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

void SharedShadow::beginWrites(const Accessor &me) {
  suspects.clear();
  for (uint32_t warp = 0; warp < reads.size(); ++warp)
    if (reads[warp].last > me.known[warp])
      suspects.push_back(warp);
}

bool SharedShadow::checkReadEntry(uint32_t entry, uint32_t warp,
                                  const Accessor &me, uint64_t offset,
                                  RaceParty &other) const {
  uint32_t time = getTime(entry);
  uint8_t lane = entry & 63;
  if (time <= me.known[warp] || (lane == kStrong && me.strong))
    return false;
  // A strong access of the same warp may be one of the same lane.
  if (warp == me.warp && (lane == me.lane || lane == kStrong))
    return false;
  other.warp = warp;
  other.time = time;
  other.lane = lane;
  other.wrote = false;
  other.inFlight = false;
  other.beginsCas = entry & kCasFlag;
  other.offset = offset;
  return true;
}

bool SharedShadow::checkReads(const Accessor &me, uint64_t granule,
                              uint32_t mask, RaceParty &other) {
  for (uint32_t warp : suspects) {
    uint32_t entry =
        reinterpret_cast<uint32_t *>(reads[warp].granules.get())[granule];
    if (LLVM_LIKELY(getTime(entry) <= me.known[warp]))
      continue;
    if ((entry & 63) != kSplit) {
      if (checkReadEntry(entry, warp, me, granule * 4 + llvm::countr_zero(mask),
                         other))
        return true;
      continue;
    }
    const uint32_t *bytes = getByteReads(warp) + granule * 4;
    for (unsigned i = 0; i < 4; ++i)
      if ((mask >> i & 1) &&
          checkReadEntry(bytes[i], warp, me, granule * 4 + i, other))
        return true;
  }
  return false;
}

void SharedShadow::noteWrite(uint64_t entry, uint64_t granule, uint32_t mask) {
  uint64_t &word = reinterpret_cast<uint64_t *>(writes.get())[granule];
  if (LLVM_LIKELY(mask == 15)) {
    word = entry;
    return;
  }
  uint64_t *bytes = getByteWrites() + granule * 4;
  if (!(word & kSplitFlag))
    std::fill_n(bytes, 4, word);
  for (unsigned i = 0; i < 4; ++i)
    if (mask >> i & 1)
      bytes[i] = entry;
  word = kBeyond | kSplitFlag;
}

bool SharedShadow::writeEntry(const Accessor &me, uint64_t flags,
                              uint64_t offset, uint32_t bytes,
                              RaceParty &other) {
  const auto *entries = reinterpret_cast<uint64_t *>(writes.get());
  uint64_t granule = offset / 4;
  uint32_t mask = getMask(offset, bytes);
  uint64_t mine = makeWrite(me, flags) | (flags & kFlightFlag ? kBeyond : 0);
  bool race = false;
  for (uint64_t end = getEnd(offset, bytes); granule < end; ++granule) {
    if (LLVM_UNLIKELY(!isOrdered(entries[granule], me)) && !race)
      race = checkGranule(me, granule, mask, other);
    if (!suspects.empty() && !race)
      race = checkReads(me, granule, mask, other);
    noteWrite(mine, granule, mask);
  }
  return race;
}

bool SharedShadow::write(const Accessor &me, uint64_t offset, uint32_t bytes,
                         RaceParty &other) {
  bool race = writeEntry(me, 0, offset, bytes, other);
  // A strong write (an atomic) is also recorded as a read. The next warp's
  // write replaces the entry of the write. The entry of the read remains, so
  // that plain writes find it.
  if (me.strong) {
    uint32_t *plane = getPlane(me.warp);
    reads[me.warp].last = me.time;
    uint64_t granule = offset / 4;
    for (uint64_t end = getEnd(offset, bytes); granule < end; ++granule)
      noteRead(me, plane, granule, getMask(offset, bytes));
  }
  return race;
}

bool SharedShadow::beginCopy(const Accessor &me, uint64_t offset,
                             uint32_t bytes, RaceParty &other) {
  return writeEntry(me, kFlightFlag, offset, bytes, other);
}

void SharedShadow::endCopy(const Accessor &me, uint64_t offset,
                           uint32_t bytes) {
  auto *entries = reinterpret_cast<uint64_t *>(writes.get());
  uint64_t mine = makeWrite(me, 0);
  // Copies write whole granules. An entry that another write has replaced
  // remains.
  constexpr uint64_t kWho = 0xffffff00 | kFlightFlag;
  for (uint64_t granule = offset / 4, end = getEnd(offset, bytes);
       granule < end; ++granule)
    if ((entries[granule] & kWho) == ((mine | kFlightFlag) & kWho) &&
        !(entries[granule] & kSplitFlag))
      entries[granule] = mine;
}

} // namespace tcgemm::emu
