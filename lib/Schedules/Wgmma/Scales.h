//===- Scales.h - Scales of blocks of the wgmma program ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_SCALES_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_SCALES_H

#include "Wgmma/Tiles.h"

namespace tcgemm {

/// Loads the scales of blocks of A and B for one warpgroup's share of a tile.
class WgmmaScales {
public:
  /// `own` is the place of the tile, with the warpgroup's first row.
  WgmmaScales(const WgmmaContext &context, const WgmmaPlace &own);

  /// Loads those of the block of k with this number; nothing if the kernel has
  /// no scales.
  llvm::SmallVector<mlir::Value> load(mlir::Value block) const;

private:
  /// The scales of A or B. All distances are in elements.
  struct Side {
    ScalesType type;
    mlir::Value base, offset, stride, blockStride; ///< Along the side, and k.
    mlir::Value first, end;
  };
  void add(const WgmmaContext &context, const WgmmaPlace &own,
           unsigned operand);

  ProgramBuilder &p;
  llvm::SmallVector<Side, 2> sides;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_SCALES_H
