//===- ExitChecker.h - Accesses to blocks that may have exited --*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_EXITCHECKER_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_EXITCHECKER_H

#include "Checkers/RaceState.h"

namespace tcgemm::emu {

/// Shared memory of a block ends with its last thread. An access of another
/// block must happen before something that one of its threads has seen.
class ExitChecker {
public:
  explicit ExitChecker(RaceState &state);

  struct RemoteAccess {
    Warp *warp = nullptr;
    const Instruction *inst = nullptr;
    unsigned lane = 0;
    uint32_t time = 0;
  };
  /// A warp or an agent accesses shared memory of another block.
  void note(const Block &owner, uint32_t number, uint32_t time,
            RemoteAccess access);
  /// A warp exits.
  void exit(const Warp &warp);

private:
  RaceState &state;
  /// By owner and by the number of the accessor: the last access.
  std::map<std::pair<uint32_t, uint32_t>, RemoteAccess> remotes;
  std::vector<VectorClock> exitClocks; ///< By block.
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_EXITCHECKER_H
