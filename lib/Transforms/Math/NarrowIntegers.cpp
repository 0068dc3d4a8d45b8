//===- NarrowIntegers.cpp - Rounding to integers of few bits --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between floats and integers have a fraction of an addition's
// rate. An addition of 1.5 * 2^23 rounds to an integer, ties to even, and
// leaves its lowest bits, in two's complement, in the significand.
//
//===----------------------------------------------------------------------===//

#include "Math/Clamps.h"
#include "Math/MathPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tcgemm;

/// Returns the constant operand of an operation of two, and sets `other`.
static std::optional<float> takeConstant(Operation *op, Value &other) {
  for (unsigned i : {0, 1}) {
    APFloat constant(0.0F);
    if (!matchPattern(op->getOperand(i), m_ConstantFloat(&constant)))
      continue;
    other = op->getOperand(1 - i);
    return constant.convertToFloat();
  }
  return std::nullopt;
}

std::optional<Clamp> tcgemm::findClamp(Value result) {
  if (!result.getType().isF32())
    return std::nullopt;
  Operation *outer = result.getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(outer))
    return std::nullopt;
  Value between, value;
  std::optional<float> second = takeConstant(outer, between);
  if (!second)
    return std::nullopt;
  Operation *inner = between.getDefiningOp();
  bool isPair = isa<arith::MaximumFOp>(outer)
                    ? isa_and_nonnull<arith::MinimumFOp>(inner)
                    : isa_and_nonnull<arith::MaximumFOp>(inner);
  if (!isPair)
    return std::nullopt;
  std::optional<float> first = takeConstant(inner, value);
  if (!first)
    return std::nullopt;
  auto [low, high] = isa<arith::MaximumFOp>(outer) ? std::pair(*second, *first)
                                                   : std::pair(*first, *second);
  if (!(low <= high))
    return std::nullopt;
  return Clamp{value, low, high};
}

namespace {
/// Rounds, clamps and converts f32 to few bits without conversions. The result
/// of a NaN is arbitrary, as that of the operation is.
template <class Op> struct RoundClamped : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

template <class Op>
LogicalResult
RoundClamped<Op>::matchAndRewrite(Op op, PatternRewriter &rewriter) const {
  // The integers that are neighbours in f32 from 2^23 to 2^24.
  constexpr float addend = 0x1.8p23F, limit = 0x1p22F;
  std::optional<Clamp> clamp = findClamp(op.getIn());
  auto type = dyn_cast<IntegerType>(op.getType());
  if (!clamp || !type || type.getWidth() > 16)
    return failure();
  auto rounded = clamp->value.template getDefiningOp<math::RoundEvenOp>();
  if (!rounded || !(clamp->low >= -limit) || !(clamp->high <= limit) ||
      std::trunc(clamp->low) != clamp->low ||
      std::trunc(clamp->high) != clamp->high)
    return failure();
  Location loc = op.getLoc();
  auto number = [&](float constant) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getF32FloatAttr(constant));
  };
  // Limits that are integers may come first.
  Value value = arith::MaximumFOp::create(rewriter, loc, rounded.getOperand(),
                                          number(clamp->low));
  value = arith::MinimumFOp::create(rewriter, loc, value, number(clamp->high));
  value = arith::AddFOp::create(rewriter, loc, value, number(addend));
  // A store of 8 bits must not read the register of a float operation: ptxas of
  // CUDA 13.0 would convert the float to an integer.
  value = createAsm(rewriter, loc, rewriter.getI32Type(), value,
                    "mov.b32 $0, $1;", "=r,f");
  rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, value);
  return success();
}

void tcgemm::populateNarrowIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<RoundClamped<arith::FPToSIOp>, RoundClamped<arith::FPToUIOp>>(
      patterns.getContext());
}
