//===- DotEmitter.cpp - The loop over k of dot products -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of bytes in flight limits such a product. A lane therefore issues
// all loads of the large operand in an iteration before it uses the first. They
// are PTX text, whose order LLVM preserves, and bypass the L1 cache, which
// keeps the small operand. One more iteration processes the rest of K with
// predicated loads: a branch for each load would wait for each.
//
//===----------------------------------------------------------------------===//

#include "DotEmitter.h"
#include "ControlFlow.h"
#include "DotElements.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

/// Adds the products of the next `count` vectors of each row to `sums`; with
/// `rest` (i32) only of the vectors that end below that many elements from the
/// trip's start. `start` (i32) is where the scales are along k.
Values DotEmitter::multiplyVectors(int64_t count, Value start, Value rest,
                                   ArrayRef<Value> sums) {
  Values result(sums);
  auto getLeft = [&](Value lane) {
    return rest ? b.sub(rest, b.mul(lane, getVector())) : Value();
  };
  Value left = getLeft(number);
  Value leftOfGroup = scales ? getLeft(getGroupNumber()) : Value();
  SmallVector<SmallVector<Values>> ahead(count);
  SmallVector<Values> ownScales, ownZeros;
  for (int64_t vector = 0; vector < count; ++vector) {
    for (Value address : sides[Many].addresses)
      ahead[vector].push_back(loadVector(Many, address, vector, left));
    Value position = scales ? b.add(start, vector * getRound()) : Value();
    int64_t least = vector * getRound() + getVector();
    ownScales.push_back(loadScales(position, leftOfGroup, least));
    ownZeros.push_back(loadZeroPoints(position, leftOfGroup, least));
  }
  for (int64_t vector = 0; vector < count; ++vector)
    multiplyVector(vector, left, ahead[vector], ownScales[vector],
                   ownZeros[vector], result);
  return result;
}

/// Takes the addresses from what a loop carries; returns the sums.
Values DotEmitter::adopt(ValueRange carried) {
  for (DotSide &side : sides) {
    Values &list = side.addresses;
    llvm::copy(carried.take_front(list.size()), list.begin());
    carried = carried.drop_front(list.size());
  }
  return Values(carried);
}

/// Sets `sums` to the sums of all whole trips; returns the number of these.
Value DotEmitter::multiplyWholeTrips(Values &sums) {
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
    for (const DotSide &side : sides)
      for (Value address : side.addresses)
        results.push_back(b.add(address, side.getBytes(perTrip)));
    llvm::append_range(results, inLoop);
    b.create<scf::YieldOp>(results);
  }
  sums = adopt(loop.getResults());
  return trips;
}

/// Where the scales of a trip's first vector are along k; null without groups,
/// which need it.
Value DotEmitter::getPosition(Value trip) {
  if (!scales)
    return {};
  return b.add(b.mul(trip, unroll * getRound()),
               b.mul(getGroupNumber(), getVector()));
}

/// Multiplies what is behind the whole trips; of a static K, as much as there
/// is.
Values DotEmitter::multiplyRest(Value trips, Value rest, ArrayRef<Value> sums) {
  std::optional<int64_t> known = getConstantIntValue(depth);
  int64_t elements = known ? *known % getVector() : getVector() - 1;
  int64_t vectors = unroll;
  if (known)
    vectors =
        llvm::divideCeil(*known % (unroll * getRound()) - elements, getRound());
  Values all = vectors
                   ? multiplyVectors(vectors, getPosition(trips), rest, sums)
                   : Values(sums);
  return elements ? multiplyElements(rest, all) : all;
}

Value DotEmitter::emit() {
  Values sums;
  Value trips = multiplyWholeTrips(sums);
  Value rest = b.sub(depth, b.mul(trips, unroll * getRound()));
  if (getConstantIntValue(depth)) {
    sums = multiplyRest(trips, rest, sums);
  } else {
    Value isRagged = b.notEqual(rest, b.i32(0));
    sums = buildIfElse(
        b, isRagged, ValueRange(sums).getTypes(),
        [&] { return multiplyRest(trips, rest, sums); }, [&] { return sums; });
  }
  return sumOverWarps(sums);
}

/// Adds the sums of the warps of a group in their order.
Value DotEmitter::sumOverWarps(ArrayRef<Value> totals) {
  int64_t rows = op.getRows(), count = rows * groupRows;
  int64_t warps = analysis.getProgram().getThreads() / 32;
  Value memory = createSharedView(b, sumType, warps * count);
  storeSums(memory, b.mul(c.warpId(), count), totals);
  b.create<gpu::BarrierOp>();
  int64_t across = groupRows * (warps / slices);
  Value thread = b.minU(c.threadId(), b.i32(rows * across - 1));
  Value row = b.divU(thread, across), column = b.remU(thread, across);
  Value group = b.divU(column, groupRows);
  Value first = b.add(b.mul(group, slices * count),
                      b.add(b.mul(row, groupRows), b.remU(column, groupRows)));
  Value sum;
  for (int64_t slice = 0; slice < slices; ++slice) {
    Value part =
        b.create<memref::LoadOp>(memory, createIndex(b, first, slice * count));
    sum = sum ? addSums(b, sum, part) : part;
  }
  return sum;
}
