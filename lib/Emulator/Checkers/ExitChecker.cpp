//===- ExitChecker.cpp - Accesses to blocks that may have exited ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/ExitChecker.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

ExitChecker::ExitChecker(RaceState &state)
    : state(state), exitClocks(state.cluster.blocks.size()) {}

void ExitChecker::note(const Block &owner, uint32_t number, uint32_t time,
                       RemoteAccess access) {
  access.time = time;
  remotes[{owner.rank, number}] = access;
}

void ExitChecker::exit(const Warp &warp) {
  Block &block = warp.block;
  VectorClock &known = exitClocks[block.rank];
  known.join(state.clocks.getKnown(warp.clusterIndex));
  if (block.getLiveThreads() || !state.parent.launch.options.checks.barriers)
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
