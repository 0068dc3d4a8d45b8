//===- ArrivalChecker.cpp - Arrivals at barriers --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/ArrivalChecker.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

void ArrivalChecker::arrive(Warp &warp, const Instruction &inst, unsigned lane,
                            SyncKey key, uint64_t phase) {
  uint32_t number = warp.clusterIndex;
  state.clocks.receive(number);
  Arrivals &arrivals = all[{unsigned(key.kind), key.id}];
  if (phase != arrivals.phase) {
    arrivals.before.swap(arrivals.now);
    arrivals.now.clear();
    if (phase != arrivals.phase + 1)
      arrivals.before.clear();
    arrivals.phase = phase;
  }
  if (state.clocks.isExhausted())
    return;
  ClusterTimes earlier = state.clocks.getEarlier(number);
  auto unknown = llvm::find_if(arrivals.before, [&](const auto &other) {
    return other.first != number && earlier[other.first] < other.second;
  });
  if (unknown != arrivals.before.end() &&
      state.parent.launch.options.checks.barriers) {
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
                      reporter.describeThread(*state.warps[unknown->first],
                                              kCollective)));
    arrivals.before.clear(); // One finding is enough.
  }
  arrivals.now.emplace_back(number, state.clocks.tick(number));
}

} // namespace tcgemm::emu
