//===- Tiles.cpp - The tiles that a CTA computes --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles may differ in the k for which they are computed: outside the bands of A
// and B all products are zero. A persistent CTA takes the tiles with the most
// of k first, and in turns from the left and from the right of each round, so
// that all CTAs have about the same work.
//
// A symmetric result is divided into square blocks. Those on and below the
// diagonal are computed. Row number r of their triangle and row r from its end
// are together a row of a rectangle, which the raster goes through.
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Tiles.h"
#include "Common/Programs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

WgmmaTiles::WgmmaTiles(const WgmmaContext &context)
    : p(context.p), c(context.c), problem(getProblemInfo(p.getKernel())),
      stageDepth(context.getStageDepth()),
      offsets(p.getKernel().findOffsets()) {
  // The device counts those of groups of rows.
  if (!problem.hasGroupsOfRows())
    tilesM = p.ceilDiv(p.size("M"), getUnit(0));
  tilesN = p.ceilDiv(p.size("N"), getUnit(1));
  if (problem.isSymmetric)
    foldTriangle();
  depthTiles = tilesK = p.ceilDiv(p.depth(c), c.cta[2]);
  if (std::optional<char> summed = p.getKernel().findSummedDim())
    tilesK = p.mul(p.size(*summed), depthTiles);
  if (!problem.hasGroupsOfRows())
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

/// Replaces the numbers of tiles along M and N by those of the rectangle that
/// has the blocks on and below the diagonal. For an even number of blocks the
/// longest row of the triangle and its shortest one are together a row of the
/// rectangle; for an odd number the longest one is alone.
void WgmmaTiles::foldTriangle() {
  int64_t block = std::max(getUnit(0), getUnit(1));
  blocks = p.ceilDiv(p.size("M"), block);
  Value isEven = p.bitXor(p.bitAnd(blocks, p.i32(1)), 1);
  tilesM = p.mul(p.divU(p.add(blocks, p.i32(1)), p.i32(2)),
                 p.i32(block / getUnit(0)));
  tilesN = p.mul(p.add(blocks, isEven), p.i32(block / getUnit(1)));
}

Value WgmmaTiles::getRank(unsigned side) const {
  int64_t before = side > 0 ? c.wgmma.cluster[0] : 1;
  if (side > 1)
    before *= c.wgmma.cluster[1];
  return p.remU(p.divU(rank, p.i32(before)), p.i32(c.wgmma.cluster[side]));
}

std::pair<Value, Value> WgmmaTiles::locateDepth(const WgmmaPlace &place,
                                                Value tile) const {
  Value summed;
  if (p.getKernel().findSummedDim()) {
    summed = p.divU(tile, depthTiles);
    tile = p.sub(tile, p.mul(summed, depthTiles));
  }
  Value k = p.mul(tile, p.i32(stageDepth));
  return {place.startK ? p.add(place.startK, k) : k, summed};
}

/// The place of this CTA's tile. The raster is of clusters.
WgmmaPlace WgmmaTiles::getPlace(RasterOp raster) const {
  return getPlace(raster, raster.getM(), raster.getN());
}

/// The same with other numbers of the tile along M and N.
WgmmaPlace WgmmaTiles::getPlace(RasterOp raster, Value m, Value n) const {
  auto origin = [&](Value index, unsigned side) {
    Value start = p.mul(index, p.i32(getUnit(side)));
    return c.wgmma.cluster[side] == 1
               ? start
               : p.add(start, p.mul(getRank(side), p.i32(getExtent(side))));
  };
  WgmmaPlace place;
  place.batch = raster.getBatch();
  place.slice = raster.getSlice();
  place.m = origin(m, 0);
  place.n = origin(n, 1);
  place.firstK = p.i32(0);
  place.endK = tilesK;
  return place;
}

/// The k-tiles outside of which A or B is zero for a whole tile of the cluster,
/// which starts at `startM` and `startN`: its CTAs share stages. At least one
/// is left, because the first stage is peeled; its elements are masked.
void WgmmaTiles::restrictDepth(WgmmaPlace &place, Value startM,
                               Value startN) const {
  Value none = p.i32(0), depth = p.depth(c);
  Value start, end;
  for (unsigned operand : {0, 1}) {
    if (!problem.bands[operand])
      continue;
    Band band = problem.getBandAlongK(operand);
    Value side = operand ? startN : startM;
    // No sum exceeds 32 bits, but some exceed 31. Those that may be negative
    // are compared with signs, the others without.
    if (band.lower) {
      Value least = p.add(side, p.i32(*band.lower));
      least = *band.lower < 0 ? p.clampS(least, depth) : p.minU(least, depth);
      start = start ? p.select(p.lessU(start, least), least, start) : least;
    }
    if (band.upper) {
      int64_t behind = getUnit(operand) + *band.upper;
      Value most = p.add(side, p.i32(behind));
      most = behind < 0 ? p.clampS(most, depth) : p.minU(most, depth);
      end = end ? p.minU(end, most) : most;
    }
  }
  Value last = p.sub(tilesK, p.i32(1));
  place.firstK = start ? p.minU(p.divU(start, p.i32(c.cta[2])), last) : none;
  if (!end)
    return;
  Value least = p.add(place.firstK, p.i32(1));
  Value ceil = p.ceilDiv(end, c.cta[2]);
  place.endK = p.select(p.lessU(ceil, least), least, ceil);
}

/// The place of a tile of a symmetric result.
WgmmaPlace WgmmaTiles::locateBelowDiagonal(Value tile) const {
  RasterOp raster = buildRaster(p, c, tile, tilesM, tilesN);
  int64_t block = std::max(getUnit(0), getUnit(1));
  // A square block has so many tiles along M and N.
  Value perM = p.i32(block / getUnit(0)), perN = p.i32(block / getUnit(1));
  Value row = p.divU(raster.getM(), perM), column = p.divU(raster.getN(), perN);
  Value isOdd = p.bitAnd(blocks, p.i32(1));
  // Row `row` from the end of the triangle has one column more than its number;
  // behind these are the columns of a short row.
  Value longRow = p.sub(p.sub(blocks, p.i32(1)), row);
  Value isShort = p.lessU(longRow, column);
  Value m = p.select(isShort, p.sub(row, isOdd), longRow);
  Value n = p.select(isShort, p.sub(p.sub(column, longRow), p.i32(1)), column);
  auto within = [&](Value number, Value index, Value per) {
    return p.add(p.mul(number, per), p.remU(index, per));
  };
  Value tileM = within(m, raster.getM(), perM);
  Value tileN = within(n, raster.getN(), perN);
  WgmmaPlace place = getPlace(raster, tileM, tileN);
  if (problem.hasBands())
    restrictDepth(place, p.mul(tileM, p.i32(getUnit(0))),
                  p.mul(tileN, p.i32(getUnit(1))));
  place.isReflected = p.notEqual(m, n);
  return place;
}

/// Returns whether tiles have more of k the larger their number along M or N
/// is.
static bool growsAlong(const ProblemInfo &problem, unsigned operand) {
  if (!problem.bands[operand])
    return false;
  Band band = problem.getBandAlongK(operand);
  return band.upper && !band.lower;
}

/// With groups along k, restricts the tile to the part of k that its group has.
/// At least one k-tile is left, as outside of bands; what is behind the group's
/// end is masked. Along the rows of a tile, TMA copies only from multiples of
/// 16 bytes on, so that elements of the group before may be masked, too. Roles
/// read the offsets behind their wait for the grids ahead.
void WgmmaTiles::takeDepthOfGroup(WgmmaPlace &place) const {
  if (!problem.hasGroupsAlongK())
    return;
  Type i32 = p.b().getI32Type();
  auto range = p.b().create<GroupRangeOp>(i32, i32, p.pointer(*offsets),
                                          p.size("K"), place.batch);
  place.startK = range.getStart();
  int64_t unit = 1;
  for (unsigned operand : {0, 1})
    if (problem.hasTileAlongK(operand))
      unit = std::max<int64_t>(unit, 128 / problem.getBits(operand));
  if (unit > 1) {
    place.skippedK = p.remU(place.startK, p.i32(unit));
    place.startK = p.sub(place.startK, place.skippedK);
  }
  place.depth = p.sub(range.getEnd(), place.startK);
  Value one = p.i32(1), tiles = p.ceilDiv(place.depth, c.cta[2]);
  place.endK = p.select(p.lessU(tiles, one), one, tiles);
}

WgmmaPlace WgmmaTiles::locate(Value tile) const {
  if (problem.isSymmetric)
    return locateBelowDiagonal(tile);
  // A launch's first copy waits for the raster's divisions.
  std::pair<int64_t, int64_t> clusterTile{getUnit(0), getUnit(1)};
  RasterOp raster = buildRaster(p, c, tile, tilesM, tilesN, clusterTile);
  if (problem.hasBands()) {
    // The tiles with the most of k come first.
    auto order = [&](Value number, Value tiles, unsigned operand) {
      return growsAlong(problem, operand)
                 ? p.sub(p.sub(tiles, p.i32(1)), number)
                 : number;
    };
    Value m = order(raster.getM(), tilesM, 0);
    Value n = order(raster.getN(), tilesN, 1);
    WgmmaPlace place = getPlace(raster, m, n);
    restrictDepth(place, p.mul(m, p.i32(getUnit(0))),
                  p.mul(n, p.i32(getUnit(1))));
    return place;
  }
  WgmmaPlace place = getPlace(raster);
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
      group[0], group[1], group[2], getUnit(0), hasPaddedGroups());
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

/// The number of all CTAs' tiles. With groups of rows it is read from memory.
Value WgmmaTiles::countTiles() const {
  if (!problem.hasGroupsOfRows())
    return numTiles;
  Value tiles = p.b().create<GroupTilesOp>(
      p.b().getI32Type(), p.pointer(*offsets), p.size('b'), p.size("M"),
      getUnit(0), hasPaddedGroups());
  return p.mul(tiles, tilesN);
}

void WgmmaTiles::locateOnlyTile() {
  if (!c.persistent)
    onlyTile = locate(first);
}

SmallVector<Value> WgmmaTiles::forEach(Value from, Value by, ValueRange carried,
                                       Body body) const {
  if (!c.persistent) {
    WgmmaPlace place = onlyTile;
    takeDepthOfGroup(place);
    return body(place, carried);
  }
  if (problem.hasBands())
    return forEachInTurns(carried, body);
  auto &b = p.b();
  SmallVector<Value> initial(carried);
  // The group, the tiles before it and its first row.
  if (problem.hasGroupsOfRows())
    initial.append(3, p.i32(0));
  auto loop = b.create<scf::ForOp>(from, countTiles(), by, initial);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  Values group(arguments.drop_front(carried.size()));
  Value tile = loop.getInductionVar();
  WgmmaPlace place =
      problem.hasGroupsOfRows() ? locateInGroup(tile, group) : locate(tile);
  takeDepthOfGroup(place);
  SmallVector<Value> next = body(place, arguments.take_front(carried.size()));
  llvm::append_range(next, group);
  // A loop that carries nothing has its end already.
  if (!next.empty())
    b.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(
      loop.getResults().take_front(carried.size()));
}

/// The same for tiles with different numbers of stages: the CTA takes its tile
/// of each round from the left, and of the next one from the right.
SmallVector<Value> WgmmaTiles::forEachInTurns(ValueRange carried,
                                              Body body) const {
  auto &b = p.b();
  Value fromRight = p.sub(p.sub(step, p.i32(1)), first);
  auto getOffset = [&](Value round) {
    Value isOdd = p.notEqual(p.bitAnd(round, p.i32(1)), p.i32(0));
    return p.select(isOdd, fromRight, first);
  };
  Value whole = p.divU(numTiles, step);
  Value rest = p.sub(numTiles, p.mul(whole, step));
  Value rounds = p.add(whole, p.extBool(p.lessU(getOffset(whole), rest)));
  auto loop = b.create<scf::ForOp>(p.i32(0), rounds, p.i32(1), carried);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  Value round = loop.getInductionVar();
  Value tile = p.add(p.mul(round, step), getOffset(round));
  b.create<scf::YieldOp>(body(locate(tile), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}
