//===- RaceClocks.cpp - Happens-before order of warps ---------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/RaceClocks.h"

#include "Checkers/SharedShadow.h"

namespace tcgemm::emu {

static bool isSame(const SyncKey &a, const SyncKey &b) {
  return a.kind == b.kind && a.id == b.id;
}

static ClockRef merge(const ClockRef &a, const ClockRef &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto both = std::make_shared<SharedClock>(*a);
  both->join(*b);
  return both;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

void WordTable::release(uint64_t address, const ClockRef &clock) {
  used.store(true, std::memory_order_release);
  Shard &shard = getShard(address);
  std::lock_guard<std::mutex> lock(shard.mutex);
  ClockRef &word = shard.words[address];
  word = merge(word, clock);
}

ClockRef WordTable::find(uint64_t address) const {
  if (!used.load(std::memory_order_acquire))
    return nullptr;
  Shard &shard = getShard(address);
  std::lock_guard<std::mutex> lock(shard.mutex);
  return shard.words.lookup(address);
}

ClockRef RaceClocks::findWord(Level level, const void *place,
                              uint64_t address) const {
  return level == Device ? table.find(address)
                         : localWords.lookup({place, address});
}

void RaceClocks::releaseWord(Level level, const void *place, uint64_t address,
                             const ClockRef &clock) {
  if (level == Device)
    return table.release(address, clock);
  ClockRef &word = localWords[{place, address}];
  word = merge(word, clock);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

RaceClocks::RaceClocks(uint32_t cluster, uint32_t warpCount, WordTable &table)
    : cluster(cluster), warps(warpCount), table(table) {
  for (Warp &warp : warps)
    warp.known = VectorClock(warpCount);
}

uint32_t RaceClocks::addAgent() {
  warps.emplace_back();
  for (Warp &warp : warps)
    warp.known.own.resize(warps.size(), 0);
  return warps.size() - 1;
}

uint32_t RaceClocks::tick(uint32_t warp) {
  uint32_t now = ++warps[warp].now;
  // The shadows have no room for later times, so the checks end.
  if (LLVM_UNLIKELY(now >= kLastTime))
    exhausted = true;
  return now;
}

ClockRef RaceClocks::snapshot(const Warp &warp) const {
  auto clock = std::make_shared<SharedClock>();
  clock->join(cluster, warp.known);
  return clock;
}

void RaceClocks::Patterns::join(const Patterns &other) {
  for (unsigned level = 0; level < kLevels; ++level) {
    released[level] = merge(released[level], other.released[level]);
    pending[level] = merge(pending[level], other.pending[level]);
  }
}

void RaceClocks::syncWarp(uint32_t warp) {
  receive(warp);
  warps[warp].known.own[warp] = warps[warp].now;
}

void RaceClocks::fence(uint32_t index, Scope scope) {
  syncWarp(index);
  Warp &warp = warps[index];
  bool isDevice = scope == Scope::Gpu || scope == Scope::Sys;
  for (Level level : {Local, Device}) {
    if (level == Device && !isDevice)
      break;
    if (ClockRef &pending = warp.patterns.pending[level]) {
      pending->joinInto(cluster, warp.known);
      pending.reset();
    }
  }
  ClockRef now = snapshot(warp);
  warp.patterns.released[Local] = now;
  if (isDevice)
    warp.patterns.released[Device] = now;
}

void RaceClocks::exit(uint32_t warp, uint32_t block, const Phases &phases) {
  syncWarp(warp);
  exits.push_back({block, phases, warps[warp].known});
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

RaceClocks::Key &RaceClocks::getKey(SyncKey key) {
  for (auto &known : keys)
    if (isSame(known->key, key))
      return *known;
  keys.push_back(std::make_unique<Key>(Key{key, {}}));
  return *keys.back();
}

void RaceClocks::release(uint32_t index, SyncKey key, uint64_t phase) {
  syncWarp(index);
  Warp &warp = warps[index];
  if (key.kind == SyncKey::Kind::Word)
    return table.release(key.id, snapshot(warp));

  // A wait at an mbarrier names its phase.
  if (key.kind != SyncKey::Kind::MBarrier)
    noteArrival(warp, key, phase);
  Phase &found = getPhase(key, phase);
  found.known.join(warp.known);
  found.patterns.join(warp.patterns);
  joinTimes(found.fenced, warp.fenced);
  joinTimes(found.earlier, warp.earlier);
}

void RaceClocks::noteArrival(Warp &warp, SyncKey key, uint64_t phase) {
  auto it = llvm::find_if(warp.arrived, [&](const auto &entry) {
    return isSame(entry.first, key);
  });
  if (it != warp.arrived.end())
    it->second = phase;
  else
    warp.arrived.push_back({key, phase});
}

void RaceClocks::releaseFenced(uint32_t index, SyncKey key, uint64_t phase) {
  receive(index);
  Warp &warp = warps[index];
  noteArrival(warp, key, phase);
  Phase &found = getPhase(key, phase);
  if (const ClockRef &clock = warp.patterns.released[Local])
    clock->joinInto(cluster, found.known);
  joinTimes(found.fenced, warp.fenced);
}

RaceClocks::Phase &RaceClocks::getPhase(SyncKey key, uint64_t phase) {
  auto &phases = getKey(key).phases;
  auto found = llvm::find_if(
      phases, [&](const Phase &each) { return each.phase == phase; });
  if (found != phases.end())
    return *found;
  constexpr size_t kKept = 8;
  if (phases.size() == kKept)
    phases.pop_front();
  // The phases of an mbarrier are ordered, even without a wait.
  if (key.kind == SyncKey::Kind::MBarrier && !phases.empty()) {
    Phase next = phases.back();
    next.phase = phase;
    phases.push_back(std::move(next));
  } else {
    phases.push_back({phase, VectorClock(warps.size()), {}});
  }
  return phases.back();
}

void RaceClocks::proxyFence(uint32_t index) {
  Warp &warp = warps[index];
  joinTimes(warp.fenced, warp.known.own);
  warp.fenced[index] = warp.now;
}

VectorClock RaceClocks::makeAgentClock(uint32_t index) const {
  VectorClock clock = warps[index].known;
  clock.own[index] = warps[index].now;
  return clock;
}

/// The last complete phase of an mbarrier.
const RaceClocks::Phase *RaceClocks::findEnded(SyncKey key) {
  const Phase *best = nullptr;
  for (const Phase &each : getKey(key).phases)
    if (each.phase <= key.phase && (!best || each.phase > best->phase))
      best = &each;
  return best;
}

ClusterTimes RaceClocks::getEarlier(uint32_t index) const {
  const Warp &warp = warps[index];
  ClusterTimes times = warp.known.own;
  joinTimes(times, warp.earlier);
  times[index] = warp.now;
  return times;
}

void RaceClocks::seePhase(uint32_t index, SyncKey key) {
  if (const Phase *phase = findEnded(key)) {
    joinTimes(warps[index].earlier, phase->earlier);
    joinTimes(warps[index].earlier, phase->known.own);
  }
}

void RaceClocks::acquire(uint32_t index, SyncKey key, uint32_t block) {
  receive(index);
  Warp &warp = warps[index];
  if (key.kind == SyncKey::Kind::Word) {
    if (ClockRef word = table.find(key.id))
      word->joinInto(cluster, warp.known);
    return;
  }
  // The phase is unknown if the warp has not arrived. Then it acquires all
  // phases.
  uint64_t phase = UINT64_MAX;
  if (key.kind == SyncKey::Kind::MBarrier) {
    if (const Phase *best = findEnded(key)) {
      warp.known.join(best->known);
      warp.patterns.join(best->patterns);
      joinTimes(warp.fenced, best->fenced);
    }
    return;
  }
  auto it = llvm::find_if(warp.arrived, [&](const auto &entry) {
    return isSame(entry.first, key);
  });
  if (it != warp.arrived.end()) {
    phase = it->second;
    warp.arrived.erase(it);
  }
  for (const Phase &each : getKey(key).phases)
    if (phase == UINT64_MAX || each.phase == phase) {
      warp.known.join(each.known);
      warp.patterns.join(each.patterns);
      joinTimes(warp.fenced, each.fenced);
      joinTimes(warp.earlier, each.earlier);
    }
  if (!key.countsExits)
    return;
  bool isBlocks = key.kind == SyncKey::Kind::Barrier;
  for (const Exit &exit : exits)
    if ((!isBlocks || exit.block == block) &&
        exit.phases[isBlocks ? key.id & 15 : 16] <= phase)
      warp.known.join(exit.known);
}

//===----------------------------------------------------------------------===//
// Strong accesses
//===----------------------------------------------------------------------===//

void RaceClocks::access(uint32_t index, const void *place, uint64_t address,
                        bool reads, bool writes, Order order, Scope scope) {
  Warp &warp = warps[index];
  bool acquires = order == Order::Acquire || order == Order::AcqRel;
  bool releases = order == Order::Release || order == Order::AcqRel;
  bool isDevice = !place && (scope == Scope::Gpu || scope == Scope::Sys ||
                             order == Order::Volatile);
  address &= ~uint64_t(3);
  if (writes && releases)
    syncWarp(index);
  for (Level level : {Local, Device}) {
    if (level == Device && !isDevice)
      break;
    if (writes) {
      ClockRef clock =
          releases ? snapshot(warp) : warp.patterns.released[level];
      if (clock)
        releaseWord(level, place, address, clock);
    }
    if (reads)
      warp.received.push_back({level, place, address, acquires});
  }
}

void RaceClocks::receiveWords(Warp &warp) {
  for (const Received &each : warp.received) {
    ClockRef clock = findWord(each.level, each.place, each.address);
    if (!clock)
      continue;
    if (each.acquires)
      clock->joinInto(cluster, warp.known);
    else
      warp.patterns.pending[each.level] =
          merge(warp.patterns.pending[each.level], clock);
  }
  warp.received.clear();
}

} // namespace tcgemm::emu
