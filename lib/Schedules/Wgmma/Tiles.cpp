//===- Tiles.cpp - The tiles that a CTA computes --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Tiles.h"
#include "Common/Programs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

WgmmaTiles::WgmmaTiles(const WgmmaContext &context)
    : p(context.p), c(context.c) {
  tilesM = p.ceilDiv(p.size("M"), c.cta[0] * c.wgmma.cluster[0]);
  tilesN = p.ceilDiv(p.size("N"), c.cta[1] * c.wgmma.cluster[1]);
  tilesK = p.ceilDiv(p.depth(), c.cta[2]);
  numTiles =
      p.mul(p.mul(tilesM, tilesN), p.mul(p.countProducts(), p.i32(c.splitK)));
  first = p.blockId();
  step = p.gridSize();
  if (int64_t size = c.getClusterSize(); size > 1) {
    rank = p.remU(first, p.i32(size));
    first = p.divU(first, p.i32(size));
    step = p.divU(step, p.i32(size));
  }
}

Value WgmmaTiles::getRank(unsigned side) const {
  int64_t before = side > 0 ? c.wgmma.cluster[0] : 1;
  if (side > 1)
    before *= c.wgmma.cluster[1];
  return p.remU(p.divU(rank, p.i32(before)), p.i32(c.wgmma.cluster[side]));
}

WgmmaPlace WgmmaTiles::locate(Value tile) const {
  // A launch's first copy waits for the raster's divisions.
  std::pair<int64_t, int64_t> clusterTile{c.cta[0] * c.wgmma.cluster[0],
                                          c.cta[1] * c.wgmma.cluster[1]};
  RasterOp raster = buildRaster(p, c, tile, tilesM, tilesN, clusterTile);
  // The raster is of clusters.
  auto origin = [&](Value index, unsigned side) {
    Value start = p.mul(index, p.i32(c.cta[side] * c.wgmma.cluster[side]));
    return c.wgmma.cluster[side] == 1
               ? start
               : p.add(start, p.mul(getRank(side), p.i32(c.cta[side])));
  };
  WgmmaPlace place;
  place.batch = raster.getBatch();
  place.slice = raster.getSlice();
  place.m = origin(raster.getM(), 0);
  place.n = origin(raster.getN(), 1);
  place.firstK = p.i32(0);
  place.endK = tilesK;
  if (int64_t slices = c.splitK * c.wgmma.cluster[2]; slices > 1) {
    auto bound = [&](Value s) {
      return p.divU(p.mul(s, tilesK), p.i32(slices));
    };
    Value slice = c.splitK > 1 ? place.slice : getRank(2);
    place.firstK = bound(slice);
    place.endK = bound(p.add(slice, p.i32(1)));
  }
  return place;
}

void WgmmaTiles::locateOnlyTile() {
  if (!c.wgmma.persistent)
    onlyTile = locate(first);
}

SmallVector<Value> WgmmaTiles::forEach(Value from, Value by, ValueRange carried,
                                       Body body) const {
  if (!c.wgmma.persistent)
    return body(onlyTile, carried);
  auto &b = p.b();
  auto loop = b.create<scf::ForOp>(from, numTiles, by, carried);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(locate(loop.getInductionVar()), loop.getRegionIterArgs());
  b.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(loop.getResults());
}
