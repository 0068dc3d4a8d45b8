//===- WorkTerms.h - The part of a work that a problem decides --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model compares the works of up to two thousand configurations of one
// product. The terms here depend on the product, the chip and the schedule
// only, and are computed once for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_WORKTERMS_H
#define TCGEMM_CONFIG_WORKTERMS_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Target/Chip.h"

namespace tcgemm {

class ScheduleFamily;

struct WorkTerms {
  /// All sizes of `problem` are known. It and `chip` outlive the terms. Of a
  /// product of groups of rows, it is the problem of one group.
  WorkTerms(const ScheduleFamily &family, const ChipInfo &chip,
            const ProblemInfo &problem);

  /// See ScheduleFamily::countStored.
  int64_t countStored(int64_t multiplied) const {
    return numProducts == 1 && numParts == 1
               ? multiplied
               : multiplied / numProducts * numParts;
  }
  /// The terms that follow from the product and a tile.
  struct TileTerms {
    std::array<int64_t, 3> cta = {0, 0, 0};
    int64_t tilesM, tilesN;
    /// The tiles along k. Each value of a summed dimension has its own.
    int64_t depthTiles;
    int64_t storedDepth; ///< The elements along k of a stage in memory.
    double outsidePart;  ///< See KernelWork.
    /// Lines of the L2 cache for each piece of 128 bytes of a tile of D.
    double lines;
    /// Rows of 128 bytes outside A and outside B in the boxes of a stage that
    /// has k innermost: on average over the tiles.
    std::array<double, 2> outsideRows;
  };
  /// The terms of a tile. The last tile's are kept, because configurations of
  /// one tile follow each other; so threads have terms of their own.
  const TileTerms &getTile(const std::array<int64_t, 3> &cta) const {
    if (tile.cta != cta)
      setTile(cta);
    return tile;
  }

  const ChipInfo &chip;
  const ProblemInfo &problem;
  int64_t numProducts = 1, numParts = 1; ///< Of split operands.
  int64_t bitsA, bitsB;                  ///< Of an element.
  int64_t sumBytes, outputElementBytes;
  int64_t depth;       ///< The elements along k that are multiplied.
  int64_t storedDepth; ///< Those that are read from memory.
  bool usesTensorCores;
  bool hasWholeRows; ///< TMA can store the rows of D.
  /// k is innermost in the tiles of A and of B.
  std::array<bool, 2> tilesAlongK;
  bool mapsOperands; ///< Kernels convert operands or map their elements.
  /// Lines of the L2 cache for each piece of 128 bytes of A and B.
  double linesA, linesB;
  double halfL2;  ///< Half of the bytes of the L2 cache.
  double results; ///< The elements of D.
  double inputBytes, outputBytes;
  double packBytes; ///< With UnalignedPath::Pack.
  double processors;

private:
  void setTile(const std::array<int64_t, 3> &cta) const;

  mutable TileTerms tile;
};

} // namespace tcgemm

#endif // TCGEMM_CONFIG_WORKTERMS_H
