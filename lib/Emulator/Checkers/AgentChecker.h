//===- AgentChecker.h - Accesses of asynchronous agents ---------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access that ends at a time which only a wait tells is an access of an
// agent. An agent has a place in the clocks, as a warp has. Its accesses end in
// their order, so one number tells which of them a warp knows to be over:
//
//   copies that signal an mbarrier   one agent for each mbarrier; its time is
//                                    the number of complete phases
//   copies in bulk groups            two agents for each warp, for reading and
//                                    for all, since wait_group has both kinds
//   wgmma                            one agent for each warpgroup
//
// An agent begins with the knowledge of the warp that starts it. It sees a
// write through the generic proxy only after a proxy fence.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_AGENTCHECKER_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_AGENTCHECKER_H

#include "Checkers/ExitChecker.h"
#include "Checkers/MBarrierChecker.h"

namespace tcgemm::emu {

class AgentChecker {
public:
  AgentChecker(RaceState &state, RaceReporter &reporter,
               MBarrierChecker &mbarriers, ExitChecker &exits)
      : state(state), reporter(reporter), mbarriers(mbarriers), exits(exits) {}

  void bulkBegin(Warp &warp, BulkCopy &copy);
  void bulkEnd(BulkCopy &copy, SyncKey key);
  void bulkWaited(Warp &warp, const BulkCopy &copy, bool onlyRead);
  void wgmmaBegin(Warp &warp, WgmmaOp &op);
  void wgmmaWaited(Warp &warp, const WgmmaOp &op);

private:
  /// The knowledge of a warp, and the part of it that agents may see.
  struct AgentView {
    VectorClock clock;
    ClusterTimes visible;
  };
  AgentView makeView(const Warp &warp);
  GlobalAccessor beginAgent(uint32_t agent, uint32_t time,
                            const Instruction &inst, const AgentView &view);
  void readPiece(Warp &warp, const BulkCopy &copy, const BulkPiece &piece,
                 const GlobalAccessor &me);
  void writePiece(Warp &warp, const BulkCopy &copy, const BulkPiece &piece,
                  const GlobalAccessor &me);

  RaceState &state;
  RaceReporter &reporter;
  MBarrierChecker &mbarriers;
  ExitChecker &exits;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_AGENTCHECKER_H
