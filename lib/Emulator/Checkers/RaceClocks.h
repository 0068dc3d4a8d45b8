//===- RaceClocks.h - Happens-before order of warps -------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order between a cluster's warps, and with other clusters as far as words
// of global memory make one:
//
//   release pattern: a fence, then a strong write (or a .release write);
//   acquire pattern: a strong read, then a fence (or a .acquire read).
//
// Strong is whatever is not .weak. What a fence has covered also counts as
// fenced for a warp that meets this one at a barrier afterwards: so works the
// usual counter, where all threads fence and then one does the atomic.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_RACECLOCKS_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_RACECLOCKS_H

#include "Checkers/VectorClock.h"
#include "Machine/Observer.h"

#include <deque>
#include <mutex>

namespace tcgemm::emu {

using ClockRef = std::shared_ptr<const SharedClock>;

/// What was released through words of memory. Thread-safe.
class WordTable {
public:
  void release(uint64_t address, const ClockRef &clock);
  /// Null if nothing was.
  ClockRef find(uint64_t address) const;

private:
  struct Shard {
    std::mutex mutex;
    llvm::DenseMap<uint64_t, ClockRef> words;
  };
  mutable std::array<Shard, 16> shards;
  std::atomic<bool> used{false};
  Shard &getShard(uint64_t address) const {
    return shards[(address >> 2 ^ address >> 6) % shards.size()];
  }
};

class RaceClocks {
public:
  RaceClocks(uint32_t cluster, uint32_t warps, WordTable &table);

  /// A new access of a warp: its time.
  uint32_t tick(uint32_t warp);
  bool isExhausted() const { return exhausted; }
  /// An asynchronous agent, which has times as a warp has: its number, from
  /// that of the warps on.
  uint32_t addAgent();
  void setNow(uint32_t agent, uint32_t time) { warps[agent].now = time; }
  uint32_t getNow(uint32_t warp) const { return warps[warp].now; }
  const VectorClock &getKnown(uint32_t warp) const { return warps[warp].known; }

  /// `phase` counts how often the barrier was completed before. A warp may come
  /// to the next phase while others have yet to leave this one, so that each
  /// has a clock of its own.
  void release(uint32_t warp, SyncKey key, uint64_t phase);
  /// Of an arrival only what the last fence has covered.
  void releaseFenced(uint32_t warp, SyncKey key, uint64_t phase);
  void acquire(uint32_t warp, SyncKey key, uint32_t block);
  void syncWarp(uint32_t warp);
  /// What the warp knows of now may be accessed by asynchronous agents.
  void proxyFence(uint32_t warp);
  const ClusterTimes &getFenced(uint32_t warp) const {
    return warps[warp].fenced;
  }
  /// The clock of an agent that the warp sets to work: it also knows of all
  /// that the warp has done.
  VectorClock makeAgentClock(uint32_t warp) const;
  /// An mbarrier begins anew: nothing was released to it.
  void forget(SyncKey key) { getKey(key).phases.clear(); }
  void learn(uint32_t warp, uint32_t agent, uint32_t time) {
    uint32_t &known = warps[warp].known.own[agent];
    known = std::max(known, time);
  }
  /// What has come before, whether or not the warp may rely on what was written
  /// then: a copy that it waits for was begun by somebody, whose waiting was
  /// over, but is no release of that thread.
  ClusterTimes getEarlier(uint32_t warp) const;
  /// The phase of an mbarrier cannot end before `earlier`.
  void addEarlier(SyncKey key, llvm::ArrayRef<uint32_t> earlier) {
    joinTimes(getPhase(key, key.phase).earlier, earlier);
  }
  /// The warp has seen that the phase of an mbarrier is over.
  void seePhase(uint32_t warp, SyncKey key);
  void fence(uint32_t warp, Scope scope);
  /// `phases` are those of the block's barriers and, the last one, the
  /// cluster's: a warp that has exited counts as arrived from these on, where
  /// a barrier does not count a number of threads.
  using Phases = std::array<uint64_t, 17>;
  void exit(uint32_t warp, uint32_t block, const Phases &phases);
  /// A strong access, before it takes place. `place` tells apart the shared
  /// memories; null: global memory.
  void access(uint32_t warp, const void *place, uint64_t address, bool reads,
              bool writes, Order order, Scope scope);
  /// Before anything else a warp does: takes up what its last strong reads may
  /// have received. That cannot be done before the read has taken place, or
  /// another host thread could release and write in between.
  void receive(uint32_t warp) {
    if (LLVM_UNLIKELY(!warps[warp].received.empty()))
      receiveWords(warps[warp]);
  }

private:
  /// Fences and words, in the block (or cluster) and in the device.
  enum Level { Local, Device, kLevels };
  struct Received {
    Level level;
    const void *place;
    uint64_t address;
    bool acquires;
  };
  struct Patterns {
    ClockRef released[kLevels]; ///< Before the last fence.
    ClockRef pending[kLevels];  ///< Read and not yet fenced.
    void join(const Patterns &other);
  };
  struct Warp {
    VectorClock known;
    ClusterTimes fenced;  ///< What has passed a proxy fence.
    ClusterTimes earlier; ///< See getEarlier: beyond what is known.
    uint32_t now = 0;
    Patterns patterns;
    llvm::SmallVector<Received, 0> received;
    /// The phases of barriers at which it arrived last.
    llvm::SmallVector<std::pair<SyncKey, uint64_t>, 4> arrived;
  };
  struct Phase {
    uint64_t phase;
    VectorClock known;
    Patterns patterns;
    ClusterTimes fenced = {}, earlier = {};
  };
  struct Key {
    SyncKey key;
    std::deque<Phase> phases; ///< The last few.
  };

  void receiveWords(Warp &warp);
  Key &getKey(SyncKey key);
  static void noteArrival(Warp &warp, SyncKey key, uint64_t phase);
  Phase &getPhase(SyncKey key, uint64_t phase);
  const Phase *findEnded(SyncKey key);
  ClockRef snapshot(const Warp &warp) const;
  ClockRef findWord(Level level, const void *place, uint64_t address) const;
  void releaseWord(Level level, const void *place, uint64_t address,
                   const ClockRef &clock);

  const uint32_t cluster;
  bool exhausted = false;
  std::vector<Warp> warps;
  struct Exit {
    uint32_t block;
    Phases phases;
    VectorClock known;
  };
  std::vector<Exit> exits;
  std::vector<std::unique_ptr<Key>> keys;
  WordTable &table;
  llvm::DenseMap<std::pair<const void *, uint64_t>, ClockRef> localWords;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_RACECLOCKS_H
