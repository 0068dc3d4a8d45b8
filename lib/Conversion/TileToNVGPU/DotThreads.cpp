//===- DotThreads.cpp - Dot products in threads ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotThreads.h"
#include "ControlFlow.h"
#include "DotElements.h"
#include "SharedMemory.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

/// The words of the elements of a unit: those of a byte, or single ones.
Values ThreadDots::loadUnit(Side side, Value address, Value left) {
  const DotSide &own = sides[side];
  Values words;
  for (int64_t i = 0; i < getUnit(); i += own.getPacked())
    llvm::append_range(
        words, loadWords(side, own.step ? advance(side, address, i) : address,
                         own.getStorageBytes(), own.step ? 0 : own.getBytes(i),
                         left, 1));
  return words;
}

/// Adds the products of elements of each row, which are of one group, to
/// `sums`, those of a row of `few` side by side.
void ThreadDots::addProducts(ArrayRef<Values> ofFew, ArrayRef<Values> ofMany,
                             ArrayRef<Value> ownScales, Sums sums) {
  Values parts(sums.size());
  if (ownScales.empty())
    llvm::copy(sums, parts.begin());
  size_t columns = ofMany.size();
  for (size_t k = 0; k < ofMany.front().size(); ++k)
    for (size_t row = 0; row < ofFew.size(); ++row)
      for (size_t column = 0; column < columns; ++column) {
        Value &part = parts[row * columns + column];
        part = multiplyAddElements(b, sides[Few].type, sides[Many].type,
                                   ofFew[row][k], ofMany[column][k], part);
      }
  for (auto [i, part] : llvm::enumerate(parts))
    sums[i] = ownScales.empty()
                  ? part
                  : b.create<math::FmaOp>(part, ownScales[i % columns], sums[i])
                        .getResult();
}

Values ThreadDots::multiplyVectors(int64_t count, Value start, Value left,
                                   ArrayRef<Value> sums) {
  Values result(sums);
  SmallVector<SmallVector<Values>> ahead(count);
  SmallVector<Values> ownScales, ownZeros;
  for (int64_t vector = 0; vector < count; ++vector) {
    for (Value address : sides[Many].addresses)
      ahead[vector].push_back(loadVector(Many, address, vector, left));
    Value position = scales ? b.add(start, vector * getRound()) : Value();
    int64_t least = vector * getRound() + getVector();
    ownScales.push_back(widenScales(loadScales(position, left, least)));
    ownZeros.push_back(widenZeroPoints(loadZeroPoints(position, left, least)));
  }
  for (int64_t vector = 0; vector < count; ++vector) {
    SmallVector<Values> few, many;
    for (Value address : sides[Few].addresses)
      few.push_back(widen(Few, loadVector(Few, address, vector, left)));
    for (auto [words, zero] : llvm::zip_equal(ahead[vector], ownZeros[vector]))
      many.push_back(widen(Many, words, zero));
    addProducts(few, many, ownScales[vector], result);
  }
  return result;
}

/// Adds the products of the last elements, fewer than a vector: a unit of them
/// a lane. `rest` (i32) are those that no whole trip had.
Values ThreadDots::multiplyElements(Value rest, ArrayRef<Value> sums) {
  int64_t unit = getUnit();
  auto countUnits = [&](Value elements) {
    return unit > 1 ? b.divU(elements, unit) : elements;
  };
  Value last = b.remU(depth, getVector());
  // The lane's own exists if one is left from its number on; `distance` is from
  // the lane's next vector to it, in units.
  Value left = b.sub(countUnits(last), number);
  Value distance = b.sub(b.add(countUnits(b.sub(rest, last)), number),
                         b.mul(number, getVector() / unit));
  Value wide = b.create<arith::ExtSIOp>(b.getI64Type(), distance);
  auto getAddress = [&](Side side, Value address) {
    return advance(side, address, wide, unit);
  };
  Value position;
  if (scales)
    position = b.add(b.sub(depth, last), b.mul(number, unit));
  Values ownScales = widenScales(loadScales(position, left, 1));
  Values ownZeros = widenZeroPoints(loadZeroPoints(position, left, 1));
  Values result(sums);
  SmallVector<Values> ofMany;
  for (auto [address, zero] : llvm::zip_equal(sides[Many].addresses, ownZeros))
    ofMany.push_back(
        widen(Many, loadUnit(Many, getAddress(Many, address), left), zero));
  for (auto [row, address] : llvm::enumerate(sides[Few].addresses)) {
    Values ofFew = widen(Few, loadUnit(Few, getAddress(Few, address), left));
    addProducts(ofFew, ofMany, ownScales,
                MutableArrayRef<Value>(result).slice(row * ofMany.size(),
                                                     ofMany.size()));
  }
  return result;
}

/// Sets `sums` to the sums of all whole trips; returns the number of these.
Value ThreadDots::multiplyWholeTrips(Values &sums) {
  int64_t perTrip = unroll * getRound();
  Value zero = b.zero(sumType);
  Value trips = b.divU(depth, perTrip);
  // The loop carries the addresses of both operands, and the sums.
  Values carried(sides[Few].addresses);
  llvm::append_range(carried, sides[Many].addresses);
  carried.append(countSums(), zero);
  auto loop = b.create<scf::ForOp>(b.i32(0), trips, b.i32(1), carried);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Values inLoop = adopt(loop.getRegionIterArgs());
    inLoop = multiplyVectors(unroll, getPosition(loop.getInductionVar()),
                             Value(), inLoop);
    Values results;
    for (Side side : {Few, Many})
      for (Value address : sides[side].addresses)
        results.push_back(advance(side, address, perTrip));
    llvm::append_range(results, inLoop);
    b.create<scf::YieldOp>(results);
  }
  sums = adopt(loop.getResults());
  return trips;
}

/// Where the lane's first vector of a trip is along k; null without groups,
/// which need it.
Value ThreadDots::getPosition(Value trip) {
  if (!scales)
    return {};
  return b.add(b.mul(trip, unroll * getRound()), b.mul(number, getVector()));
}

/// Multiplies what is behind the whole trips; of a static K, as much as there
/// is.
Values ThreadDots::multiplyRest(Value trips, Value rest, ArrayRef<Value> sums) {
  std::optional<int64_t> known = getConstantIntValue(depth);
  int64_t elements = known ? *known % getVector() : getVector() - 1;
  int64_t vectors = unroll;
  if (known)
    vectors =
        llvm::divideCeil(*known % (unroll * getRound()) - elements, getRound());
  Value left = b.sub(rest, b.mul(number, getVector()));
  Values all = vectors
                   ? multiplyVectors(vectors, getPosition(trips), left, sums)
                   : Values(sums);
  return elements ? multiplyElements(rest, all) : all;
}

/// One more trip than the whole ones processes the rest of K.
Values ThreadDots::multiplyRows() {
  Values sums;
  Value trips = multiplyWholeTrips(sums);
  Value rest = b.sub(depth, b.mul(trips, unroll * getRound()));
  if (getConstantIntValue(depth))
    return multiplyRest(trips, rest, sums);
  Value isRagged = b.notEqual(rest, b.i32(0));
  return buildIfElse(
      b, isRagged, ValueRange(sums).getTypes(),
      [&] { return multiplyRest(trips, rest, sums); }, [&] { return sums; });
}

void ThreadDots::storeSums(Value memory, Value first, ArrayRef<Value> sums) {
  Values totals(sums);
  for (int32_t distance : {16, 8, 4, 2, 1})
    for (Value &total : totals)
      total = addSums(b, total, exchangeSums(b, total, distance));
  buildIf(b, b.equal(c.laneId(), b.i32(0)), [&] {
    for (auto [i, total] : llvm::enumerate(totals))
      b.create<memref::StoreOp>(total, memory, createIndex(b, first, i));
  });
}

std::unique_ptr<DotEmitter> tcgemm::createThreadDots(LoweringContext &c,
                                                     AccDotOp op) {
  int64_t warps = c.analysis.getProgram().getThreads() / 32;
  DotLanes lanes{32, c.laneId(), {}, {}};
  for (int64_t i = 0; i < int64_t(op.getRows()); ++i)
    lanes.fewRows.push_back(c.b.i32(i));
  int64_t groups = warps / int64_t(op.getSlices());
  for (int64_t i = 0; i < int64_t(op.getColumns()) / groups; ++i)
    lanes.manyRows.push_back(c.b.i32(i));
  return std::make_unique<ThreadDots>(c, op, lanes);
}
