//===- RaceAgents.cpp - Accesses of asynchronous agents -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens at a time that only a wait tells is an access of an agent, which
// has a place in the clocks as a warp has. An agent's accesses come to an end
// in their order, so that one number says which of them a warp knows to be
// over:
//
//   copies that tell an mbarrier   one agent each mbarrier; its time is the
//                                  number of phases that are complete
//   copies in bulk groups          two agents each warp, for reading and for
//                                  all: wait_group has both kinds
//   wgmma                          one agent each warpgroup
//
// An agent begins with what the warp knows that sets it to work, but of writes
// through the generic proxy it sees those only that have passed a proxy fence.
//
//===----------------------------------------------------------------------===//

#include "Checkers/RaceChecker.h"
#include "Instructions/Wgmma.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

uint32_t ClusterRaceChecker::getAgent(AgentKind kind, uint64_t id) {
  auto [it, isNew] = agentNumbers.try_emplace({unsigned(kind), id}, 0);
  if (isNew) {
    it->second = clocks.addAgent();
    agents.push_back({kind, id});
    logs.emplace_back();
  }
  return it->second;
}

ClusterRaceChecker::Agent &ClusterRaceChecker::getAgentAt(uint32_t number) {
  return agents[number - warps.size()];
}

/// Of an mbarrier: the agent's time when the phase of `key` is complete.
uint32_t ClusterRaceChecker::getPhaseTime(SyncKey key) {
  const Agent &agent = getAgentAt(getAgent(AgentKind::MBarrier, key.id));
  return agent.firstPhase + uint32_t(key.phase) + 1;
}

/// What a warp knows, and of that what asynchronous agents may see.
ClusterRaceChecker::AgentView ClusterRaceChecker::makeView(const Warp &warp) {
  AgentView view;
  view.clock = clocks.makeAgentClock(warp.clusterIndex);
  view.visible = view.clock.own;
  const ClusterTimes &fenced = clocks.getFenced(warp.clusterIndex);
  for (size_t i = 0; i < warps.size(); ++i)
    view.visible[i] =
        std::min(view.visible[i], i < fenced.size() ? fenced[i] : 0);
  return view;
}

GlobalAccessor ClusterRaceChecker::beginAgent(uint32_t agent, uint32_t time,
                                              const Instruction &inst,
                                              const AgentView &view) {
  GlobalAccessor me;
  me.warp = agent;
  me.time = time;
  me.lane = kCollective;
  me.strong = false;
  me.cluster = cluster.index;
  me.clock = &view.clock;
  me.known = view.clock.own.data();
  me.visible = view.visible.data();
  me.site = GlobalShadow::getSiteNumber(inst);
  if (time > clocks.getNow(agent))
    clocks.setNow(agent, time);
  note(agent, time, inst);
  return me;
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

void ClusterRaceChecker::readPiece(Warp &warp, const BulkCopy &copy,
                                   const BulkPiece &piece,
                                   const GlobalAccessor &me) {
  Region &region = *piece.region;
  uint64_t offset = piece.address - region.base;
  Mine mine{*copy.inst, "asynchronous read", piece.bytes,
            copy.lane,  piece.address,       region};
  if (region.space == ptx::Space::Shared) {
    SharedShadow *shadow = getShadow(region);
    RaceParty other;
    if (shadow && shadow->read(me, offset, piece.bytes, other))
      reportAgent(warp, mine, me, other);
    return;
  }
  if (!region.shadow || !canTellGlobal(me))
    return;
  GlobalRaceParty other;
  auto &shadow = static_cast<GlobalShadow &>(*region.shadow);
  if (shadow.read(me, offset, piece.bytes, other))
    report(warp, mine, other);
}

void ClusterRaceChecker::writePiece(Warp &warp, const BulkCopy &copy,
                                    const BulkPiece &piece,
                                    const GlobalAccessor &me) {
  Region &region = *piece.region;
  uint64_t offset = piece.address - region.base;
  Mine mine{*copy.inst, "asynchronous write", piece.bytes,
            copy.lane,  piece.address,        region};
  if (region.space == ptx::Space::Shared) {
    SharedShadow *shadow = getShadow(region);
    if (!shadow)
      return;
    RaceParty other;
    shadow->beginWrites(me);
    if (shadow->beginCopy(me, offset, piece.bytes, other))
      reportAgent(warp, mine, me, other);
    return;
  }
  if (!region.shadow || !canTellGlobal(me))
    return;
  GlobalRaceParty other;
  auto &shadow = static_cast<GlobalShadow &>(*region.shadow);
  if (shadow.write(me, offset, piece.bytes, other))
    report(warp, mine, other);
}

void ClusterRaceChecker::bulkBegin(Warp &warp, BulkCopy &copy) {
  clocks.receive(warp.clusterIndex);
  if (clocks.isExhausted())
    return;
  if (const MBarrier *barrier =
          copy.signal.block ? copy.signal.find() : nullptr) {
    SyncKey key = copy.signal.getKey(barrier->phase);
    copy.writer = copy.reader = getAgent(AgentKind::MBarrier, key.id);
    copy.writeTime = copy.readTime = getPhaseTime(key);
  } else {
    copy.reader = getAgent(AgentKind::BulkRead, warp.clusterIndex);
    copy.writer = getAgent(AgentKind::BulkWrite, warp.clusterIndex);
    copy.readTime = clocks.tick(copy.reader);
    copy.writeTime = clocks.tick(copy.writer);
  }
  copy.earlier = clocks.getEarlier(warp.clusterIndex);
  AgentView view = makeView(warp);
  if (copy.signal.block)
    checkInit(warp, copy, view);
  GlobalAccessor me = beginAgent(copy.reader, copy.readTime, *copy.inst, view);
  for (const BulkPiece &piece : copy.sources)
    readPiece(warp, copy, piece, me);
  me = beginAgent(copy.writer, copy.writeTime, *copy.inst, view);
  // Reductions are atomic by element.
  me.strong = copy.reduction != BulkReduction::None;
  for (const BulkPiece &piece : copy.targets) {
    writePiece(warp, copy, piece, me);
    if (piece.region->space != ptx::Space::Shared)
      continue;
    Block &owner = cluster.getOwner(*piece.region);
    if (&owner != &warp.block)
      noteRemote(owner, copy.writer, copy.writeTime,
                 {&warp, copy.inst, copy.lane});
  }
}

void ClusterRaceChecker::bulkEnd(BulkCopy &copy, SyncKey key) {
  if (clocks.isExhausted())
    return;
  // By now it may be another phase than the copy has begun in.
  copy.writeTime = getPhaseTime(key);
  clocks.addEarlier(key, copy.earlier);
  Accessor me{copy.writer, copy.writeTime, kCollective,
              false,       nullptr,        nullptr};
  for (const BulkPiece &piece : copy.targets) {
    SharedShadow *shadow = piece.region->space == ptx::Space::Shared
                               ? getShadow(*piece.region)
                               : nullptr;
    if (shadow)
      shadow->endCopy(me, piece.address - piece.region->base, piece.bytes);
  }
}

void ClusterRaceChecker::bulkWaited(Warp &warp, const BulkCopy &copy,
                                    bool onlyRead) {
  clocks.learn(warp.clusterIndex, copy.reader, copy.readTime);
  if (!onlyRead)
    clocks.learn(warp.clusterIndex, copy.writer, copy.writeTime);
}

void ClusterRaceChecker::proxyFence(Warp &warp) {
  clocks.receive(warp.clusterIndex);
  clocks.proxyFence(warp.clusterIndex);
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

static void meetTimes(ClusterTimes &times, const ClusterTimes &others) {
  for (size_t i = 0; i < times.size(); ++i)
    times[i] = std::min(times[i], i < others.size() ? others[i] : 0);
}

void ClusterRaceChecker::wgmmaBegin(Warp &warp, WgmmaOp &op) {
  clocks.receive(warp.clusterIndex);
  if (clocks.isExhausted())
    return;
  uint32_t agent =
      getAgent(AgentKind::Wgmma, uint64_t(op.block->rank) << 32 | op.group);
  // It may read when all four warps have issued it, and what all know of.
  AgentView view = makeView(warp);
  if (llvm::popcount(op.issued) > 1) {
    meetTimes(view.clock.own, op.known);
    meetTimes(view.visible, op.visible);
  }
  if (op.issued != 15) {
    op.known.assign(view.clock.own.begin(), view.clock.own.end());
    op.visible.assign(view.visible.begin(), view.visible.end());
    return;
  }
  op.reader = agent;
  op.readTime = clocks.tick(agent);
  GlobalAccessor me = beginAgent(agent, op.readTime, *op.inst, view);
  Region &region = op.block->shared;
  SharedShadow *shadow = getShadow(region);
  if (!shadow)
    return;
  llvm::SmallVector<uint32_t, 1024> chunks;
  getChunks(op, op.parts[0], chunks);
  unsigned which = 0;
  RaceParty other;
  if (shadow->readRows(me, chunks, which, other))
    reportAgent(warp,
                {*op.inst, "asynchronous read", 16,
                 unsigned(llvm::countr_zero(warp.exec)), chunks[which], region},
                me, other);
}

void ClusterRaceChecker::wgmmaWaited(Warp &warp, const WgmmaOp &op) {
  if (op.readTime)
    clocks.learn(warp.clusterIndex, op.reader, op.readTime);
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void ClusterRaceChecker::initMBarrier(Warp &warp, SyncKey key) {
  uint32_t number = getAgent(AgentKind::MBarrier, key.id);
  Agent &agent = getAgentAt(number);
  agent.firstPhase = clocks.getNow(number);
  agent.initWarp = warp.clusterIndex;
  agent.initTime = clocks.getNow(warp.clusterIndex);
  agent.isInitFenced = false;
  clocks.forget(key);
  allArrivals.erase({unsigned(key.kind), key.id});
}

void ClusterRaceChecker::fenceInit(Warp &warp) {
  for (Agent &agent : agents)
    if (agent.kind == AgentKind::MBarrier &&
        agent.initWarp == warp.clusterIndex)
      agent.isInitFenced = true;
}

void ClusterRaceChecker::useMBarrier(Warp &warp, const Instruction &inst,
                                     unsigned lane, SyncKey key) {
  clocks.receive(warp.clusterIndex);
  const Agent &agent = getAgentAt(getAgent(AgentKind::MBarrier, key.id));
  const VectorClock &known = clocks.getKnown(warp.clusterIndex);
  if (agent.initWarp == warp.clusterIndex ||
      agent.initTime <= known.own[agent.initWarp] || clocks.isExhausted())
    return;
  RaceParty init;
  init.warp = agent.initWarp;
  init.time = agent.initTime;
  init.lane = kCollective;
  init.wrote = true;
  Mine mine{inst, "use of an mbarrier", 8,
            lane, uint32_t(key.id),     cluster.blocks[key.id >> 32]->shared};
  init.offset = mine.address;
  report(warp, mine, init);
}

/// A copy tells its mbarrier through the asynchronous proxy.
void ClusterRaceChecker::checkInit(Warp &warp, const BulkCopy &copy,
                                   const AgentView &view) {
  SyncKey key = copy.signal.getKey(0);
  useMBarrier(warp, *copy.inst, copy.lane, key);
  const Agent &agent = getAgentAt(getAgent(AgentKind::MBarrier, key.id));
  if (agent.isInitFenced || agent.initTime <= view.visible[agent.initWarp])
    return;
  warp.report(FindingKind::MissingProxyFence, *copy.inst, copy.lane,
              copy.signal.address,
              llvm::formatv("the mbarrier at shared {0:x}, which the copy is "
                            "to tell, was initialised by {1}: neither "
                            "fence.mbarrier_init nor fence.proxy.async between",
                            copy.signal.address,
                            describeThread(*warps[agent.initWarp], kCollective))
                  .str());
}

void ClusterRaceChecker::seePhase(Warp &warp, SyncKey key) {
  clocks.receive(warp.clusterIndex);
  uint32_t number = getAgent(AgentKind::MBarrier, key.id);
  uint32_t time = getPhaseTime(key);
  if (time > clocks.getNow(number))
    clocks.setNow(number, time);
  clocks.learn(warp.clusterIndex, number, time);
  clocks.seePhase(warp.clusterIndex, key);
}

/// A parity means one of the two phases next to what the warp knows to be
/// complete. If the mbarrier may be two phases beyond that, it is taken for
/// another one.
void ClusterRaceChecker::testParity(Warp &warp, unsigned lane, SyncKey key,
                                    uint32_t parity) {
  if (!parent.launch.options.checks.barriers)
    return;
  clocks.receive(warp.clusterIndex);
  uint32_t number = getAgent(AgentKind::MBarrier, key.id);
  uint32_t first = getAgentAt(number).firstPhase;
  uint32_t time = clocks.getKnown(warp.clusterIndex).own[number];
  int64_t known = time > first ? time - first : 0;
  int64_t meant = (known & 1) == parity ? known : known - 1;
  if (int64_t(key.phase) < meant + 2)
    return;
  MBarrierRef where{cluster.blocks[key.id >> 32].get(), uint32_t(key.id)};
  std::string what =
      meant < 0
          ? std::string("the phase before the first one")
          : llvm::formatv("phase {0}, the last one that it can mean,", meant)
                .str();
  warp.report(FindingKind::PhaseAliasing, lane, where.address,
              llvm::formatv("waits for {0} but {1} phases are complete: its "
                            "parity is taken for another's; {2}",
                            what, key.phase,
                            describeMBarrier(where, key.phase)));
}

//===----------------------------------------------------------------------===//
// Blocks that exit
//===----------------------------------------------------------------------===//

/// `number`, a warp or an agent, accesses shared memory of another block.
void ClusterRaceChecker::noteRemote(const Block &owner, uint32_t number,
                                    uint32_t time, RemoteAccess access) {
  access.time = time;
  remotes[{owner.rank, number}] = access;
}

void ClusterRaceChecker::arriveRemote(Warp &warp, const Instruction &inst,
                                      unsigned lane, Block &owner) {
  GlobalAccessor me;
  if (start(warp, inst, me))
    noteRemote(owner, me.warp, me.time, {&warp, &inst, lane});
}

/// A block's memory is gone with its last thread. Whoever accesses it has to
/// come before what one of the threads knows of.
void ClusterRaceChecker::checkExit(const Warp &warp) {
  Block &block = warp.block;
  VectorClock &known = exitClocks[block.rank];
  known.join(clocks.getKnown(warp.clusterIndex));
  if (block.getLiveThreads() || !parent.launch.options.checks.barriers)
    return;
  for (const auto &[key, access] : remotes) {
    auto [rank, number] = key;
    uint32_t time = number < known.own.size() ? known.own[number] : 0;
    if (rank != block.rank || access.time <= time)
      continue;
    access.warp->report(
        FindingKind::ClusterExit, *access.inst, access.lane, 0,
        llvm::formatv("block ({0}, {1}, {2}), whose shared memory it accesses, "
                      "may have exited: its threads do not wait for that",
                      block.id[0], block.id[1], block.id[2]));
  }
}

} // namespace tcgemm::emu
