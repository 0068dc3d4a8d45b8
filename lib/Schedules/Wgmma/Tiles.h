//===- Tiles.h - The tiles that a CTA computes ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_TILES_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_TILES_H

#include "Wgmma/Context.h"
#include "tcgemm/Config/ProblemInfo.h"

namespace tcgemm {

/// A tile of the output, or a slice of k of one.
struct WgmmaPlace {
  mlir::Value batch, m, n, slice, firstK, endK;
  /// The end of the rows of the tile's group; null without groups of rows.
  mlir::Value endM;
  /// The start of the copies along k of the tile's group, and the number of
  /// elements from there to the group's end; null without groups along k.
  mlir::Value startK, depth;
  /// The elements ahead of the group's first one that are copied, too; null if
  /// copies may start anywhere.
  mlir::Value skippedK;
  /// True if the tile is below the diagonal of a symmetric result, so that it
  /// is stored transposed, too; null if the result is not symmetric.
  mlir::Value isReflected;
};

/// The list of a CTA's tiles. All roles go through the same list.
class WgmmaTiles {
public:
  /// Computes the number of tiles and the CTA's first one.
  explicit WgmmaTiles(const WgmmaContext &context);

  /// Locates the tile of a CTA that is not persistent. All roles use it, so it
  /// comes before them.
  void locateOnlyTile();
  mlir::Value getFirst() const { return first; }
  mlir::Value getStep() const { return step; }
  mlir::Value getTilesK() const { return tilesK; }
  /// The first element along k of number `tile` of the k-tiles of `place`, and
  /// its coordinate along the summed dimension, if there is one.
  std::pair<mlir::Value, mlir::Value> locateDepth(const WgmmaPlace &place,
                                                  mlir::Value tile) const;
  /// The CTA's place in its cluster along M, N or K: M varies fastest.
  mlir::Value getRank(unsigned side) const;

  /// Runs `body` for every tile from `from` on, by `by`; it takes the tile's
  /// place and what the loop carries, and returns that behind the tile.
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(const WgmmaPlace &, mlir::ValueRange)>;
  Values forEach(mlir::Value from, mlir::Value by, mlir::ValueRange carried,
                 Body body) const;

private:
  void foldTriangle();
  WgmmaPlace locate(mlir::Value tile) const;
  void takeDepthOfGroup(WgmmaPlace &place) const;
  WgmmaPlace locateBelowDiagonal(mlir::Value tile) const;
  void restrictDepth(WgmmaPlace &place, mlir::Value startM,
                     mlir::Value startN) const;
  WgmmaPlace locateInGroup(mlir::Value tile, Values &group) const;
  WgmmaPlace getPlace(RasterOp raster) const;
  WgmmaPlace getPlace(RasterOp raster, mlir::Value m, mlir::Value n) const;
  Values forEachInTurns(mlir::ValueRange carried, Body body) const;
  mlir::Value countTiles() const;
  bool hasPaddedGroups() const {
    return getGroupKindInfo(problem.groupKind).hasCounts;
  }
  /// The extent of a CTA's or a cluster's tile of the outputs.
  int64_t getExtent(unsigned side) const {
    return getOutputExtent(p.getKernel(), c, side);
  }
  int64_t getUnit(unsigned side) const {
    return getExtent(side) * c.wgmma.cluster[side];
  }

  ProgramBuilder &p;
  const KernelConfig &c;
  const ProblemInfo problem;
  const int64_t stageDepth;
  /// The operand that divides the rows into groups.
  std::optional<unsigned> offsets;
  mlir::Value rank, first, step, numTiles, tilesM, tilesN, tilesK;
  mlir::Value depthTiles; ///< Those of `tilesK` for one summed coordinate.
  /// The blocks along M and N of a symmetric result: see locateBelowDiagonal.
  mlir::Value blocks;
  WgmmaPlace onlyTile;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_TILES_H
