//===- IndexStates.cpp - The index of the greatest value ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The high half of a state is a signed number that is ordered as the values
// are, and the low half the complement of the index. So the greatest state has
// the greatest value, and of equal values the smallest index: a combination is
// one maximum.
//
//===----------------------------------------------------------------------===//

#include "ReducedStates.h"

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

Value IndexStates::createNeutral() {
  return b.i64(std::numeric_limits<int64_t>::min());
}

Value IndexStates::createKey(Value element) {
  if (element.getType().isInteger())
    return element;
  // Both zeros are equal.
  Value zero = b.zero(element.getType());
  Value sum = b.create<arith::AddFOp>(element, zero);
  Value bits = b.create<arith::BitcastOp>(b.getI32Type(), sum);
  // The bits of negative numbers, as integers, are ordered the other way round.
  Value sign = b.create<arith::ShRSIOp>(bits, b.i32(31));
  return b.bitXor(bits, b.bitAnd(sign, b.i32(kLastIndex)));
}

Value IndexStates::createState(Value element, Value coordinate) {
  Value key = createKey(element), isNaN;
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
  int64_t least = getLeastKey(isa<FloatType>(value));
  Value first = b.i64(least * (int64_t(1) << 32) + 0xffffffff);
  Value isGreater = b.cmp(arith::CmpIPredicate::sgt, total, first);
  Value index = b.sub(b.i32(kLastIndex), b.trunc(total));
  if (initial.getType().isInteger(64))
    index = b.ext(index);
  return b.select(isGreater, index, initial);
}
