//===- SumExpStates.cpp - Sums of the exponential function ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two sums relative to different greatest values are added behind a scaling, as
// in M. Milakov and N. Gimelshein, Online normalizer calculation for softmax,
// arXiv:1805.02867.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "ReducedStates.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tcgemm;

static Value createPair(IntegerBuilder &b, Value greatest, Value sum) {
  auto type = VectorType::get({2}, sum.getType());
  return b.create<vector::FromElementsOp>(type, ValueRange{greatest, sum});
}

static Value getPart(IntegerBuilder &b, Value state, int64_t part) {
  return b.create<vector::ExtractOp>(state, part);
}

static Value createFloat(IntegerBuilder &b, Type type, double number) {
  return b.create<arith::ConstantOp>(b.getFloatAttr(type, number));
}

/// exp(x - greatest), which is 1 if both are the same infinity.
static Value createWeight(IntegerBuilder &b, Value x, Value greatest) {
  constexpr double log2E = 1.4426950408889634;
  Value difference = b.create<arith::SubFOp>(x, greatest);
  Value exponent =
      b.create<arith::MulFOp>(difference, createFloat(b, x.getType(), log2E));
  Value power = createAssembly(b, "ex2.approx.ftz.f32 $0, $1;", "=f,f",
                               x.getType(), exponent,
                               /*hasSideEffects=*/false);
  Value isSame =
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, greatest);
  return b.select(isSame, createFloat(b, x.getType(), 1), power);
}

Value SumExpStates::createNeutral() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return createPair(b, createFloat(b, value, -infinity),
                    createFloat(b, value, 0));
}

Value SumExpStates::createState(Value element, Value) {
  return createPair(b, element, createFloat(b, value, 1));
}

Value SumExpStates::combine(Value x, Value y) {
  return combine(SmallVector<Value>{x, y});
}

/// All sums are scaled once.
Value SumExpStates::combine(SmallVector<Value> states) {
  if (states.size() == 1)
    return states.front();
  Value greatest = getPart(b, states.front(), 0), total;
  for (Value state : ArrayRef(states).drop_front())
    greatest = b.create<arith::MaximumFOp>(greatest, getPart(b, state, 0));
  for (Value state : states) {
    Value weight = createWeight(b, getPart(b, state, 0), greatest);
    Value sum = b.create<arith::MulFOp>(getPart(b, state, 1), weight);
    total = total ? b.create<arith::AddFOp>(total, sum).getResult() : sum;
  }
  return createPair(b, greatest, total);
}

/// As a sum of exp(x - greatest), the result is NaN if the greatest value is an
/// infinity. Without values it is the initial one.
Value SumExpStates::createResult(Value total, Value initial) {
  Value greatest = getPart(b, total, 0), sum = getPart(b, total, 1);
  Value zero = b.create<arith::SubFOp>(greatest, greatest);
  Value isEmpty = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, sum,
                                          createFloat(b, value, 0));
  // Adds 0, or NaN if the greatest value is an infinity.
  Value result = b.create<arith::AddFOp>(sum, zero);
  return b.select(isEmpty, initial, result);
}
