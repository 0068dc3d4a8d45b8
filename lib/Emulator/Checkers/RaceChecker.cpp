//===- RaceChecker.cpp - Race checker -------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker follows FastTrack (C. Flanagan, S. N. Freund: FastTrack:
// efficient and precise dynamic race detection, PLDI 2009). Warps take the
// place of threads: the lanes of a warp share one clock, and the shadows tell
// them apart. Accesses of different lanes are in order if a synchronisation of
// the warp lies between them.
//
//===----------------------------------------------------------------------===//

#include "Checkers/AccessChecker.h"
#include "Checkers/AgentChecker.h"
#include "Checkers/ArrivalChecker.h"

namespace tcgemm::emu {
namespace {

//===----------------------------------------------------------------------===//
// The checker of a cluster
//===----------------------------------------------------------------------===//

class ClusterRaceChecker : public ClusterObserver {
public:
  ClusterRaceChecker(RaceLaunch &parent, Cluster &cluster)
      : state(parent, cluster), reporter(state), exits(state),
        arrivals(state, reporter), mbarriers(state, reporter),
        accesses(state, reporter, exits),
        agents(state, reporter, mbarriers, exits) {}

  void access(Warp &warp, const LaneAccess &access) override {
    accesses.access(warp, access);
  }
  void copyBegin(Warp &warp, const CopyBatch &batch) override {
    accesses.copyBegin(warp, batch);
  }
  void copyEnd(Warp &warp, const CopyBatch &batch, uint32_t lanes) override {
    accesses.copyEnd(warp, batch, lanes);
  }

  void arrive(Warp &warp, const Instruction &inst, unsigned lane,
              SyncKey key) override {
    arrivals.arrive(warp, inst, lane, key, getPhase(warp, key));
  }
  void release(Warp &warp, SyncKey key) override {
    state.clocks.release(warp.clusterIndex, key, getPhase(warp, key));
  }
  void releaseFenced(Warp &warp, SyncKey key) override {
    state.clocks.releaseFenced(warp.clusterIndex, key, getPhase(warp, key));
  }
  void acquire(Warp &warp, SyncKey key) override {
    state.clocks.acquire(warp.clusterIndex, key, warp.block.rank);
  }
  void syncWarp(Warp &warp, uint32_t) override {
    state.clocks.syncWarp(warp.clusterIndex);
  }
  void fence(Warp &warp, Scope scope) override {
    state.clocks.fence(warp.clusterIndex, scope);
  }
  void exit(Warp &warp) override;

  void bulkBegin(Warp &warp, BulkCopy &copy) override {
    agents.bulkBegin(warp, copy);
  }
  void bulkEnd(BulkCopy &copy, SyncKey key) override {
    agents.bulkEnd(copy, key);
  }
  void bulkWaited(Warp &warp, const BulkCopy &copy, bool onlyRead) override {
    agents.bulkWaited(warp, copy, onlyRead);
  }
  void proxyFence(Warp &warp) override {
    state.clocks.receive(warp.clusterIndex);
    state.clocks.proxyFence(warp.clusterIndex);
  }
  void wgmmaBegin(Warp &warp, WgmmaOp &op) override {
    agents.wgmmaBegin(warp, op);
  }
  void wgmmaWaited(Warp &warp, const WgmmaOp &op) override {
    agents.wgmmaWaited(warp, op);
  }
  void arriveRemote(Warp &warp, const Instruction &inst, unsigned lane,
                    Block &owner) override;

  void initMBarrier(Warp &warp, SyncKey key) override {
    mbarriers.init(warp, key);
    arrivals.forget(key);
  }
  void fenceInit(Warp &warp) override { mbarriers.fenceInit(warp); }
  void useMBarrier(Warp &warp, const Instruction &inst, unsigned lane,
                   SyncKey key) override {
    mbarriers.use(warp, inst, lane, key);
  }
  void testParity(Warp &warp, unsigned lane, SyncKey key,
                  uint32_t parity) override {
    mbarriers.testParity(warp, lane, key, parity);
  }
  void seePhase(Warp &warp, SyncKey key) override {
    mbarriers.seePhase(warp, key);
  }

private:
  /// The phase that an arrival at a barrier belongs to.
  uint64_t getPhase(const Warp &warp, SyncKey key) const;

  RaceState state;
  RaceReporter reporter;
  ExitChecker exits;
  ArrivalChecker arrivals;
  MBarrierChecker mbarriers;
  AccessChecker accesses;
  AgentChecker agents;
};

uint64_t ClusterRaceChecker::getPhase(const Warp &warp, SyncKey key) const {
  switch (key.kind) {
  case SyncKey::Kind::Barrier:
    return warp.block.barriers[key.id & 15].phase;
  case SyncKey::Kind::ClusterBarrier:
    return state.cluster.barrier.phase;
  case SyncKey::Kind::MBarrier:
    return key.phase;
  case SyncKey::Kind::Word:
    break;
  }
  return 0;
}

void ClusterRaceChecker::exit(Warp &warp) {
  RaceClocks::Phases phases;
  for (unsigned i = 0; i < warp.block.barriers.size(); ++i)
    phases[i] = warp.block.barriers[i].phase;
  phases.back() = state.cluster.barrier.phase;
  state.clocks.exit(warp.clusterIndex, warp.block.rank, phases);
  exits.exit(warp);
}

void ClusterRaceChecker::arriveRemote(Warp &warp, const Instruction &inst,
                                      unsigned lane, Block &owner) {
  GlobalAccessor me;
  if (state.start(warp, inst, me))
    exits.note(owner, me.warp, me.time, {&warp, &inst, lane});
}

//===----------------------------------------------------------------------===//
// The checker of a launch
//===----------------------------------------------------------------------===//

class RaceChecker : public LaunchObserver {
public:
  explicit RaceChecker(LaunchContext &launch);
  std::unique_ptr<ClusterObserver> begin(Cluster &cluster) override {
    return std::make_unique<ClusterRaceChecker>(state, cluster);
  }
  void finish(LaunchResult &result) override;

private:
  RaceLaunch state;
};

RaceChecker::RaceChecker(LaunchContext &launch) : state(launch) {
  // Memory that kernels may not write needs no shadow. That is true of most
  // operands.
  launch.memory.forEach([](Region &region) {
    if (region.writable && region.bytes)
      region.shadow = std::make_unique<GlobalShadow>(region.bytes,
                                                     region.shape.elementBytes);
  });
}

void RaceChecker::finish(LaunchResult &) {
  state.launch.memory.forEach([&](Region &region) {
    auto *shadow = static_cast<GlobalShadow *>(region.shadow.get());
    if (shadow && shadow->hasFailed())
      state.launch.fail(describeNoMemory(region));
    region.shadow.reset();
  });
}

} // namespace

std::unique_ptr<LaunchObserver> createRaceChecker(LaunchContext &launch) {
  return std::make_unique<RaceChecker>(launch);
}

} // namespace tcgemm::emu
