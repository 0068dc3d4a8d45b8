//===- RaceReporter.cpp - Findings of the race checker --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/RaceReporter.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

static std::string formatThread(const LaunchContext &launch,
                                uint32_t warpInBlock, unsigned lane) {
  if (lane >= kWarpSize)
    return llvm::formatv("warp {0}", warpInBlock);
  const auto &dims = launch.launch.block;
  uint32_t thread = warpInBlock * kWarpSize + lane;
  return llvm::formatv("thread ({0}, {1}, {2}) of warp {3}", thread % dims[0],
                       thread / dims[0] % dims[1], thread / dims[0] / dims[1],
                       warpInBlock);
}

std::string RaceReporter::describeThread(const Warp &warp,
                                         unsigned lane) const {
  std::string text = formatThread(state.parent.launch, warp.index, lane);
  if (state.cluster.blocks.size() > 1)
    text += llvm::formatv(" of block ({0}, {1}, {2})", warp.block.id[0],
                          warp.block.id[1], warp.block.id[2]);
  return text;
}

std::string RaceReporter::describe(const RaceParty &other) const {
  if (state.isAgent(other.warp))
    return describeAgent(other);
  std::string text = other.inFlight ? "asynchronous copy"
                     : other.wrote  ? "write"
                                    : "read";
  text += " by " + describeThread(*state.warps[other.warp], other.lane);
  if (const Instruction *inst = state.findInstruction(other.warp, other.time))
    text += llvm::formatv(" at line {0}", inst->source->line);
  return text;
}

std::string RaceReporter::describeAgent(const RaceParty &other) const {
  const Agent &agent = state.getAgentAt(other.warp);
  std::string text;
  const Block *block = nullptr;
  switch (agent.kind) {
  case AgentKind::MBarrier:
    text = llvm::formatv("copy that signals the mbarrier at shared {0:x}",
                         uint32_t(agent.id));
    block = state.cluster.blocks[agent.id >> 32].get();
    break;
  case AgentKind::BulkRead:
  case AgentKind::BulkWrite:
    text =
        "bulk copy by " + describeThread(*state.warps[agent.id], kCollective);
    break;
  case AgentKind::Wgmma:
    text =
        llvm::formatv("wgmma.mma_async of warpgroup {0}", uint32_t(agent.id));
    block = state.cluster.blocks[agent.id >> 32].get();
    break;
  }
  if (block && state.cluster.blocks.size() > 1)
    text += llvm::formatv(" of block ({0}, {1}, {2})", block->id[0],
                          block->id[1], block->id[2]);
  if (const Instruction *inst = state.findInstruction(other.warp, other.time))
    text += llvm::formatv(" at line {0}", inst->source->line);
  return text;
}

const Instruction *
RaceReporter::findForeign(const GlobalRaceParty &other) const {
  return other.site && other.site <= state.parent.sites.size()
             ? state.parent.sites[other.site - 1]
             : nullptr;
}

std::string RaceReporter::describeForeign(const GlobalRaceParty &other) const {
  const LaunchContext &launch = state.parent.launch;
  std::string line;
  if (const Instruction *inst = findForeign(other))
    line = llvm::formatv(" at line {0}", inst->source->line);
  if (other.manyReaders)
    return "reads by several blocks" + line;
  const auto &grid = launch.launch.grid, &dims = launch.launch.cluster;
  if (state.isAgent(other.warp))
    return llvm::formatv("asynchronous {0} of another state.cluster{1}",
                         other.wrote ? "write" : "read", line);
  uint32_t warpsOfBlock = state.warps.size() / state.cluster.blocks.size();
  uint32_t rank = other.warp / warpsOfBlock;
  uint32_t across = grid[0] / dims[0], down = grid[1] / dims[1];
  return llvm::formatv(
      "{0} by {1} of block ({2}, {3}, {4}){5}", other.wrote ? "write" : "read",
      formatThread(launch, other.warp % warpsOfBlock, other.lane),
      other.cluster % across * dims[0] + rank % dims[0],
      other.cluster / across % down * dims[1] + rank / dims[0] % dims[1],
      other.cluster / across / down * dims[2] + rank / dims[0] / dims[1], line);
}

static bool isAtomic(const Instruction &inst) {
  return inst.source->opcode == "atom" || inst.source->opcode == "red";
}

bool RaceReporter::isCasLoop(const RacingAccess &mine, const RaceParty &other,
                             const Instruction *otherInst) const {
  if (!other.wrote)
    return other.beginsCas && isAtomic(mine.inst);
  return state.parent.beginsCas[mine.inst.site] && otherInst &&
         isAtomic(*otherInst);
}

static const char kCasLoopHint[] =
    "; the read begins a loop of compare-and-swap, which repeats where the "
    "value was another: a relaxed or volatile one is no race";

bool RaceReporter::report(Warp &warp, const RacingAccess &mine,
                          const RaceParty &other) {
  const Instruction *inst =
      other.inFlight ? nullptr : state.findInstruction(other.warp, other.time);
  return reportOwn(warp, mine, other, isCasLoop(mine, other, inst));
}

bool RaceReporter::reportOwn(Warp &warp, const RacingAccess &mine,
                             const RaceParty &other, bool isWarning) {
  uint64_t place = mine.region.base + other.offset;
  std::string start =
      llvm::formatv("{0} of {1} bytes at {2}", mine.verb, mine.bytes,
                    describePlace(mine.region, mine.address));
  if (place != mine.address)
    start += llvm::formatv(" (at {0})", describePlace(mine.region, place));
  FindingKind kind = isWarning ? FindingKind::PlainReadBeforeAtomic
                     : mine.region.space == ptx::Space::Shared
                         ? FindingKind::SharedRace
                         : FindingKind::GlobalRace;
  std::string what = describe(other);
  if (other.inFlight) {
    warp.report(FindingKind::AsyncRace, mine.inst, mine.lane, place,
                start + ", which the " + what + " is still writing");
    return true;
  }
  if (state.isAgent(other.warp)) {
    warp.report(
        other.wrote ? FindingKind::AsyncRace : FindingKind::OperandOverwritten,
        mine.inst, mine.lane, place,
        start + ", which the " + what +
            (other.wrote ? " writes: it was not waited for"
                         : " may still be reading: it was not waited for"));
    return true;
  }
  bool sameWarp = other.warp == warp.clusterIndex;
  std::string why;
  if (sameWarp && other.time == state.clocks.getNow(other.warp))
    why = " in the same instruction, with another value";
  else if (sameWarp)
    why = ", the same warp, and no synchronisation of the warp between";
  else if (&state.warps[other.warp]->block == &warp.block)
    why = ", no barrier between";
  else
    why = ", no barrier of the state.cluster between";
  warp.report(kind, mine.inst, mine.lane, place,
              start + " races with the " + what + why +
                  (isWarning ? kCasLoopHint : ""));
  return !isWarning;
}

void RaceReporter::reportAgent(Warp &warp, const RacingAccess &mine,
                               const Accessor &me, const RaceParty &other) {
  bool isGeneric = !state.isAgent(other.warp) && !other.inFlight;
  if (!isGeneric || !other.wrote || other.time > me.known[other.warp]) {
    report(warp, mine, other);
    return;
  }
  uint64_t place = mine.region.base + other.offset;
  warp.report(FindingKind::MissingProxyFence, mine.inst, mine.lane, place,
              llvm::formatv("{0} of {1}, where there was a {2}: no "
                            "fence.proxy.async between",
                            mine.verb, describePlace(mine.region, place),
                            describe(other))
                  .str());
}

bool RaceReporter::report(Warp &warp, const RacingAccess &mine,
                          const GlobalRaceParty &other) {
  const Instruction *inst = findForeign(other);
  bool isWarning = isCasLoop(mine, other, inst);
  if (other.cluster == state.cluster.index && !other.manyReaders)
    return reportOwn(warp, mine, other, isWarning);
  uint64_t place = mine.region.base + other.offset;
  warp.report(
      isWarning ? FindingKind::PlainReadBeforeAtomic : FindingKind::GlobalRace,
      mine.inst, mine.lane, place,
      llvm::formatv("{0} of {1} bytes at {2} races with the {3}; "
                    "nothing orders the blocks{4}",
                    mine.verb, mine.bytes, describePlace(mine.region, place),
                    describeForeign(other), isWarning ? kCasLoopHint : "")
          .str());
  return !isWarning;
}

} // namespace tcgemm::emu
