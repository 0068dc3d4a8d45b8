//===- MomentStates.cpp - Means and variances -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States are combined by the formulae of T. F. Chan, G. H. Golub and R. J.
// LeVeque, Updating formulae and a pairwise algorithm for computing sample
// variances, 1979, here for any number of states: with the mean of all, each
// state adds its own squared deviations, and those of its mean for each value.
// No squares of values are subtracted, so that a variance that is small
// relative to the mean is exact to rounding.
//
//===----------------------------------------------------------------------===//

#include "ReducedStates.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

static Value createFloat(IntegerBuilder &b, Type type, double number) {
  return b.create<arith::ConstantOp>(b.getFloatAttr(type, number));
}

static Value createMoments(IntegerBuilder &b, Value number, Value mean,
                           Value squares) {
  Type type = number.getType();
  return b.create<vector::FromElementsOp>(
      VectorType::get({4}, type),
      ValueRange{number, mean, squares, createFloat(b, type, 0)});
}

static Value getPart(IntegerBuilder &b, Value state, int64_t part) {
  return b.create<vector::ExtractOp>(state, part);
}

/// x / number, or x if there are no values.
static Value divide(IntegerBuilder &b, Value x, Value number) {
  Value least =
      b.create<arith::MaximumFOp>(number, createFloat(b, x.getType(), 1));
  return b.create<arith::DivFOp>(x, least);
}

Value MomentStates::createNeutral() {
  Value zero = createFloat(b, value, 0);
  return createMoments(b, zero, zero, zero);
}

Value MomentStates::createState(Value element, Value) {
  return createMoments(b, createFloat(b, value, 1), element,
                       createFloat(b, value, 0));
}

Value MomentStates::combine(Value x, Value y) {
  return combine(SmallVector<Value>{x, y});
}

Value MomentStates::combine(SmallVector<Value> states) {
  if (states.size() == 1)
    return states.front();
  auto add = [&](Value &total, Value summand) {
    total =
        total ? b.create<arith::AddFOp>(total, summand).getResult() : summand;
  };
  // Relative to one of the means, so that a sum of large numbers that are
  // nearly equal loses nothing.
  Value origin = getPart(b, states.front(), 1), number, shift, squares;
  for (Value state : states)
    add(number, getPart(b, state, 0));
  auto getDifference = [&](Value state) -> Value {
    return b.create<arith::SubFOp>(getPart(b, state, 1), origin);
  };
  // Parts of the number, because a sum of all values may overflow.
  for (Value state : states)
    add(shift, b.create<arith::MulFOp>(divide(b, getPart(b, state, 0), number),
                                       getDifference(state)));
  Value mean = b.create<arith::AddFOp>(origin, shift);
  Value zero = createFloat(b, number.getType(), 0);
  for (Value state : states) {
    Value count = getPart(b, state, 0);
    Value difference = b.create<arith::SubFOp>(getDifference(state), shift);
    // That of no values may be infinite, and 0 times it is NaN.
    Value isEmpty =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, count, zero);
    difference = b.create<arith::SelectOp>(isEmpty, zero, difference);
    Value square = b.create<arith::MulFOp>(difference, difference);
    add(squares, getPart(b, state, 2));
    add(squares, b.create<arith::MulFOp>(count, square));
  }
  return createMoments(b, number, mean, squares);
}

/// Nothing has the mean and the variance 0, which are the initial values.
Value MomentStates::createResult(Value total, Value) {
  if (combiner == Combiner::MeanF)
    return getPart(b, total, 1);
  return divide(b, getPart(b, total, 2), getPart(b, total, 0));
}
