//===- IndexStates.cpp - The index of the greatest value ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value becomes a signed number that is ordered as the values are, its key.
//
// The high half of a narrow state is the key, and the low half the complement
// of the index. So the greatest state has the greatest value, and of equal
// values the smallest index: a combination is one maximum. A wide state has the
// key and the index beside each other.
//
//===----------------------------------------------------------------------===//

#include "ReducedStates.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tcgemm;

/// Coordinates are less than this one.
static constexpr int64_t kLastIndex = std::numeric_limits<int32_t>::max();

/// The key of the least value: minus infinity, or that of i32.
static int64_t getLeastKey(bool isFloat) {
  constexpr int64_t infinity = 0x7f800000;
  return isFloat ? -infinity - 1 : std::numeric_limits<int32_t>::min();
}

/// A signed number, of as many bits, that is greater for a greater element.
static Value createKey(IntegerBuilder &b, Value element) {
  if (element.getType().isInteger())
    return element;
  // Both zeros are equal.
  Value zero = b.zero(element.getType());
  Value sum = b.create<arith::AddFOp>(element, zero);
  unsigned width = element.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  Value bits = b.create<arith::BitcastOp>(type, sum);
  auto getConstant = [&](int64_t value) -> Value {
    return b.create<arith::ConstantOp>(b.getIntegerAttr(type, value));
  };
  // The bits of negative numbers, as integers, are ordered the other way round.
  Value sign = b.create<arith::ShRSIOp>(bits, getConstant(width - 1));
  return b.bitXor(bits, b.bitAnd(sign, getConstant(llvm::maxIntN(width))));
}

Value IndexStates::createNeutral() {
  return b.i64(std::numeric_limits<int64_t>::min());
}

Value IndexStates::createState(Value element, Value coordinate) {
  Value key = createKey(b, element), isNaN;
  if (!element.getType().isInteger())
    isNaN =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, element, element);
  if (combiner == Combiner::ArgMaximumF)
    key = b.select(isNaN, b.i32(kLastIndex), key);
  Value high = b.create<arith::ShLIOp>(
      b.create<arith::ExtSIOp>(b.getI64Type(), key).getResult(), b.i64(32));
  Value low = b.ext(b.sub(b.i32(kLastIndex), coordinate));
  Value state = b.bitOr(high, low);
  return combiner == Combiner::ArgMaxNumF
             ? b.select(isNaN, createNeutral(), state)
             : state;
}

Value IndexStates::combine(Value x, Value y) {
  return b.create<arith::MaxSIOp>(x, y);
}

/// The initial index belongs to the least value and comes before all others.
Value IndexStates::createResult(Value total, Value initial) {
  int64_t least = getLeastKey(combiner != Combiner::ArgMaxSI);
  Value first = b.i64(least * (int64_t(1) << 32) + 0xffffffff);
  Value isGreater = b.cmp(arith::CmpIPredicate::sgt, total, first);
  Value index = b.sub(b.i32(kLastIndex), b.trunc(total));
  if (initial.getType().isInteger(64))
    index = b.ext(index);
  return b.select(isGreater, index, initial);
}

//===----------------------------------------------------------------------===//
// Wide states
//===----------------------------------------------------------------------===//

/// The key of a state of no value, and its index, which is the last one.
static constexpr int64_t kNoKey = std::numeric_limits<int64_t>::min();
static constexpr int64_t kNoIndex = std::numeric_limits<int64_t>::max();

Value WideIndexStates::createVector(Value key, Value index) {
  return b.create<vector::FromElementsOp>(VectorType::get({2}, b.getI64Type()),
                                          ValueRange{key, index});
}

Value WideIndexStates::createNeutral() {
  return createVector(b.i64(kNoKey), b.i64(kNoIndex));
}

/// Values that the initial index comes before have the state of no value.
Value WideIndexStates::createState(Value element, Value coordinate) {
  Type type = element.getType();
  Value key = createKey(b, element);
  if (!key.getType().isInteger(64))
    key = b.create<arith::ExtSIOp>(b.getI64Type(), key);
  Value index =
      coordinate.getType().isInteger(64) ? coordinate : b.ext(coordinate);
  Value counts;
  if (type.isInteger()) {
    Value least = b.i32(std::numeric_limits<int32_t>::min());
    counts = b.cmp(arith::CmpIPredicate::sgt, element, least);
  } else {
    auto floatType = cast<FloatType>(type);
    Value least = b.create<arith::ConstantOp>(b.getFloatAttr(
        type, APFloat::getInf(floatType.getFloatSemantics(), true)));
    bool isNumber = combiner == Combiner::ArgMaxNumF;
    counts = b.create<arith::CmpFOp>(isNumber ? arith::CmpFPredicate::OGT
                                              : arith::CmpFPredicate::UGT,
                                     element, least);
    if (!isNumber) {
      Value isNaN =
          b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, element, element);
      key = b.select(isNaN, b.i64(std::numeric_limits<int64_t>::max()), key);
    }
  }
  return createVector(b.select(counts, key, b.i64(kNoKey)),
                      b.select(counts, index, b.i64(kNoIndex)));
}

Value WideIndexStates::combine(Value x, Value y) {
  auto getPart = [&](Value state, int64_t part) -> Value {
    return b.create<vector::ExtractOp>(state, part);
  };
  Value keyX = getPart(x, 0), keyY = getPart(y, 0);
  Value indexX = getPart(x, 1), indexY = getPart(y, 1);
  Value first = b.create<arith::MinSIOp>(indexX, indexY);
  Value isGreater = b.cmp(arith::CmpIPredicate::sgt, keyX, keyY);
  Value greater = b.select(isGreater, indexX, indexY);
  return createVector(b.create<arith::MaxSIOp>(keyX, keyY),
                      b.select(b.equal(keyX, keyY), first, greater));
}

Value WideIndexStates::createResult(Value total, Value initial) {
  Value key = b.create<vector::ExtractOp>(total, 0);
  Value index = b.create<vector::ExtractOp>(total, 1);
  if (!initial.getType().isInteger(64))
    index = b.trunc(index);
  return b.select(b.equal(key, b.i64(kNoKey)), initial, index);
}
