//===- GlobalShadow.h - Shadow of global memory -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow has the last write and the last read of each granule of a region.
// Each is one word, so clusters on several host threads need no lock.
// Concurrent updates may lose an entry, and with it a race, but every reported
// race is real. A granule has 4 bytes, or 2 if the elements have 2. If several
// warps write bytes of one granule, the shadow keeps the last write.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_GLOBALSHADOW_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_GLOBALSHADOW_H

#include "Checkers/SharedShadow.h"
#include "Checkers/VectorClock.h"

#include <atomic>
#include <mutex>

namespace tcgemm::emu {

/// The party that accesses global memory. Its `known` is `clock.own`.
struct GlobalAccessor : Accessor {
  uint32_t cluster;
  const VectorClock *clock;
  uint16_t site; ///< The instruction's site; 0: too large to be stored.
};

struct GlobalRaceParty : RaceParty {
  uint32_t cluster = 0;
  bool manyReaders = false; ///< It stands for readers of several clusters.
  uint16_t site = 0;
};

class GlobalShadow : public Shadow {
public:
  static constexpr uint32_t kMaxCluster = (1u << 20) - 3;
  static constexpr uint32_t kMaxWarp = (1u << 9) - 1;
  static constexpr uint16_t kMaxSite = (1u << 15) - 1;

  GlobalShadow(uint64_t bytes, unsigned elementBytes);

  /// Returns whether an allocation of memory for it has failed.
  bool hasFailed() const { return state.load() < 0; }

  /// The number that stands for the instruction as GlobalAccessor::site.
  static uint16_t getSiteNumber(const Instruction &inst) {
    return inst.site < kMaxSite ? inst.site + 1 : 0;
  }

  // Bytes outside of the region are ignored.
  bool read(const GlobalAccessor &me, uint64_t offset, uint32_t size,
            GlobalRaceParty &other);
  bool write(const GlobalAccessor &me, uint64_t offset, uint32_t size,
             GlobalRaceParty &other);

private:
  using Word = std::atomic<uint64_t>;
  using Site = std::atomic<uint16_t>;
  // An entry: (cluster + 1) << 44 | warp << 35 | lane << 29 | time << 4 | mask.
  static constexpr uint64_t kManyClusters = (uint64_t(1) << 20) - 1;
  static constexpr uint64_t kLaneMask = uint64_t(63) << 29;
  static constexpr uint64_t kStrongLane = uint64_t(kStrong) << 29;
  static bool isStrong(uint64_t entry) {
    return (entry & kLaneMask) == kStrongLane;
  }
  // A flag of a site: GlobalAccessor::beginsCas.
  static constexpr uint16_t kBeginsCas = 1u << 15;

  struct Words {
    LazyBytes words, sites;
    Word *getWords() const { return reinterpret_cast<Word *>(words.get()); }
    Site *getSites() const { return reinterpret_cast<Site *>(sites.get()); }
  };

  /// The granules of an access: [first, end), which may be empty.
  struct Granules {
    uint64_t first, end;
  };
  Granules getGranules(uint64_t offset, uint32_t size) const;
  bool prepare();
  uint32_t getGranuleMask(uint64_t offset, uint32_t size,
                          uint64_t granule) const;
  static uint64_t makeEntry(const GlobalAccessor &me, uint32_t mask);
  static bool isOrdered(uint64_t entry, const GlobalAccessor &me);
  static uint16_t getSite(const GlobalAccessor &me) {
    return me.site | (me.beginsCas ? kBeginsCas : 0);
  }
  void noteRead(const GlobalAccessor &me, uint64_t granule, uint32_t mask);
  bool check(uint64_t entry, const GlobalAccessor &me, uint32_t mask,
             bool wrote, uint64_t granule, GlobalRaceParty &other) const;

  uint64_t bytes;
  unsigned shift; ///< Bytes of a granule, log2.
  Words writes, reads;
  std::once_flag once;
  std::atomic<int> state{0}; ///< 1: there is memory; -1: there is none.
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_GLOBALSHADOW_H
