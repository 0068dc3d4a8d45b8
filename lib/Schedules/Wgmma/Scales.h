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

/// The scales of blocks of A and B for one warpgroup's share of the tiles. They
/// are copied to shared memory several blocks of k ahead, because a load from
/// global memory takes longer than the products of a block.
class WgmmaScales {
public:
  /// Reserves the memory. Requires that the kernel has scales.
  explicit WgmmaScales(const WgmmaContext &context);

  /// Starts the copies of the first blocks of a tile. `own` is the place of the
  /// tile, with the warpgroup's first row.
  void start(const WgmmaPlace &own);
  /// Starts the copy that comes in the turn of `block`, then reads the scales
  /// of `block`. All blocks of a tile have their turn, in order.
  llvm::SmallVector<mlir::Value> next(mlir::Value block);

private:
  /// The scales of A or B. All distances are in elements.
  struct Side {
    unsigned operand;
    mlir::Value buffer, base, stride, blockStride; ///< Along the side, and k.
    mlir::Value offset, first, end;                ///< The tile's.
  };
  void locate(Side &side, const WgmmaPlace &own);
  void fetch(mlir::Value block);

  ProgramBuilder &p;
  llvm::SmallVector<Side, 2> sides;
  mlir::Value endK;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_SCALES_H
