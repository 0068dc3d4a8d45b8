//===- AgentChecker.cpp - Accesses of asynchronous agents -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/AgentChecker.h"
#include "Instructions/Wgmma.h"

namespace tcgemm::emu {

AgentChecker::AgentView AgentChecker::makeView(const Warp &warp) {
  AgentView view;
  view.clock = state.clocks.makeAgentClock(warp.clusterIndex);
  view.visible = view.clock.own;
  const ClusterTimes &fenced = state.clocks.getFenced(warp.clusterIndex);
  for (size_t i = 0; i < state.warps.size(); ++i)
    view.visible[i] =
        std::min(view.visible[i], i < fenced.size() ? fenced[i] : 0);
  return view;
}

GlobalAccessor AgentChecker::beginAgent(uint32_t agent, uint32_t time,
                                        const Instruction &inst,
                                        const AgentView &view) {
  GlobalAccessor me;
  me.warp = agent;
  me.time = time;
  me.lane = kCollective;
  me.strong = false;
  me.cluster = state.cluster.index;
  me.clock = &view.clock;
  me.known = view.clock.own.data();
  me.visible = view.visible.data();
  me.site = GlobalShadow::getSiteNumber(inst);
  if (time > state.clocks.getNow(agent))
    state.clocks.setNow(agent, time);
  state.note(agent, time, inst);
  return me;
}

void AgentChecker::readPiece(Warp &warp, const BulkCopy &copy,
                             const BulkPiece &piece, const GlobalAccessor &me) {
  Region &region = *piece.region;
  uint64_t offset = piece.address - region.base;
  RacingAccess mine{*copy.inst, "asynchronous read", piece.bytes,
                    copy.lane,  piece.address,       region};
  if (region.space == ptx::Space::Shared) {
    SharedShadow *shadow = state.getShadow(region);
    RaceParty other;
    if (shadow && shadow->read(me, offset, piece.bytes, other))
      reporter.reportAgent(warp, mine, me, other);
    return;
  }
  if (!region.shadow || !state.canTellGlobal(me))
    return;
  GlobalRaceParty other;
  auto &shadow = static_cast<GlobalShadow &>(*region.shadow);
  if (shadow.read(me, offset, piece.bytes, other))
    reporter.report(warp, mine, other);
}

void AgentChecker::writePiece(Warp &warp, const BulkCopy &copy,
                              const BulkPiece &piece,
                              const GlobalAccessor &me) {
  Region &region = *piece.region;
  uint64_t offset = piece.address - region.base;
  RacingAccess mine{*copy.inst, "asynchronous write", piece.bytes,
                    copy.lane,  piece.address,        region};
  if (region.space == ptx::Space::Shared) {
    SharedShadow *shadow = state.getShadow(region);
    if (!shadow)
      return;
    RaceParty other;
    shadow->beginWrites(me);
    if (shadow->beginCopy(me, offset, piece.bytes, other))
      reporter.reportAgent(warp, mine, me, other);
    return;
  }
  if (!region.shadow || !state.canTellGlobal(me))
    return;
  GlobalRaceParty other;
  auto &shadow = static_cast<GlobalShadow &>(*region.shadow);
  if (shadow.write(me, offset, piece.bytes, other))
    reporter.report(warp, mine, other);
}

void AgentChecker::bulkBegin(Warp &warp, BulkCopy &copy) {
  state.clocks.receive(warp.clusterIndex);
  if (state.clocks.isExhausted())
    return;
  if (const MBarrier *barrier =
          copy.signal.block ? copy.signal.find() : nullptr) {
    SyncKey key = copy.signal.getKey(barrier->phase);
    copy.writer = copy.reader = state.getAgent(AgentKind::MBarrier, key.id);
    copy.writeTime = copy.readTime = mbarriers.getPhaseTime(key);
  } else {
    copy.reader = state.getAgent(AgentKind::BulkRead, warp.clusterIndex);
    copy.writer = state.getAgent(AgentKind::BulkWrite, warp.clusterIndex);
    copy.readTime = state.clocks.tick(copy.reader);
    copy.writeTime = state.clocks.tick(copy.writer);
  }
  copy.earlier = state.clocks.getEarlier(warp.clusterIndex);
  AgentView view = makeView(warp);
  if (copy.signal.block)
    mbarriers.useByCopy(warp, copy, view.visible);
  GlobalAccessor me = beginAgent(copy.reader, copy.readTime, *copy.inst, view);
  for (const BulkPiece &piece : copy.sources)
    readPiece(warp, copy, piece, me);
  me = beginAgent(copy.writer, copy.writeTime, *copy.inst, view);
  // A reduction is atomic for each element.
  me.strong = copy.reduction != BulkReduction::None;
  for (const BulkPiece &piece : copy.targets) {
    writePiece(warp, copy, piece, me);
    if (piece.region->space != ptx::Space::Shared)
      continue;
    Block &owner = state.cluster.getOwner(*piece.region);
    if (&owner != &warp.block)
      exits.note(owner, copy.writer, copy.writeTime,
                 {&warp, copy.inst, copy.lane});
  }
}

void AgentChecker::bulkEnd(BulkCopy &copy, SyncKey key) {
  if (state.clocks.isExhausted())
    return;
  // The phase may have changed since the copy began.
  copy.writeTime = mbarriers.getPhaseTime(key);
  state.clocks.addEarlier(key, copy.earlier);
  Accessor me{copy.writer, copy.writeTime, kCollective,
              false,       nullptr,        nullptr};
  for (const BulkPiece &piece : copy.targets) {
    SharedShadow *shadow = piece.region->space == ptx::Space::Shared
                               ? state.getShadow(*piece.region)
                               : nullptr;
    if (shadow)
      shadow->endCopy(me, piece.address - piece.region->base, piece.bytes);
  }
}

void AgentChecker::bulkWaited(Warp &warp, const BulkCopy &copy, bool onlyRead) {
  state.clocks.learn(warp.clusterIndex, copy.reader, copy.readTime);
  if (!onlyRead)
    state.clocks.learn(warp.clusterIndex, copy.writer, copy.writeTime);
}

static void meetTimes(ClusterTimes &times, const ClusterTimes &others) {
  for (size_t i = 0; i < times.size(); ++i)
    times[i] = std::min(times[i], i < others.size() ? others[i] : 0);
}

void AgentChecker::wgmmaBegin(Warp &warp, WgmmaOp &op) {
  state.clocks.receive(warp.clusterIndex);
  if (state.clocks.isExhausted())
    return;
  uint32_t agent = state.getAgent(AgentKind::Wgmma,
                                  uint64_t(op.block->rank) << 32 | op.group);
  // It may read after all four warps have issued it. It sees what all of them
  // know.
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
  op.readTime = state.clocks.tick(agent);
  GlobalAccessor me = beginAgent(agent, op.readTime, *op.inst, view);
  Region &region = op.block->shared;
  SharedShadow *shadow = state.getShadow(region);
  if (!shadow)
    return;
  llvm::SmallVector<uint32_t, 1024> chunks;
  getChunks(op, op.parts[0], chunks);
  unsigned which = 0;
  RaceParty other;
  if (shadow->readRows(me, chunks, which, other))
    reporter.reportAgent(warp,
                         {*op.inst, "asynchronous read", 16,
                          unsigned(llvm::countr_zero(warp.exec)), chunks[which],
                          region},
                         me, other);
}

void AgentChecker::wgmmaWaited(Warp &warp, const WgmmaOp &op) {
  if (op.readTime)
    state.clocks.learn(warp.clusterIndex, op.reader, op.readTime);
}

} // namespace tcgemm::emu
