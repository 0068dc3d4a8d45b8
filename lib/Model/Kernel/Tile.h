//===- Tile.h - The sizes of a CTA's tiles ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_MODEL_KERNEL_TILE_H
#define TCGEMM_LIB_MODEL_KERNEL_TILE_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"

namespace tcgemm {

/// The bytes of a stage's tile of A (0) or B (1).
inline double getTileBytes(const KernelConfig &config,
                           const ProblemInfo &problem, unsigned operand) {
  return double(config.cta[operand]) * double(config.cta[2]) *
         double(problem.getBits(operand)) / 8;
}

/// The elements of a tile of D.
inline double countTileElements(const KernelConfig &config) {
  return double(config.cta[0]) * double(config.cta[1]);
}

/// The bytes of a tile that one CTA stores. The CTAs that split k in a cluster
/// store a part of the tile each, and slices of k are stored as sums.
inline double getStoredBytes(const KernelConfig &config,
                             const ProblemInfo &problem) {
  constexpr double sumBytes = 4;
  double elements = countTileElements(config) / double(config.getSumParts());
  return elements *
         (config.splitK > 1 ? sumBytes : double(problem.epilogueBytes));
}

} // namespace tcgemm

#endif // TCGEMM_LIB_MODEL_KERNEL_TILE_H
