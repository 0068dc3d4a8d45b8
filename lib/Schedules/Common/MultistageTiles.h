//===- MultistageTiles.h - The tiles that a CTA computes --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGETILES_H
#define TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGETILES_H

#include "Common/MultistageSchedule.h"

namespace tcgemm {

/// The part of the product that a CTA computes.
struct MultistagePlace {
  mlir::Value batch, m, n, slice;
  /// Its k-tiles, [firstTile, endTile), and how much of the first one there is:
  /// tile 0 holds K's residue, all others are whole.
  mlir::Value firstTile, endTile, firstValid;
  /// True (i1) if the tile needs other elements of the operand that the stages
  /// keep than the CTA's tile before it. Null if the stages keep no operand.
  mlir::Value isNew;
};

/// The place of tile number `tile`, without its k-tiles.
MultistagePlace locateTile(ProgramBuilder &p, const KernelConfig &config,
                           MultistageWorker &worker, mlir::Value tile);
/// Numbers of tiles: the CTA's first one, the end of its tiles, and the
/// distance between two of them.
struct TilesOfCta {
  mlir::Value first, end, step;
};

/// The tiles of a persistent CTA. Each CTA has at least one, and no CTA has two
/// more than another.
TilesOfCta chooseTiles(ProgramBuilder &p, const KernelConfig &config);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGETILES_H
