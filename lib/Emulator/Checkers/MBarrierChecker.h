//===- MBarrierChecker.h - State and phases of mbarriers --------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_MBARRIERCHECKER_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_MBARRIERCHECKER_H

#include "Checkers/RaceReporter.h"

namespace tcgemm::emu {

class MBarrierChecker {
public:
  MBarrierChecker(RaceState &state, RaceReporter &reporter)
      : state(state), reporter(reporter) {}

  /// The time of the mbarrier's agent when the phase of `key` is complete.
  uint32_t getPhaseTime(SyncKey key);

  void init(Warp &warp, SyncKey key);
  void fenceInit(Warp &warp);
  /// Checks that the initialisation happens before a use.
  void use(Warp &warp, const Instruction &inst, unsigned lane, SyncKey key);
  /// Checks that it is visible to the asynchronous proxy, through which a copy
  /// signals. `visible` are the times that the proxy sees.
  void useByCopy(Warp &warp, const BulkCopy &copy, const ClusterTimes &visible);
  /// A parity names one of the two phases next to the last one that the warp
  /// knows to be complete. It is ambiguous if the mbarrier may be two phases
  /// further.
  void testParity(Warp &warp, unsigned lane, SyncKey key, uint32_t parity);
  void seePhase(Warp &warp, SyncKey key);

private:
  RaceState &state;
  RaceReporter &reporter;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_MBARRIERCHECKER_H
