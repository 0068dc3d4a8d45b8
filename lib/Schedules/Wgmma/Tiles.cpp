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
    : p(context.p), c(context.c), offsets(p.getKernel().findOffsets()) {
  // The device counts those of groups.
  if (!offsets)
    tilesM = p.ceilDiv(p.size("M"), getUnit(0));
  tilesN = p.ceilDiv(p.size("N"), getUnit(1));
  depthTiles = tilesK = p.ceilDiv(p.depth(), c.cta[2]);
  if (std::optional<char> summed = p.getKernel().findSummedDim())
    tilesK = p.mul(p.size(*summed), depthTiles);
  if (!offsets)
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

std::pair<Value, Value> WgmmaTiles::locateDepth(Value tile) const {
  Value summed;
  if (p.getKernel().findSummedDim()) {
    summed = p.divU(tile, depthTiles);
    tile = p.sub(tile, p.mul(summed, depthTiles));
  }
  return {p.mul(tile, p.i32(c.cta[2])), summed};
}

/// The place of this CTA's tile. The raster is of clusters.
WgmmaPlace WgmmaTiles::getPlace(RasterOp raster) const {
  auto origin = [&](Value index, unsigned side) {
    Value start = p.mul(index, p.i32(getUnit(side)));
    return c.wgmma.cluster[side] == 1
               ? start
               : p.add(start, p.mul(getRank(side), p.i32(getExtent(side))));
  };
  WgmmaPlace place;
  place.batch = raster.getBatch();
  place.slice = raster.getSlice();
  place.m = origin(raster.getM(), 0);
  place.n = origin(raster.getN(), 1);
  place.firstK = p.i32(0);
  place.endK = tilesK;
  return place;
}

WgmmaPlace WgmmaTiles::locate(Value tile) const {
  // A launch's first copy waits for the raster's divisions.
  std::pair<int64_t, int64_t> clusterTile{getUnit(0), getUnit(1)};
  WgmmaPlace place =
      getPlace(buildRaster(p, c, tile, tilesM, tilesN, clusterTile));
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

/// The same where the rows are divided into groups. `group` has the results of
/// GroupLocateOp for a tile before this one, and gets those for this one.
WgmmaPlace WgmmaTiles::locateInGroup(Value tile, Values &group) const {
  Type i32 = p.b().getI32Type();
  auto located = p.b().create<GroupLocateOp>(
      i32, i32, i32, i32, p.pointer(*offsets), p.size("M"), tile, tilesN,
      group[0], group[1], group[2], getUnit(0));
  group = {located.getGroup(), located.getBefore(), located.getStart()};
  Value rows = p.sub(located.getEnd(), located.getStart());
  WgmmaPlace place =
      getPlace(buildRaster(p, c, p.sub(tile, located.getBefore()),
                           p.ceilDiv(rows, getUnit(0)), tilesN));
  place.batch = located.getGroup();
  place.m = p.add(place.m, located.getStart());
  place.endM = located.getEnd();
  return place;
}

/// The number of all CTAs' tiles. With groups it is read from memory.
Value WgmmaTiles::countTiles() const {
  if (!offsets)
    return numTiles;
  Value tiles =
      p.b().create<GroupTilesOp>(p.b().getI32Type(), p.pointer(*offsets),
                                 p.size('b'), p.size("M"), getUnit(0));
  return p.mul(tiles, tilesN);
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
  SmallVector<Value> initial(carried);
  // The group, the tiles before it and its first row.
  if (offsets)
    initial.append(3, p.i32(0));
  auto loop = b.create<scf::ForOp>(from, countTiles(), by, initial);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  Values group(arguments.drop_front(carried.size()));
  Value tile = loop.getInductionVar();
  WgmmaPlace place = offsets ? locateInGroup(tile, group) : locate(tile);
  SmallVector<Value> next = body(place, arguments.take_front(carried.size()));
  llvm::append_range(next, group);
  b.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(
      loop.getResults().take_front(carried.size()));
}
