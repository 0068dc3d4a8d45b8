//===- AccessChecker.h - Races of plain accesses and copies -----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_ACCESSCHECKER_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_ACCESSCHECKER_H

#include "Checkers/ExitChecker.h"
#include "Checkers/RaceReporter.h"

namespace tcgemm::emu {

/// Asynchronous copies of cp.async that still read their source.
class CopySources {
public:
  explicit CopySources(RaceReporter &reporter) : reporter(reporter) {}

  void begin(Warp &warp, const CopyBatch &batch) {
    copies.push_back({&batch, &warp, batch.lanes});
  }
  void end(const CopyBatch &batch, uint32_t lanes);
  bool empty() const { return copies.empty(); }
  /// Reports a write to the source of a copy.
  void check(Warp &warp, const LaneAccess &access);

private:
  struct ActiveCopy {
    const CopyBatch *batch;
    Warp *warp;
    uint32_t lanes;
  };

  RaceReporter &reporter;
  std::vector<ActiveCopy> copies;
};

/// Compares each access with the shadows.
class AccessChecker {
public:
  AccessChecker(RaceState &state, RaceReporter &reporter, ExitChecker &exits)
      : state(state), reporter(reporter), exits(exits), sources(reporter) {}

  void access(Warp &warp, const LaneAccess &access);
  void copyBegin(Warp &warp, const CopyBatch &batch);
  void copyEnd(Warp &warp, const CopyBatch &batch, uint32_t lanes);

private:
  /// ldmatrix, which makes most reads of shared memory.
  void accessRows(Warp &warp, const LaneAccess &access,
                  const GlobalAccessor &me);
  void accessShared(Warp &warp, const LaneAccess &access, GlobalAccessor me);
  void accessGlobal(Warp &warp, const LaneAccess &access, GlobalAccessor me);
  void synchronise(Warp &warp, const LaneAccess &access);
  void writeCopy(Warp &warp, const CopyBatch &batch, GlobalAccessor me);

  RaceState &state;
  RaceReporter &reporter;
  ExitChecker &exits;
  CopySources sources;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_ACCESSCHECKER_H
