//===- RaceClocks.h - Happens-before order of warps -------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clocks order the accesses of a cluster's warps, and order them with other
// clusters through words of global memory:
//
//   release pattern: a fence, then a strong write (or a .release write);
//   acquire pattern: a strong read, then a fence (or a .acquire read).
//
// An access is strong if it is not .weak. The accesses that a fence has covered
// also count as fenced for a warp that meets this one at a barrier afterwards.
// The usual counter needs that: all threads execute a fence, and then one
// thread the atomic.
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

/// Clocks that were released through words of memory. Thread-safe.
class WordTable {
public:
  void release(uint64_t address, const ClockRef &clock);
  /// Null if nothing was released.
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

  /// Begins an access of a warp; returns its time.
  uint32_t tick(uint32_t warp);
  bool isExhausted() const { return exhausted; }
  /// Adds an asynchronous agent, which has times as a warp has. Its number
  /// follows those of the warps.
  uint32_t addAgent();
  void setNow(uint32_t agent, uint32_t time) { warps[agent].now = time; }
  uint32_t getNow(uint32_t warp) const { return warps[warp].now; }
  const VectorClock &getKnown(uint32_t warp) const { return warps[warp].known; }

  /// `phase` counts how often the barrier was completed before. A warp may
  /// reach the next phase before others leave this one, so each phase has a
  /// clock of its own.
  void release(uint32_t warp, SyncKey key, uint64_t phase);
  /// Releases only what the last fence has covered.
  void releaseFenced(uint32_t warp, SyncKey key, uint64_t phase);
  void acquire(uint32_t warp, SyncKey key, uint32_t block);
  void syncWarp(uint32_t warp);
  /// Makes the accesses that the warp knows visible to asynchronous agents.
  void proxyFence(uint32_t warp);
  const ClusterTimes &getFenced(uint32_t warp) const {
    return warps[warp].fenced;
  }
  /// The clock of an agent that the warp starts. It includes all accesses of
  /// the warp.
  VectorClock makeAgentClock(uint32_t warp) const;
  /// An mbarrier is initialised again: forgets its releases.
  void forget(SyncKey key) { getKey(key).phases.clear(); }
  void learn(uint32_t warp, uint32_t agent, uint32_t time) {
    uint32_t &known = warps[warp].known.own[agent];
    known = std::max(known, time);
  }
  /// Times that came before, even if their writes are not visible to the warp.
  /// A copy that the warp waits for was begun by a thread whose own wait was
  /// over, but the copy is not a release of that thread.
  ClusterTimes getEarlier(uint32_t warp) const;
  /// The phase of an mbarrier cannot end before `earlier`.
  void addEarlier(SyncKey key, llvm::ArrayRef<uint32_t> earlier) {
    joinTimes(getPhase(key, key.phase).earlier, earlier);
  }
  /// The warp has seen the end of a phase of an mbarrier.
  void seePhase(uint32_t warp, SyncKey key);
  void fence(uint32_t warp, Scope scope);
  /// `phases` has the phases of the block's barriers, and as the last one the
  /// cluster barrier's. From these phases on a barrier without a number of
  /// threads counts the exited warp as arrived.
  using Phases = std::array<uint64_t, 17>;
  void exit(uint32_t warp, uint32_t block, const Phases &phases);
  /// A strong access is about to take place. `place` identifies a shared
  /// memory; null is global memory.
  void access(uint32_t warp, const void *place, uint64_t address, bool reads,
              bool writes, Order order, Scope scope);
  /// Joins the clocks that the last strong reads of a warp may have received.
  /// Called before every other operation of the warp. It must come after the
  /// reads, since another host thread could release and write in between.
  void receive(uint32_t warp) {
    if (LLVM_UNLIKELY(!warps[warp].received.empty()))
      receiveWords(warps[warp]);
  }

private:
  /// The scope of fences and words: the block or cluster, or the device.
  enum Level { Local, Device, kLevels };
  struct Received {
    Level level;
    const void *place;
    uint64_t address;
    bool acquires;
  };
  struct Patterns {
    ClockRef released[kLevels]; ///< Before the last fence.
    ClockRef pending[kLevels];  ///< Read, and not fenced yet.
    void join(const Patterns &other);
  };
  struct Warp {
    VectorClock known;
    ClusterTimes fenced;  ///< Times that have passed a proxy fence.
    ClusterTimes earlier; ///< See getEarlier(): times beyond `known`.
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
    std::deque<Phase> phases; ///< The last ones.
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
