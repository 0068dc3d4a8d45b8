//===- SharedShadow.h - Shadow of shared memory -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow has the last write of each granule of 4 bytes, and each warp's
// last read of it. After an access to a part of a granule its four bytes have
// entries of their own, until an access covers the whole granule. So accesses
// of every size are exact.
//
// FastTrack (Flanagan & Freund, PLDI 2009) keeps a read as one epoch while it
// can and as a vector clock otherwise. Here reads are always a vector, with one
// plane for each warp. Nearly all reads are ldmatrix, which then records a row
// by one vector store. A writer skips the planes of warps that have read
// nothing since it last synchronised with them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_SHAREDSHADOW_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_SHAREDSHADOW_H

#include "Machine/Memory.h"

#include "llvm/ADT/SmallVector.h"

namespace tcgemm::emu {

/// Values of a lane that do not mean a single lane.
enum LaneCode : uint8_t {
  kCollective = 32, ///< All lanes of the warp: ldmatrix and the like.
  kSeveral = 33,    ///< Several lanes, one after another.
  kStrong = 34,     ///< Reads that are atomic, volatile or relaxed.
  kSplit = 35,      ///< Reads of a split granule: see its bytes.
};

/// The entry of a read has the time beside the lane.
constexpr uint32_t kTimeBits = 25;
constexpr uint32_t kLastTime = (1u << kTimeBits) - 1;

/// The party that accesses.
struct Accessor {
  uint32_t warp; ///< In the cluster.
  uint32_t time; ///< Time of this access.
  uint8_t lane;  ///< Or kCollective.
  bool strong;   ///< Does not race with other strong ones.
  /// By warp: accesses up to this time happened before. Accesses of the same
  /// warp happened before if they came before its last synchronisation.
  const uint32_t *known;
  /// The same for writes. A write that has passed no proxy fence is not visible
  /// to the asynchronous proxy.
  const uint32_t *visible;
  /// The read is the first one of a compare-and-swap loop.
  bool beginsCas = false;
};

/// The other party of a race.
struct RaceParty {
  uint32_t warp = 0;
  uint32_t time = 0;
  uint8_t lane = 0;
  bool wrote = false;
  bool inFlight = false; ///< It is a copy in flight.
  /// Reads: all of them begin compare-and-swap loops or are strong.
  bool beginsCas = false;
  uint64_t offset = 0; ///< The byte, in the region.
};

/// Offsets are from the region's start, and accesses aligned to their size.
class SharedShadow : public Shadow {
public:
  SharedShadow(uint64_t bytes, uint32_t warps);

  /// Returns whether its memory was allocated.
  bool isValid() const { return writes != nullptr; }

  /// Each of these records an access. It returns whether the access races with
  /// an earlier one, and sets `other` to one such party.
  bool read(const Accessor &me, uint64_t offset, uint32_t bytes,
            RaceParty &other);
  /// Reads of 16 bytes by all lanes together, at `offsets`. `which` becomes the
  /// index of the offset at which a race was found.
  bool readRows(const Accessor &me, llvm::ArrayRef<uint32_t> offsets,
                unsigned &which, RaceParty &other);
  /// Called before the writes of an instruction, which share `me.known`.
  void beginWrites(const Accessor &me);
  bool write(const Accessor &me, uint64_t offset, uint32_t bytes,
             RaceParty &other);
  /// Begins a write that is in flight until endCopy().
  bool beginCopy(const Accessor &me, uint64_t offset, uint32_t bytes,
                 RaceParty &other);
  void endCopy(const Accessor &me, uint64_t offset, uint32_t bytes);

private:
  // An entry of a write: time << 32 | warp << 16 | lane << 8 | flags. A write
  // in flight and a split granule have a time beyond all times that a warp can
  // know. So one comparison finds the common case.
  static constexpr uint64_t kStrongFlag = 1, kFlightFlag = 2, kSplitFlag = 4;
  static constexpr uint64_t kBeyond = uint64_t(1) << 63;

  static uint64_t makeWrite(const Accessor &me, uint64_t flags) {
    return uint64_t(me.time) << 32 | uint64_t(me.warp) << 16 |
           uint64_t(me.lane) << 8 | (me.strong ? kStrongFlag : 0) | flags;
  }
  // An entry of a read: cas << 31 | time << 6 | lane.
  static constexpr uint32_t kCasFlag = uint32_t(1) << 31;

  static uint32_t makeRead(const Accessor &me) {
    return (me.beginsCas ? kCasFlag : 0) | me.time << 6 |
           (me.strong ? uint32_t(kStrong) : me.lane);
  }
  static uint32_t getTime(uint32_t read) { return read >> 6 & kLastTime; }
  static uint32_t mergeReads(const Accessor &me, uint32_t before);
  static bool isOrdered(uint64_t entry, const Accessor &me) {
    return uint32_t(entry >> 32) <= me.visible[uint16_t(entry >> 16)];
  }
  /// The granule behind an access. It is at most the one behind the region's
  /// last granule, since bytes outside of the region are ignored.
  uint64_t getEnd(uint64_t offset, uint32_t bytes) const;
  uint32_t *getPlane(uint32_t warp);
  uint32_t *getByteReads(uint32_t warp);
  uint64_t *getByteWrites();

  bool checkWriteEntry(uint64_t entry, const Accessor &me, uint64_t offset,
                       RaceParty &other) const;
  bool checkGranule(const Accessor &me, uint64_t granule, uint32_t mask,
                    RaceParty &other);
  bool checkReadEntry(uint32_t entry, uint32_t warp, const Accessor &me,
                      uint64_t offset, RaceParty &other) const;
  bool checkReads(const Accessor &me, uint64_t granule, uint32_t mask,
                  RaceParty &other);
  void noteRead(const Accessor &me, uint32_t *plane, uint64_t granule,
                uint32_t mask);
  void noteWrite(uint64_t entry, uint64_t granule, uint32_t mask);
  bool writeEntry(const Accessor &me, uint64_t flags, uint64_t offset,
                  uint32_t bytes, RaceParty &other);

  struct Reads {
    LazyBytes granules; ///< uint32_t.
    LazyBytes bytes;    ///< The same for the bytes of split granules.
    uint32_t last = 0;  ///< The time of the last read.
  };

  uint64_t granules;
  LazyBytes writes;         ///< uint64_t a granule.
  LazyBytes byteWrites;     ///< uint64_t a byte.
  std::vector<Reads> reads; ///< By warp.
  /// Warps whose reads may be unordered with the present writes.
  llvm::SmallVector<uint32_t, 32> suspects;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_SHAREDSHADOW_H
