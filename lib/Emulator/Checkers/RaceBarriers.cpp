//===- RaceBarriers.cpp - Barrier arrivals and releases -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/RaceChecker.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

uint64_t ClusterRaceChecker::getPhase(const Warp &warp, SyncKey key) const {
  switch (key.kind) {
  case SyncKey::Kind::Barrier:
    return warp.block.barriers[key.id & 15].phase;
  case SyncKey::Kind::ClusterBarrier:
    return cluster.barrier.phase;
  case SyncKey::Kind::MBarrier:
    return key.phase;
  case SyncKey::Kind::Word:
    break;
  }
  return 0;
}

/// Barriers only count. So a warp that arrives for a phase has to come after
/// all arrivals for the one before: if it came before one of them it would be
/// counted there, and let a phase end that somebody has not reached.
void ClusterRaceChecker::arrive(Warp &warp, const Instruction &inst,
                                unsigned lane, SyncKey key) {
  uint32_t number = warp.clusterIndex;
  clocks.receive(number);
  uint64_t phase = getPhase(warp, key);
  Arrivals &arrivals = allArrivals[{unsigned(key.kind), key.id}];
  if (phase != arrivals.phase) {
    arrivals.before.swap(arrivals.now);
    arrivals.now.clear();
    if (phase != arrivals.phase + 1)
      arrivals.before.clear();
    arrivals.phase = phase;
  }
  if (clocks.isExhausted())
    return;
  ClusterTimes earlier = clocks.getEarlier(number);
  auto unknown = llvm::find_if(arrivals.before, [&](const auto &other) {
    return other.first != number && earlier[other.first] < other.second;
  });
  if (unknown != arrivals.before.end() &&
      parent.launch.options.checks.barriers) {
    bool isMBarrier = key.kind == SyncKey::Kind::MBarrier;
    warp.report(
        FindingKind::BarrierMisuse, inst, lane,
        isMBarrier ? uint32_t(key.id) : 0,
        llvm::formatv("arrives for phase {0} of {1}, but may come before {2} "
                      "has arrived for the last one, and be counted in its "
                      "place",
                      phase,
                      isMBarrier ? std::string("the mbarrier")
                                 : "barrier " + llvm::utostr(key.id & 15),
                      describeThread(*warps[unknown->first], kCollective)));
    arrivals.before.clear(); // One finding is enough.
  }
  arrivals.now.emplace_back(number, clocks.tick(number));
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

void ClusterRaceChecker::release(Warp &warp, SyncKey key) {
  clocks.release(warp.clusterIndex, key, getPhase(warp, key));
}

void ClusterRaceChecker::releaseFenced(Warp &warp, SyncKey key) {
  clocks.releaseFenced(warp.clusterIndex, key, getPhase(warp, key));
}

void ClusterRaceChecker::acquire(Warp &warp, SyncKey key) {
  clocks.acquire(warp.clusterIndex, key, warp.block.rank);
}

void ClusterRaceChecker::syncWarp(Warp &warp, uint32_t) {
  clocks.syncWarp(warp.clusterIndex);
}

void ClusterRaceChecker::fence(Warp &warp, Scope scope) {
  clocks.fence(warp.clusterIndex, scope);
}

void ClusterRaceChecker::exit(Warp &warp) {
  RaceClocks::Phases phases;
  for (unsigned i = 0; i < warp.block.barriers.size(); ++i)
    phases[i] = warp.block.barriers[i].phase;
  phases.back() = cluster.barrier.phase;
  clocks.exit(warp.clusterIndex, warp.block.rank, phases);
  checkExit(warp);
}

} // namespace tcgemm::emu
