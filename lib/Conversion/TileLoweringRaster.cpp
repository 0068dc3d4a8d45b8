//===- TileLoweringRaster.cpp - Which tile a CTA computes -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace tcgemm;

/// x / d, rounded down, for x (i32) below 2^31 and `reciprocal` (i64) = 2^62 /
/// d, rounded up. That is too large by less than one, and so the product, in
/// units of 2^62, by less than x / 2^62: too little to reach the next multiple
/// of 1 / d, unless d is beyond 2^31; then all of it is less than 1.
Value TileLowering::multiplyHigh(Value x, Value reciprocal) {
  auto shift = [&](Value value, int64_t by) {
    return b.createOrFold<arith::ShRUIOp>(value, b.i64(by));
  };
  Value wide = b.ext(x), low = b.bitAnd(reciprocal, b.i64(0xffffffff));
  Value sum =
      b.add(b.mul(wide, shift(reciprocal, 32)), shift(b.mul(wide, low), 32));
  return b.createOrFold<arith::TruncIOp>(b.getI32Type(), shift(sum, 30));
}

void TileLowering::lower(RasterOp op) {
  Value tilesM = one(op.getTilesM()), tilesN = one(op.getTilesN());
  Value slices = one(op.getSlices()), tile = one(op.getLinear());
  // A remainder comes from its quotient: divisions are long.
  auto divide = [&](Value x, Value y) {
    Value quotient = b.createOrFold<arith::DivUIOp>(x, y);
    return std::pair(quotient, b.sub(x, b.mul(quotient, y)));
  };
  // Each row of a diagonal starts a column further right.
  auto locateOnDiagonal = [&] {
    auto [column, row] = divide(tile, tilesM);
    set(op.getM(), row);
    set(op.getN(), divide(b.add(row, column), tilesN).second);
  };
  Value plane = b.mul(tilesM, tilesN);
  Value batch = b.i32(0), slice = b.i32(0);
  if (op.getBatched())
    std::tie(batch, tile) = divide(tile, b.mul(plane, slices));
  if (!isConstantIntValue(slices, 1)) {
    if (op.getSlicesInner())
      std::tie(tile, slice) = divide(tile, slices);
    else
      std::tie(slice, tile) = divide(tile, plane);
  }
  set(op.getBatch(), batch);
  set(op.getSlice(), slice);
  if (op.getDiagonal())
    return locateOnDiagonal();
  // Bands of `group` tiles across the order's direction, the last perhaps
  // narrower; inside one the index runs across the band first.
  Value across = op.getAlongM() ? tilesM : tilesN;
  Value along = op.getAlongM() ? tilesN : tilesM;
  Value group = b.i32(op.getGroup());
  Value band = b.mul(along, group);
  Value number = op.getBandReciprocal()
                     ? multiplyHigh(tile, one(op.getBandReciprocal()))
                     : b.createOrFold<arith::DivUIOp>(tile, band);
  Value inBand = b.sub(tile, b.mul(number, band));
  Value first = b.mul(number, group);
  Value left = b.sub(across, first);
  Value width = b.createOrFold<arith::MinUIOp>(left, group);
  Value y;
  if (op.getLastReciprocal())
    y = b.select(b.cmp(arith::CmpIPredicate::ult, left, group),
                 multiplyHigh(inBand, one(op.getLastReciprocal())),
                 b.divU(inBand, op.getGroup()));
  else
    y = b.createOrFold<arith::DivUIOp>(inBand, width);
  Value x = b.add(first, b.sub(inBand, b.mul(y, width)));
  set(op.getM(), op.getAlongM() ? x : y);
  set(op.getN(), op.getAlongM() ? y : x);
}
