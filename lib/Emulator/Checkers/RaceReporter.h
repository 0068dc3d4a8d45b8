//===- RaceReporter.h - Findings of the race checker ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_RACEREPORTER_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_RACEREPORTER_H

#include "Checkers/RaceState.h"

namespace tcgemm::emu {

/// The access that completes a race.
struct RacingAccess {
  const Instruction &inst;
  const char *verb; ///< `write`
  uint32_t bytes;
  unsigned lane;
  uint64_t address;
  const Region &region;
};

class RaceReporter {
public:
  explicit RaceReporter(RaceState &state) : state(state) {}

  /// Reports a race; false if it is a warning only.
  bool report(Warp &warp, const RacingAccess &mine, const RaceParty &other);
  bool report(Warp &warp, const RacingAccess &mine,
              const GlobalRaceParty &other);
  /// Reports a race of an agent's access.
  void reportAgent(Warp &warp, const RacingAccess &mine, const Accessor &me,
                   const RaceParty &other);
  std::string describeThread(const Warp &warp, unsigned lane) const;

private:
  bool reportOwn(Warp &warp, const RacingAccess &mine, const RaceParty &other,
                 bool isWarning);
  /// Returns whether one party is the read that begins a compare-and-swap loop
  /// and the other one is an atomic operation.
  bool isCasLoop(const RacingAccess &mine, const RaceParty &other,
                 const Instruction *otherInst) const;
  /// `read by thread (3, 0, 0) of warp 0 at line 12`
  std::string describe(const RaceParty &other) const;
  /// `wgmma.mma_async of warpgroup 0 at line 12`
  std::string describeAgent(const RaceParty &other) const;
  /// The same for a party in another cluster.
  std::string describeForeign(const GlobalRaceParty &other) const;
  const Instruction *findForeign(const GlobalRaceParty &other) const;

  RaceState &state;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_RACEREPORTER_H
