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
    return b.createOrFold<arith::ShRUIOp>(value, i64(by));
  };
  Value wide = ext(x), low = bitAnd(reciprocal, i64(0xffffffff));
  Value sum = add(mul(wide, shift(reciprocal, 32)), shift(mul(wide, low), 32));
  return b.createOrFold<arith::TruncIOp>(b.getI32Type(), shift(sum, 30));
}

void TileLowering::lower(RasterOp op) {
  Value tilesM = one(op.getTilesM()), tilesN = one(op.getTilesN());
  Value slices = one(op.getSlices()), tile = one(op.getLinear());
  // A remainder comes from its quotient: divisions are long.
  auto divide = [&](Value x, Value y) {
    Value quotient = b.createOrFold<arith::DivUIOp>(x, y);
    return std::pair(quotient, sub(x, mul(quotient, y)));
  };
  // Each row of a diagonal starts a column further right.
  auto locateOnDiagonal = [&] {
    auto [column, row] = divide(tile, tilesM);
    set(op.getM(), row);
    set(op.getN(), divide(add(row, column), tilesN).second);
  };
  Value plane = mul(tilesM, tilesN);
  Value batch = i32(0), slice = i32(0);
  if (op.getBatched())
    std::tie(batch, tile) = divide(tile, mul(plane, slices));
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
  Value group = i32(op.getGroup());
  Value band = mul(along, group);
  Value number = op.getBandReciprocal()
                     ? multiplyHigh(tile, one(op.getBandReciprocal()))
                     : b.createOrFold<arith::DivUIOp>(tile, band);
  Value inBand = sub(tile, mul(number, band));
  Value first = mul(number, group);
  Value left = sub(across, first);
  Value width = b.createOrFold<arith::MinUIOp>(left, group);
  Value y;
  if (op.getLastReciprocal())
    y = select(cmp(arith::CmpIPredicate::ult, left, group),
               multiplyHigh(inBand, one(op.getLastReciprocal())),
               divU(inBand, op.getGroup()));
  else
    y = b.createOrFold<arith::DivUIOp>(inBand, width);
  Value x = add(first, sub(inBand, mul(y, width)));
  set(op.getM(), op.getAlongM() ? x : y);
  set(op.getN(), op.getAlongM() ? y : x);
}
