//===- ArrivalChecker.h - Arrivals at barriers ------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_ARRIVALCHECKER_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_ARRIVALCHECKER_H

#include "Checkers/RaceReporter.h"

namespace tcgemm::emu {

/// A barrier counts arrivals only. A warp that arrives for a phase must come
/// after all arrivals for the phase before. Otherwise its arrival could count
/// for that phase, which would then end too early.
class ArrivalChecker {
public:
  ArrivalChecker(RaceState &state, RaceReporter &reporter)
      : state(state), reporter(reporter) {}

  void arrive(Warp &warp, const Instruction &inst, unsigned lane, SyncKey key,
              uint64_t phase);
  /// The barrier is initialised again.
  void forget(SyncKey key) { all.erase({unsigned(key.kind), key.id}); }

private:
  /// Arrivals in the present phase and in the one before: warps and their
  /// times.
  struct Arrivals {
    uint64_t phase = 0;
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, 8> now, before;
  };

  RaceState &state;
  RaceReporter &reporter;
  /// By kind and id of the barrier.
  std::map<std::pair<unsigned, uint64_t>, Arrivals> all;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_ARRIVALCHECKER_H
