//===- RaceReport.cpp - Text of race findings -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/RaceChecker.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// The other party
//===----------------------------------------------------------------------===//

const Instruction *ClusterRaceChecker::findInstruction(uint32_t warp,
                                                       uint32_t time) const {
  const auto &log = logs[warp].sites;
  // The log has the warp's last accesses; an older one is not known any more.
  if (log.empty() || clocks.getNow(warp) - time >= log.size())
    return nullptr;
  uint32_t site = log[time & (log.size() - 1)];
  return site < parent.sites.size() ? parent.sites[site] : nullptr;
}

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

std::string ClusterRaceChecker::describeThread(const Warp &warp,
                                               unsigned lane) const {
  std::string text = formatThread(parent.launch, warp.index, lane);
  if (cluster.blocks.size() > 1)
    text += llvm::formatv(" of block ({0}, {1}, {2})", warp.block.id[0],
                          warp.block.id[1], warp.block.id[2]);
  return text;
}

/// `read by thread (3, 0, 0) of warp 0 at line 12`
std::string ClusterRaceChecker::describe(const RaceParty &other) const {
  if (other.warp >= warps.size())
    return describeAgent(other);
  std::string text = other.inFlight ? "asynchronous copy"
                     : other.wrote  ? "write"
                                    : "read";
  text += " by " + describeThread(*warps[other.warp], other.lane);
  if (const Instruction *inst = findInstruction(other.warp, other.time))
    text += llvm::formatv(" at line {0}", inst->source->line);
  return text;
}

/// `wgmma.mma_async of warpgroup 0 at line 12`
std::string ClusterRaceChecker::describeAgent(const RaceParty &other) const {
  const Agent &agent = agents[other.warp - warps.size()];
  std::string text;
  const Block *block = nullptr;
  switch (agent.kind) {
  case AgentKind::MBarrier:
    text = llvm::formatv("copy that tells the mbarrier at shared {0:x}",
                         uint32_t(agent.id));
    block = cluster.blocks[agent.id >> 32].get();
    break;
  case AgentKind::BulkRead:
  case AgentKind::BulkWrite:
    text = "bulk copy by " + describeThread(*warps[agent.id], kCollective);
    break;
  case AgentKind::Wgmma:
    text =
        llvm::formatv("wgmma.mma_async of warpgroup {0}", uint32_t(agent.id));
    block = cluster.blocks[agent.id >> 32].get();
    break;
  }
  if (block && cluster.blocks.size() > 1)
    text += llvm::formatv(" of block ({0}, {1}, {2})", block->id[0],
                          block->id[1], block->id[2]);
  if (const Instruction *inst = findInstruction(other.warp, other.time))
    text += llvm::formatv(" at line {0}", inst->source->line);
  return text;
}

std::string
ClusterRaceChecker::describeForeign(const GlobalRaceParty &other) const {
  const LaunchContext &launch = parent.launch;
  std::string line;
  if (other.site && other.site <= parent.sites.size())
    if (const Instruction *inst = parent.sites[other.site - 1])
      line = llvm::formatv(" at line {0}", inst->source->line);
  if (other.manyReaders)
    return "reads by several blocks" + line;
  const auto &grid = launch.launch.grid, &dims = launch.launch.cluster;
  if (other.warp >= warps.size())
    return llvm::formatv("asynchronous {0} of another cluster{1}",
                         other.wrote ? "write" : "read", line);
  uint32_t warpsOfBlock = warps.size() / cluster.blocks.size();
  uint32_t rank = other.warp / warpsOfBlock;
  uint32_t across = grid[0] / dims[0], down = grid[1] / dims[1];
  return llvm::formatv(
      "{0} by {1} of block ({2}, {3}, {4}){5}", other.wrote ? "write" : "read",
      formatThread(launch, other.warp % warpsOfBlock, other.lane),
      other.cluster % across * dims[0] + rank % dims[0],
      other.cluster / across % down * dims[1] + rank / dims[0] % dims[1],
      other.cluster / across / down * dims[2] + rank / dims[0] / dims[1], line);
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

static bool isAtomic(const Instruction &inst) {
  return inst.source->opcode == "atom" || inst.source->opcode == "red";
}

/// One party is the read that begins a loop of compare-and-swap, the other an
/// atomic operation.
bool ClusterRaceChecker::isCasLoop(const Mine &mine, const RaceParty &other,
                                   const Instruction *otherInst) const {
  if (!other.wrote)
    return other.beginsCas && isAtomic(mine.inst);
  return parent.beginsCas[mine.inst.site] && otherInst && isAtomic(*otherInst);
}

static const char kCasLoopHint[] =
    "; the read begins a loop of compare-and-swap, which repeats where the "
    "value was another: a relaxed or volatile one is no race";

bool ClusterRaceChecker::report(Warp &warp, const Mine &mine,
                                const RaceParty &other) {
  const Instruction *inst =
      other.inFlight ? nullptr : findInstruction(other.warp, other.time);
  return reportOwn(warp, mine, other, isCasLoop(mine, other, inst));
}

bool ClusterRaceChecker::reportOwn(Warp &warp, const Mine &mine,
                                   const RaceParty &other, bool isWarning) {
  uint64_t place = mine.region.base + other.offset;
  std::string start =
      llvm::formatv("{0} of {1} bytes at {2}", mine.what, mine.bytes,
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
  if (other.warp >= warps.size()) {
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
  if (sameWarp && other.time == clocks.getNow(other.warp))
    why = " in the same instruction, with another value";
  else if (sameWarp)
    why = ", the same warp, and no synchronisation of the warp between";
  else if (&warps[other.warp]->block == &warp.block)
    why = ", no barrier between";
  else
    why = ", no barrier of the cluster between";
  warp.report(kind, mine.inst, mine.lane, place,
              start + " races with the " + what + why +
                  (isWarning ? kCasLoopHint : ""));
  return !isWarning;
}

void ClusterRaceChecker::reportAgent(Warp &warp, const Mine &mine,
                                     const Accessor &me,
                                     const RaceParty &other) {
  bool isGeneric = other.warp < warps.size() && !other.inFlight;
  if (!isGeneric || !other.wrote || other.time > me.known[other.warp]) {
    report(warp, mine, other);
    return;
  }
  uint64_t place = mine.region.base + other.offset;
  warp.report(FindingKind::MissingProxyFence, mine.inst, mine.lane, place,
              llvm::formatv("{0} of {1}, where there was a {2}: no "
                            "fence.proxy.async between",
                            mine.what, describePlace(mine.region, place),
                            describe(other))
                  .str());
}

bool ClusterRaceChecker::report(Warp &warp, const Mine &mine,
                                const GlobalRaceParty &other) {
  const Instruction *inst = other.site && other.site <= parent.sites.size()
                                ? parent.sites[other.site - 1]
                                : nullptr;
  bool isWarning = isCasLoop(mine, other, inst);
  if (other.cluster == cluster.index && !other.manyReaders)
    return reportOwn(warp, mine, other, isWarning);
  uint64_t place = mine.region.base + other.offset;
  warp.report(
      isWarning ? FindingKind::PlainReadBeforeAtomic : FindingKind::GlobalRace,
      mine.inst, mine.lane, place,
      llvm::formatv("{0} of {1} bytes at {2} races with the {3}; "
                    "nothing orders the blocks{4}",
                    mine.what, mine.bytes, describePlace(mine.region, place),
                    describeForeign(other), isWarning ? kCasLoopHint : "")
          .str());
  return !isWarning;
}

//===----------------------------------------------------------------------===//
// Values of stores
//===----------------------------------------------------------------------===//

/// Bytes that a lane has in each slot of a store: all are as wide as the widest
/// of its registers, and at least 2.
static unsigned getSlotBytes(const Warp &warp, const ptx::Operand &value,
                             unsigned elementBytes) {
  const auto &registers = warp.frame->function->source->registers;
  unsigned bytes = std::max(elementBytes, 2u);
  auto look = [&](const ptx::Operand &element) {
    if (element.kind == ptx::Operand::Kind::Register)
      bytes =
          std::max(bytes, ptx::getBitWidth(registers[element.reg].type) / 8);
  };
  look(value);
  for (const ptx::Operand &element : value.elements)
    look(element);
  return bytes;
}

/// The value that `lane` stores; false if it cannot be told.
static bool getStored(Warp &warp, const LaneAccess &access, unsigned lane,
                      uint8_t *out) {
  const Instruction &inst = *access.inst;
  if (!access.value || inst.source->operands.size() < 2)
    return false;
  const ptx::Operand &value = inst.source->operands[1];
  size_t count = inst.operands.size();
  if (!count || access.bytes % count)
    return false;
  unsigned elementBytes = access.bytes / count;
  unsigned slotBytes = getSlotBytes(warp, value, elementBytes);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *lanes = warp.lanes<uint8_t>(access.value[i]);
    memcpy(out + i * elementBytes, lanes + lane * slotBytes, elementBytes);
  }
  return true;
}

bool storesDiffer(Warp &warp, const LaneAccess &access, unsigned lane,
                  unsigned otherLane) {
  uint8_t mine[32], others[32];
  if (access.bytes > sizeof(mine) || lane >= kWarpSize ||
      otherLane >= kWarpSize || !getStored(warp, access, lane, mine) ||
      !getStored(warp, access, otherLane, others))
    return false;
  uint64_t a = access.address[lane], b = access.address[otherLane];
  uint64_t from = std::max(a, b), to = std::min(a, b) + access.bytes;
  return from < to && memcmp(mine + (from - a), others + (from - b), to - from);
}

} // namespace tcgemm::emu
