//===- RaceShadowTest.cpp - What the race checker remembers ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/GlobalShadow.h"
#include "Checkers/RaceClocks.h"

#include <gtest/gtest.h>

#include <random>

using namespace tcgemm::emu;

namespace {

constexpr SyncKey kBarrier{SyncKey::Kind::Barrier, 0};

/// Warps of one cluster on a shadow of shared memory.
class SharedShadowTest : public testing::Test {
protected:
  static constexpr uint32_t kWarps = 4;
  WordTable table;
  RaceClocks clocks{0, kWarps, table};
  SharedShadow shadow{4096, kWarps};
  RaceParty other;
  uint64_t phase = 0;

  Accessor make(uint32_t warp, uint8_t lane, bool strong = false) {
    clocks.receive(warp);
    const uint32_t *known = clocks.getKnown(warp).own.data();
    return {warp, clocks.tick(warp), lane, strong, known, known};
  }
  bool read(uint32_t warp, uint8_t lane, uint64_t offset, uint32_t bytes) {
    return shadow.read(make(warp, lane), offset, bytes, other);
  }
  bool write(uint32_t warp, uint8_t lane, uint64_t offset, uint32_t bytes,
             bool strong = false) {
    Accessor me = make(warp, lane, strong);
    shadow.beginWrites(me);
    return shadow.write(me, offset, bytes, other);
  }
  void barrier() {
    for (uint32_t warp = 0; warp < kWarps; ++warp)
      clocks.release(warp, kBarrier, phase);
    for (uint32_t warp = 0; warp < kWarps; ++warp)
      clocks.acquire(warp, kBarrier, 0);
    ++phase;
  }
};

TEST_F(SharedShadowTest, BarrierOrders) {
  EXPECT_FALSE(write(0, 3, 16, 16));
  EXPECT_TRUE(read(1, 0, 20, 4));
  EXPECT_EQ(other.warp, 0u);
  EXPECT_EQ(other.lane, 3u);
  EXPECT_EQ(other.offset, 20u);
  EXPECT_TRUE(other.wrote);
  barrier();
  EXPECT_FALSE(read(1, 0, 20, 4));
  EXPECT_TRUE(write(2, 0, 16, 8));
  EXPECT_FALSE(other.wrote);
  EXPECT_EQ(other.warp, 1u);
  barrier();
  EXPECT_FALSE(write(2, 0, 16, 8));
}

TEST_F(SharedShadowTest, LanesOfAWarp) {
  EXPECT_FALSE(write(0, 3, 0, 4));
  EXPECT_FALSE(read(0, 3, 0, 4));
  EXPECT_TRUE(read(0, 4, 0, 4));
  clocks.syncWarp(0);
  EXPECT_FALSE(read(0, 4, 0, 4));
  EXPECT_FALSE(read(0, 5, 0, 4));
  // Two threads have read: for any writer, one of them is another thread.
  EXPECT_TRUE(write(0, 5, 0, 4));
  clocks.syncWarp(0);
  EXPECT_FALSE(write(0, 7, 0, 4));
}

TEST_F(SharedShadowTest, NeighbouringBytes) {
  for (uint8_t warp = 0; warp < 4; ++warp)
    EXPECT_FALSE(write(warp, 0, 8 + warp, 1)) << int(warp);
  EXPECT_TRUE(write(1, 0, 10, 2));
  EXPECT_EQ(other.offset, 10u);
  EXPECT_EQ(other.warp, 2u);
  barrier();
  // A write of the whole word makes the granule plain again.
  EXPECT_FALSE(write(0, 0, 8, 4));
  EXPECT_TRUE(read(1, 0, 11, 1));
  barrier();
  EXPECT_FALSE(read(1, 0, 8, 2));
  EXPECT_FALSE(read(2, 0, 10, 2));
  EXPECT_FALSE(write(1, 0, 9, 1));
  EXPECT_TRUE(write(1, 0, 10, 1));
}

TEST_F(SharedShadowTest, PhasesAreApart) {
  // Warp 1 arrives last, continues, writes and arrives again before warp 0
  // leaves.
  clocks.release(0, kBarrier, 0);
  clocks.release(1, kBarrier, 0);
  clocks.acquire(1, kBarrier, 0);
  EXPECT_FALSE(write(1, 0, 0, 16));
  clocks.release(1, kBarrier, 1);
  clocks.acquire(0, kBarrier, 0);
  EXPECT_TRUE(read(0, 0, 0, 4));
  clocks.release(0, kBarrier, 1);
  clocks.acquire(0, kBarrier, 0);
  EXPECT_FALSE(read(0, 0, 0, 4));
}

TEST_F(SharedShadowTest, StrongAccesses) {
  EXPECT_FALSE(write(0, 0, 0, 4, true));
  EXPECT_FALSE(write(1, 9, 0, 4, true));
  EXPECT_FALSE(write(1, 8, 0, 4, true));
  EXPECT_TRUE(read(2, 0, 0, 4));
  EXPECT_TRUE(write(3, 0, 0, 4));
}

TEST_F(SharedShadowTest, CopiesInFlight) {
  Accessor me = make(0, 5);
  shadow.beginWrites(me);
  EXPECT_FALSE(shadow.beginCopy(me, 32, 16, other));
  EXPECT_TRUE(read(0, 5, 44, 4));
  EXPECT_TRUE(other.inFlight);
  barrier(); // Does not help.
  EXPECT_TRUE(read(1, 5, 44, 4));
  EXPECT_TRUE(other.inFlight);
  barrier();
  shadow.endCopy(make(0, 5), 32, 16);
  EXPECT_FALSE(read(0, 5, 44, 4));
  EXPECT_TRUE(read(0, 6, 44, 4));
  EXPECT_FALSE(other.inFlight);
  EXPECT_TRUE(read(1, 5, 44, 4));
  barrier();
  uint32_t rows[] = {16, 32};
  unsigned which;
  EXPECT_FALSE(shadow.readRows(make(1, kCollective), rows, which, other));
  EXPECT_TRUE(write(0, 0, 40, 4));
  EXPECT_EQ(other.lane, kCollective);
}

TEST_F(SharedShadowTest, RowsOfMatrices) {
  EXPECT_FALSE(write(0, 1, 4 * 64 + 12, 4));
  std::vector<uint32_t> rows(32);
  for (uint32_t i = 0; i < 32; ++i)
    rows[i] = i * 64;
  unsigned which = 0;
  EXPECT_TRUE(shadow.readRows(make(1, kCollective), rows, which, other));
  EXPECT_EQ(which, 4u);
  EXPECT_EQ(other.offset, 4u * 64 + 12);
  barrier();
  EXPECT_FALSE(shadow.readRows(make(1, kCollective), rows, which, other));
}

/// The last write and the last reads of every byte.
class SlowShadow {
public:
  explicit SlowShadow(uint64_t bytes) : bytes(bytes) {}
  bool access(const Accessor &me, uint64_t offset, uint32_t size, bool writes) {
    bool race = false;
    for (uint64_t at = offset; at < offset + size; ++at) {
      Byte &byte = bytes[at];
      race |= byte.isWritten && differ(byte.write, me);
      if (writes) {
        for (const Event &read : byte.reads)
          race |= differ(read, me);
        byte.write = {me.warp, me.time, me.lane};
        byte.isWritten = true;
      } else {
        byte.reads.push_back({me.warp, me.time, me.lane});
      }
    }
    return race;
  }

private:
  struct Event {
    uint32_t warp, time;
    uint8_t lane;
  };
  static bool differ(const Event &before, const Accessor &me) {
    return before.time > me.known[before.warp] &&
           (before.warp != me.warp || before.lane != me.lane);
  }
  struct Byte {
    bool isWritten = false;
    Event write;
    std::vector<Event> reads;
  };
  std::vector<Byte> bytes;
};

/// Accesses at random agree with the slow shadow, as long as no race has been
/// found (after one they remember different things).
TEST(SharedShadowRandom, AgreesWithSlowOne) {
  std::mt19937 random(7);
  unsigned races = 0, clean = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    constexpr uint32_t kWarps = 3, kBytes = 32;
    WordTable table;
    RaceClocks clocks(0, kWarps, table);
    SharedShadow shadow(kBytes, kWarps);
    SlowShadow slow(kBytes);
    uint64_t phase = 0;
    for (unsigned step = 0; step < 60; ++step) {
      unsigned what = random() % 16;
      uint32_t warp = random() % kWarps;
      if (what == 0) {
        clocks.syncWarp(warp);
        continue;
      }
      if (what < 4) {
        for (uint32_t each = 0; each < kWarps; ++each)
          clocks.release(each, kBarrier, phase);
        for (uint32_t each = 0; each < kWarps; ++each)
          clocks.acquire(each, kBarrier, 0);
        ++phase;
        continue;
      }
      uint32_t size = 1u << random() % 5;
      uint64_t offset = random() % (kBytes / size) * size;
      const uint32_t *known = clocks.getKnown(warp).own.data();
      Accessor me{warp, clocks.tick(warp), uint8_t(random() % 3), false, known,
                  known};
      bool writes = random() % 3 == 0;
      RaceParty other;
      bool found;
      if (writes) {
        shadow.beginWrites(me);
        found = shadow.write(me, offset, size, other);
      } else {
        found = shadow.read(me, offset, size, other);
      }
      ASSERT_EQ(found, slow.access(me, offset, size, writes))
          << "round " << round << " step " << step;
      ++(found ? races : clean);
      if (found)
        break;
    }
  }
  EXPECT_GT(races, 1000u);
  EXPECT_GT(clean, 1000u);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

class GlobalShadowTest : public testing::Test {
protected:
  WordTable table;
  std::vector<std::unique_ptr<RaceClocks>> clusters;
  GlobalShadow shadow{4096, 4};
  GlobalRaceParty other;

  void SetUp() override {
    for (uint32_t i = 0; i < 3; ++i)
      clusters.push_back(std::make_unique<RaceClocks>(i, 2, table));
  }
  GlobalAccessor make(uint32_t cluster, uint32_t warp, uint8_t lane) {
    RaceClocks &clocks = *clusters[cluster];
    clocks.receive(warp);
    GlobalAccessor me;
    me.warp = warp;
    me.time = clocks.tick(warp);
    me.lane = lane;
    me.strong = false;
    me.known = me.visible = clocks.getKnown(warp).own.data();
    me.clock = &clocks.getKnown(warp);
    me.cluster = cluster;
    me.site = 1;
    return me;
  }
  bool read(uint32_t cluster, uint32_t warp, uint8_t lane, uint64_t offset,
            uint32_t bytes) {
    return shadow.read(make(cluster, warp, lane), offset, bytes, other);
  }
  bool write(uint32_t cluster, uint32_t warp, uint8_t lane, uint64_t offset,
             uint32_t bytes) {
    return shadow.write(make(cluster, warp, lane), offset, bytes, other);
  }
  void store(uint32_t cluster, uint32_t warp, Order order) {
    clusters[cluster]->access(warp, nullptr, 64, false, true, order,
                              Scope::Gpu);
  }
  void load(uint32_t cluster, uint32_t warp, Order order) {
    clusters[cluster]->access(warp, nullptr, 64, true, false, order,
                              Scope::Gpu);
  }
};

TEST_F(GlobalShadowTest, ClustersAreUnordered) {
  EXPECT_FALSE(write(0, 0, 0, 0, 8));
  EXPECT_FALSE(write(1, 0, 0, 8, 8));
  EXPECT_TRUE(write(1, 0, 0, 4, 2));
  EXPECT_EQ(other.cluster, 0u);
  EXPECT_FALSE(read(0, 1, 0, 100, 4));
  EXPECT_FALSE(read(1, 1, 0, 100, 4));
  EXPECT_TRUE(write(0, 1, 0, 100, 4));
  EXPECT_TRUE(other.manyReaders);
}

TEST_F(GlobalShadowTest, ReleaseAndAcquire) {
  write(0, 0, 0, 0, 4);
  store(0, 0, Order::Release);
  load(1, 1, Order::Acquire);
  EXPECT_FALSE(read(1, 1, 0, 0, 4));
  EXPECT_TRUE(read(1, 0, 0, 0, 4)); // The other warp has not heard of it.
  load(2, 0, Order::Relaxed);
  EXPECT_TRUE(read(2, 0, 0, 0, 4)); // No fence.
}

TEST_F(GlobalShadowTest, Fences) {
  write(0, 0, 0, 0, 4);
  store(0, 0, Order::Relaxed); // Not fenced.
  load(1, 0, Order::Relaxed);
  clusters[1]->fence(0, Scope::Gpu);
  EXPECT_TRUE(read(1, 0, 0, 0, 4));
  write(0, 0, 0, 128, 4);
  clusters[0]->fence(0, Scope::Cta); // Not far enough.
  store(0, 0, Order::Relaxed);
  load(1, 0, Order::Relaxed);
  clusters[1]->fence(0, Scope::Gpu);
  EXPECT_TRUE(read(1, 0, 0, 128, 4));
  write(0, 0, 0, 256, 4);
  clusters[0]->fence(0, Scope::Gpu);
  store(0, 0, Order::Relaxed);
  load(1, 0, Order::Relaxed);
  clusters[1]->fence(0, Scope::Gpu);
  EXPECT_FALSE(read(1, 0, 0, 256, 4));
  // Synchronisation is transitive to a third thread.
  store(1, 0, Order::Release);
  load(2, 0, Order::Acquire);
  EXPECT_FALSE(write(2, 0, 0, 256, 4));
}

TEST_F(GlobalShadowTest, NarrowElements) {
  GlobalShadow narrow(4096, 2);
  EXPECT_FALSE(narrow.write(make(0, 0, 0), 0, 2, other));
  EXPECT_FALSE(narrow.write(make(1, 0, 0), 2, 2, other));
  EXPECT_TRUE(narrow.write(make(2, 0, 0), 0, 2, other));
  EXPECT_EQ(other.cluster, 0u);
}

// Neighbours of a granule that two clusters read, each its own, are written
// without a race by their readers only.
TEST_F(GlobalShadowTest, NeighboursHaveReadersOfTheirOwn) {
  EXPECT_FALSE(read(0, 0, 0, 0, 2));
  EXPECT_FALSE(read(1, 0, 0, 2, 2));
  EXPECT_FALSE(write(1, 0, 0, 2, 2));
  EXPECT_FALSE(read(0, 0, 0, 8, 4));
  EXPECT_FALSE(read(1, 0, 0, 8, 4));
  EXPECT_FALSE(read(2, 0, 0, 10, 2));
  EXPECT_TRUE(write(2, 0, 0, 10, 2));
  EXPECT_TRUE(other.manyReaders);

  // The size of the elements may be unknown.
  GlobalShadow unknown(4096, 0);
  EXPECT_FALSE(unknown.read(make(0, 0, 0), 0, 2, other));
  EXPECT_FALSE(unknown.read(make(1, 0, 0), 2, 2, other));
  EXPECT_FALSE(unknown.write(make(1, 0, 0), 2, 2, other));
  EXPECT_TRUE(unknown.write(make(1, 0, 0), 0, 2, other));
  EXPECT_EQ(other.cluster, 0u);
}

//===----------------------------------------------------------------------===//
// Accesses outside of the region
//===----------------------------------------------------------------------===//

TEST_F(SharedShadowTest, NothingIsKeptOutside) {
  constexpr uint64_t kFar = uint64_t(1) << 32;
  for (uint64_t offset : {kFar, uint64_t(4096 + 64)}) {
    EXPECT_FALSE(write(0, 0, offset, 16));
    EXPECT_FALSE(read(1, 0, offset, 16));
    EXPECT_FALSE(write(1, 0, offset, 1));
  }
  Accessor me = make(2, 0);
  EXPECT_FALSE(shadow.beginCopy(me, kFar, 16, other));
  shadow.endCopy(me, kFar, 16);
  unsigned which = 0;
  EXPECT_FALSE(shadow.readRows(me, {uint32_t(kFar - 16)}, which, other));
}

TEST_F(GlobalShadowTest, NothingIsKeptOutside) {
  constexpr uint64_t kFar = uint64_t(1) << 40;
  for (uint64_t offset : {uint64_t(4096), uint64_t(4100), kFar}) {
    EXPECT_FALSE(write(0, 0, 0, offset, 4));
    EXPECT_FALSE(write(1, 0, 0, offset, 4));
    EXPECT_FALSE(read(1, 1, 0, offset, 16));
  }
  // If an access exceeds the end, its part inside is recorded.
  EXPECT_FALSE(write(0, 0, 0, 4092, 1 << 20));
  EXPECT_TRUE(read(1, 0, 0, 4095, 1 << 20));
  EXPECT_EQ(other.offset, 4095u);
  EXPECT_FALSE(write(0, 0, 0, 0, 0));
  EXPECT_FALSE(write(1, 0, 0, 0, 4));
}

} // namespace
