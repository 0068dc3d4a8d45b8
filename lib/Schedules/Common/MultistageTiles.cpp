//===- MultistageTiles.cpp - The tiles that a CTA computes ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/MultistageTiles.h"
#include "Common/Programs.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

/// Returns whether a thread's sums leave registers for reciprocals, which
/// replace the raster's divisions. Divisions delay the first copies.
static bool hasRoomForReciprocals(ProgramBuilder &p, const KernelConfig &config,
                                  MultistageWorker &worker) {
  constexpr int64_t mostBytes = 128;
  int64_t bytes = getProblemInfo(p.getKernel()).getSumBytes();
  return config.cta[0] * config.cta[1] * worker.getPartsOfK() * bytes <=
         mostBytes * config.getNumThreads();
}

/// The tiles along M and N.
static std::pair<Value, Value> countTilesOfSides(ProgramBuilder &p,
                                                 const KernelConfig &config) {
  Value tilesM = p.ceilDiv(p.size("M"), config.cta[0]);
  Value tilesN = p.ceilDiv(p.size("N"), config.cta[1]);
  return {tilesM, tilesN};
}

TilesOfCta tcgemm::chooseTiles(ProgramBuilder &p, const KernelConfig &config) {
  auto [tilesM, tilesN] = countTilesOfSides(p, config);
  Value tiles = p.mul(p.mul(tilesM, tilesN), p.countProducts());
  Value cta = p.blockId(), ctas = p.gridSize();
  if (config.tileOrder == TileOrder::Strided)
    return {cta, tiles, ctas};
  // The first CTAs have the tiles that are left over.
  Value each = p.divU(tiles, ctas), left = p.sub(tiles, p.mul(each, ctas));
  Value first = p.add(p.mul(cta, each), p.minU(cta, left));
  Value own = p.add(each, p.extBool(p.lessU(cta, left)));
  return {first, p.add(first, own), p.i32(1)};
}

MultistagePlace tcgemm::locateTile(ProgramBuilder &p,
                                   const KernelConfig &config,
                                   MultistageWorker &worker, Value tile) {
  auto [tilesM, tilesN] = countTilesOfSides(p, config);
  std::optional<std::pair<int64_t, int64_t>> reciprocalTile;
  if (hasRoomForReciprocals(p, config, worker))
    reciprocalTile = {config.cta[0], config.cta[1]};
  RasterOp raster =
      buildRaster(p, config, tile, tilesM, tilesN, reciprocalTile);
  MultistagePlace place;
  place.batch = raster.getBatch();
  place.slice = raster.getSlice();
  place.m = p.mul(raster.getM(), p.i32(config.cta[0]));
  place.n = p.mul(raster.getN(), p.i32(config.cta[1]));
  return place;
}
