//===- RaceState.cpp - Race checker state of one cluster ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/RaceState.h"
#include "Checkers/CasLoops.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

RaceLaunch::RaceLaunch(LaunchContext &launch)
    : launch(launch), sites(launch.program.sites, nullptr),
      isCollective(launch.program.sites, false),
      beginsCas(launch.program.sites, false) {
  for (const FunctionCode &function : launch.program.functions) {
    for (const Instruction *load : findCasLoopLoads(function))
      beginsCas[load->site] = true;
    for (const Instruction &inst : function.instructions) {
      if (inst.site >= sites.size() || !inst.source)
        continue;
      sites[inst.site] = &inst;
      llvm::StringRef opcode = inst.source->opcode;
      isCollective[inst.site] = opcode == "ldmatrix" || opcode == "stmatrix" ||
                                opcode.starts_with("wmma");
    }
  }
}

static uint32_t countWarps(const Cluster &cluster) {
  uint32_t count = 0;
  for (const auto &block : cluster.blocks)
    count += block->warps.size();
  return count;
}

RaceState::RaceState(RaceLaunch &parent, Cluster &cluster)
    : parent(parent), cluster(cluster),
      clocks(cluster.index, countWarps(cluster), parent.words) {
  for (const auto &block : cluster.blocks)
    for (const auto &warp : block->warps)
      warps.push_back(warp.get());
  logs.resize(warps.size());
}

void RaceState::note(uint32_t number, uint32_t time, const Instruction &inst) {
  auto &log = logs[number].sites;
  while (time >= log.size() && log.size() < kLogged)
    log.resize(std::max<size_t>(256, log.size() * 2));
  log[time & (log.size() - 1)] = inst.site;
}

const Instruction *RaceState::findInstruction(uint32_t number,
                                              uint32_t time) const {
  const auto &log = logs[number].sites;
  // The log has the last accesses only.
  if (log.empty() || clocks.getNow(number) - time >= log.size())
    return nullptr;
  uint32_t site = log[time & (log.size() - 1)];
  return site < parent.sites.size() ? parent.sites[site] : nullptr;
}

bool RaceState::start(Warp &warp, const Instruction &inst, GlobalAccessor &me) {
  uint32_t index = warp.clusterIndex;
  clocks.receive(index);
  if (LLVM_UNLIKELY(clocks.isExhausted()))
    return false;
  me.warp = index;
  me.time = clocks.tick(index);
  me.lane = kCollective;
  me.strong = false;
  me.cluster = cluster.index;
  me.clock = &clocks.getKnown(index);
  me.known = me.visible = me.clock->own.data();
  me.site = GlobalShadow::getSiteNumber(inst);
  me.beginsCas = parent.beginsCas[inst.site];
  note(index, me.time, inst);
  if (LLVM_UNLIKELY(clocks.isExhausted())) {
    parent.exhausted = true;
    return false;
  }
  return true;
}

std::string describeNoMemory(const Region &region) {
  return llvm::formatv(
      "there is no memory to check {0} bytes of {1} memory for "
      "races",
      region.bytes, ptx::getName(region.space));
}

SharedShadow *RaceState::getShadow(Region &region) {
  if (LLVM_UNLIKELY(!region.shadow))
    region.shadow = std::make_unique<SharedShadow>(region.bytes, warps.size());
  auto *shadow = static_cast<SharedShadow *>(region.shadow.get());
  if (LLVM_LIKELY(shadow->isValid()))
    return shadow;
  parent.launch.fail(describeNoMemory(region));
  return nullptr;
}

uint32_t RaceState::getAgent(AgentKind kind, uint64_t id) {
  auto [it, isNew] = agentNumbers.try_emplace({unsigned(kind), id}, 0);
  if (isNew) {
    it->second = clocks.addAgent();
    agents.push_back({kind, id});
    logs.emplace_back();
  }
  return it->second;
}

} // namespace tcgemm::emu
