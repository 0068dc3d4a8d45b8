//===- Deadlock.cpp - Deadlock report -------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of the finding for a cluster in which no warp can go on.
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

/// `3, 5 to 8`
static std::string formatNumbers(llvm::ArrayRef<uint32_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (end - i > 1)
      text += (end - i > 2 ? " to " : ", ") + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

static std::string formatBlock(const Block &block) {
  return llvm::formatv("block ({0}, {1}, {2})", block.id[0], block.id[1],
                       block.id[2]);
}

std::string Cluster::describeWait(const Warp &warp) const {
  const WaitState &wait = warp.frame->paths.back().wait;
  if (!wait.active)
    return warp.polls.failed ? "for mbarriers, which it tests"
                             : "for something";
  switch (wait.key.kind) {
  case SyncKey::Kind::Word:
    return wait.key.id ? "for registers of other warps"
                       : "for its warpgroup's other warps to issue wgmma";
  case SyncKey::Kind::MBarrier:
    return "for " + describeMBarrier({blocks[wait.key.id >> 32].get(),
                                      uint32_t(wait.key.id)},
                                     wait.phase);
  case SyncKey::Kind::ClusterBarrier: {
    std::string missing;
    for (const auto &block : blocks) {
      llvm::SmallVector<uint32_t> absent;
      for (const auto &each : block->warps)
        if (!each->isDone() &&
            !llvm::is_contained(barrier.arrivedWarps, each->clusterIndex))
          absent.push_back(each->index);
      if (!absent.empty())
        missing += (missing.empty() ? "warps " : ", warps ") +
                   formatNumbers(absent) + " of " + formatBlock(*block);
    }
    return "at the cluster's barrier for " + missing;
  }
  case SyncKey::Kind::Barrier:
    break;
  }
  const Barrier &barrier = warp.block.barriers[wait.key.id & 15];
  llvm::SmallVector<uint32_t, 8> arrived(barrier.arrivedWarps);
  llvm::sort(arrived);
  uint32_t expected =
      barrier.expected ? barrier.expected : warp.block.getLiveThreads();
  return llvm::formatv("at barrier {0}: {1} of {2} threads have arrived "
                       "(warps {3})",
                       wait.key.id & 15, barrier.arrived, expected,
                       formatNumbers(arrived));
}

void Cluster::reportDeadlock() {
  /// Warps of a block that wait for the same event at the same instruction.
  struct Group {
    const Block *block;
    uint32_t line;
    std::string what;
    llvm::SmallVector<uint32_t> warps;
  };
  std::vector<Group> groups;
  Warp *first = nullptr;
  for (auto &block : blocks)
    for (auto &warp : block->warps) {
      if (warp->isDone())
        continue;
      if (!first)
        first = warp.get();
      Group mine{block.get(),
                 warp->frame->function->instructions[warp->pc].source->line,
                 describeWait(*warp),
                 {}};
      auto group = llvm::find_if(groups, [&](const Group &each) {
        return each.block == mine.block && each.line == mine.line &&
               each.what == mine.what;
      });
      if (group == groups.end())
        group = groups.insert(groups.end(), std::move(mine));
      group->warps.push_back(warp->index);
    }
  constexpr size_t kMaxGroups = 8;
  std::string all;
  for (size_t i = 0; i < std::min(groups.size(), kMaxGroups); ++i) {
    const Group &group = groups[i];
    bool isOne = group.warps.size() == 1;
    all += llvm::formatv("{0}{1} {2} of {3} {4} {5}, line {6}", i ? "; " : "",
                         isOne ? "warp" : "warps", formatNumbers(group.warps),
                         formatBlock(*group.block), isOne ? "waits" : "wait",
                         group.what, group.line);
  }
  if (groups.size() > kMaxGroups)
    all += llvm::formatv("; and {0} more", groups.size() - kMaxGroups);
  const Instruction &inst = first->frame->function->instructions[first->pc];
  uint32_t lanes = first->launched & ~first->exited;
  first->report(FindingKind::Deadlock, inst,
                lanes ? llvm::countr_zero(lanes) : 0, 0, all);
  launch.fail("deadlock: " + all);
}

} // namespace tcgemm::emu
