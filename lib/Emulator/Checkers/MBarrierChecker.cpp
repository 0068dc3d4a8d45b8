//===- MBarrierChecker.cpp - State and phases of mbarriers ----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/MBarrierChecker.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

uint32_t MBarrierChecker::getPhaseTime(SyncKey key) {
  const Agent &agent =
      state.getAgentAt(state.getAgent(AgentKind::MBarrier, key.id));
  return agent.firstPhase + uint32_t(key.phase) + 1;
}

void MBarrierChecker::init(Warp &warp, SyncKey key) {
  uint32_t number = state.getAgent(AgentKind::MBarrier, key.id);
  Agent &agent = state.getAgentAt(number);
  agent.firstPhase = state.clocks.getNow(number);
  agent.initWarp = warp.clusterIndex;
  agent.initTime = state.clocks.getNow(warp.clusterIndex);
  agent.isInitFenced = false;
  state.clocks.forget(key);
}

void MBarrierChecker::fenceInit(Warp &warp) {
  for (Agent &agent : state.agents)
    if (agent.kind == AgentKind::MBarrier &&
        agent.initWarp == warp.clusterIndex)
      agent.isInitFenced = true;
}

void MBarrierChecker::use(Warp &warp, const Instruction &inst, unsigned lane,
                          SyncKey key) {
  state.clocks.receive(warp.clusterIndex);
  const Agent &agent =
      state.getAgentAt(state.getAgent(AgentKind::MBarrier, key.id));
  const VectorClock &known = state.clocks.getKnown(warp.clusterIndex);
  if (agent.initWarp == warp.clusterIndex ||
      agent.initTime <= known.own[agent.initWarp] || state.clocks.isExhausted())
    return;
  RaceParty init;
  init.warp = agent.initWarp;
  init.time = agent.initTime;
  init.lane = kCollective;
  init.wrote = true;
  RacingAccess mine{
      inst, "use of an mbarrier", 8,
      lane, uint32_t(key.id),     state.cluster.blocks[key.id >> 32]->shared};
  init.offset = mine.address;
  reporter.report(warp, mine, init);
}

void MBarrierChecker::useByCopy(Warp &warp, const BulkCopy &copy,
                                const ClusterTimes &visible) {
  SyncKey key = copy.signal.getKey(0);
  use(warp, *copy.inst, copy.lane, key);
  const Agent &agent =
      state.getAgentAt(state.getAgent(AgentKind::MBarrier, key.id));
  if (agent.isInitFenced || agent.initTime <= visible[agent.initWarp])
    return;
  warp.report(
      FindingKind::MissingProxyFence, *copy.inst, copy.lane,
      copy.signal.address,
      llvm::formatv(
          "the mbarrier at shared {0:x}, which the copy signals, was "
          "initialised by {1}: neither fence.mbarrier_init nor "
          "fence.proxy.async between",
          copy.signal.address,
          reporter.describeThread(*state.warps[agent.initWarp], kCollective))
          .str());
}

void MBarrierChecker::seePhase(Warp &warp, SyncKey key) {
  state.clocks.receive(warp.clusterIndex);
  uint32_t number = state.getAgent(AgentKind::MBarrier, key.id);
  uint32_t time = getPhaseTime(key);
  if (time > state.clocks.getNow(number))
    state.clocks.setNow(number, time);
  state.clocks.learn(warp.clusterIndex, number, time);
  state.clocks.seePhase(warp.clusterIndex, key);
}

void MBarrierChecker::testParity(Warp &warp, unsigned lane, SyncKey key,
                                 uint32_t parity) {
  if (!state.parent.launch.options.checks.barriers)
    return;
  state.clocks.receive(warp.clusterIndex);
  uint32_t number = state.getAgent(AgentKind::MBarrier, key.id);
  uint32_t first = state.getAgentAt(number).firstPhase;
  uint32_t time = state.clocks.getKnown(warp.clusterIndex).own[number];
  int64_t known = time > first ? time - first : 0;
  int64_t meant = (known & 1) == parity ? known : known - 1;
  if (int64_t(key.phase) < meant + 2)
    return;
  MBarrierRef where{state.cluster.blocks[key.id >> 32].get(), uint32_t(key.id)};
  std::string what =
      meant < 0
          ? std::string("the phase before the first one")
          : llvm::formatv("phase {0}, the last one that it can mean,", meant)
                .str();
  warp.report(FindingKind::PhaseAliasing, lane, where.address,
              llvm::formatv("waits for {0} but {1} phases are complete: the "
                            "parity is ambiguous; {2}",
                            what, key.phase,
                            describeMBarrier(where, key.phase)));
}

} // namespace tcgemm::emu
