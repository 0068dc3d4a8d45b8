//===- RasterLowering.cpp - From a tile's number to its position ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LoweringContext.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// A quotient and its remainder.
struct Division {
  Value quotient, remainder;
};

class RasterLowering : public Lowering {
public:
  using Lowering::Lowering;
  void lower(RasterOp op);

private:
  Value multiplyHigh(Value x, Value reciprocal);
  Division divide(Value x, Value y);
  Value splitBatchAndSlice(RasterOp op);
  void lowerDiagonal(RasterOp op, Value tile);
  void lowerBands(RasterOp op, Value tile);
};
} // namespace

/// Returns x / d, rounded down, for x (i32) below 2^31 and `reciprocal` (i64) =
/// 2^62 / d, rounded up. The reciprocal is too large by less than one, and so
/// the product, in units of 2^62, by less than x / 2^62: too little to reach
/// the next multiple of 1 / d, unless d is beyond 2^31; then all of it is less
/// than 1.
Value RasterLowering::multiplyHigh(Value x, Value reciprocal) {
  Value wide = b.ext(x), low = b.bitAnd(reciprocal, b.i64(0xffffffff));
  Value sum = b.add(b.mul(wide, b.shiftRightU(reciprocal, 32)),
                    b.shiftRightU(b.mul(wide, low), 32));
  return b.trunc(b.shiftRightU(sum, 30));
}

/// A remainder comes from its quotient: divisions are long.
Division RasterLowering::divide(Value x, Value y) {
  Value quotient = b.divU(x, y);
  return {quotient, b.sub(x, b.mul(quotient, y))};
}

/// Sets the batch and the slice of k; returns the number of the tile in them.
Value RasterLowering::splitBatchAndSlice(RasterOp op) {
  Value tile = one(op.getLinear()), slices = one(op.getSlices());
  Value plane = b.mul(one(op.getTilesM()), one(op.getTilesN()));
  Value batch = b.i32(0), slice = b.i32(0);
  if (op.getBatched()) {
    Division division = divide(tile, b.mul(plane, slices));
    batch = division.quotient, tile = division.remainder;
  }
  if (!isConstantIntValue(slices, 1)) {
    bool inner = op.getSlicesInner();
    Division division = divide(tile, inner ? slices : plane);
    slice = inner ? division.remainder : division.quotient;
    tile = inner ? division.quotient : division.remainder;
  }
  set(op.getBatch(), batch);
  set(op.getSlice(), slice);
  return tile;
}

/// Each row of a diagonal starts a column further right.
void RasterLowering::lowerDiagonal(RasterOp op, Value tile) {
  auto [column, row] = divide(tile, one(op.getTilesM()));
  set(op.getM(), row);
  set(op.getN(), divide(b.add(row, column), one(op.getTilesN())).remainder);
}

/// Bands of `group` tiles across the order's direction, the last perhaps
/// narrower; inside one the index runs across the band first.
void RasterLowering::lowerBands(RasterOp op, Value tile) {
  Value tilesM = one(op.getTilesM()), tilesN = one(op.getTilesN());
  Value across = op.getAlongM() ? tilesM : tilesN;
  Value along = op.getAlongM() ? tilesN : tilesM;
  Value group = b.i32(op.getGroup());
  Value band = b.mul(along, group);
  Value number = op.getBandReciprocal()
                     ? multiplyHigh(tile, one(op.getBandReciprocal()))
                     : b.divU(tile, band);
  Value inBand = b.sub(tile, b.mul(number, band));
  Value first = b.mul(number, group);
  Value left = b.sub(across, first);
  Value width = b.minU(left, group);
  Value y;
  if (op.getLastReciprocal())
    y = b.select(b.lessU(left, group),
                 multiplyHigh(inBand, one(op.getLastReciprocal())),
                 b.divU(inBand, op.getGroup()));
  else
    y = b.divU(inBand, width);
  Value x = b.add(first, b.sub(inBand, b.mul(y, width)));
  set(op.getM(), op.getAlongM() ? x : y);
  set(op.getN(), op.getAlongM() ? y : x);
}

void RasterLowering::lower(RasterOp op) {
  Value tile = splitBatchAndSlice(op);
  if (op.getDiagonal())
    lowerDiagonal(op, tile);
  else
    lowerBands(op, tile);
}

void tcgemm::populateRasterPatterns(LoweringContext &c,
                                    RewritePatternSet &patterns) {
  addFamily<RasterLowering, RasterOp>(c, patterns);
}
