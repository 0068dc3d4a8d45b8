//===- NarrowFloats.cpp - Conversions from and to FP8 -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions convert two numbers at a time and saturate what is too
// large. arith.truncf does not: e4m3 has no infinity and becomes NaN, e5m2
// becomes infinite. Behind a clamp to finite numbers both are the same, and one
// to the largest number is what the instructions do.
//
//===----------------------------------------------------------------------===//

#include "Math/Clamps.h"
#include "Math/MathPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Chip.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// A type of FP8.
struct FP8Format {
  StringRef name;
  /// The largest finite number.
  float largest;
  /// Larger magnitudes overflow. That of e5m2 overflows itself: it lies between
  /// the largest number and the next, whose significand is even.
  float limit;
  bool limitOverflows;
  /// The bits of an overflow, and those of its sign: NaN has none.
  int8_t overflow, sign;
};
} // namespace

static std::optional<FP8Format> getFormat(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return FP8Format{"e4m3x2", 448, 464, false, 0x7F, 0};
  if (isa<Float8E5M2Type>(type))
    return FP8Format{"e5m2x2", 57344, 61440, true, 0x7C, -128};
  return std::nullopt;
}

bool tcgemm::isFP8(Type type) { return getFormat(type).has_value(); }

/// Returns whether the chip of the program, if it is known, has the
/// instructions.
static bool hasConversions(Operation *op) {
  auto program = op->getParentOfType<ProgramOp>();
  return !program ||
         llvm::cantFail(lookupChip(program.getChip())).capability >= 89;
}

Value tcgemm::createAsm(OpBuilder &builder, Location loc, Type type,
                        ValueRange operands, const Twine &text,
                        StringRef constraints) {
  return LLVM::InlineAsmOp::create(
             builder, loc, type, operands, text.str(), constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
             ArrayAttr())
      .getResult(0);
}

namespace {
struct TruncateToFP8 : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override;
};

struct ExtendFP8 : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult TruncateToFP8::matchAndRewrite(arith::TruncFOp op,
                                             PatternRewriter &rewriter) const {
  std::optional<FP8Format> format = getFormat(op.getType());
  Value value = op.getIn();
  // f64 would be rounded twice.
  if (!format || value.getType().isF64() || !hasConversions(op) ||
      op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
          arith::RoundingMode::to_nearest_even)
    return failure();
  Location loc = op.getLoc();
  Type i8 = rewriter.getI8Type(), i16 = rewriter.getI16Type(),
       f32 = rewriter.getF32Type();
  auto byte = [&](int8_t bits) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getI8IntegerAttr(bits));
  };
  auto number = [&](float constant) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getF32FloatAttr(constant));
  };
  std::optional<Clamp> clamp = findClamp(value);
  bool isFinite =
      clamp && clamp->low >= -format->largest && clamp->high <= format->largest;
  if (isFinite && clamp->low == -format->largest &&
      clamp->high == format->largest)
    value = clamp->value;
  if (!value.getType().isF32())
    value = arith::ExtFOp::create(rewriter, loc, f32, value);
  Value pair = createAsm(
      rewriter, loc, i16, {number(0), value},
      "cvt.rn.satfinite." + format->name + ".f32 $0, $1, $2;", "=h,f,f");
  Value bits = arith::TruncIOp::create(rewriter, loc, i8, pair);
  if (isFinite) {
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
  Value isTooLarge = arith::CmpFOp::create(
      rewriter, loc,
      format->limitOverflows ? arith::CmpFPredicate::OGE
                             : arith::CmpFPredicate::OGT,
      math::AbsFOp::create(rewriter, loc, value), number(format->limit));
  Value sign = arith::AndIOp::create(rewriter, loc, bits, byte(format->sign));
  Value overflow =
      arith::OrIOp::create(rewriter, loc, sign, byte(format->overflow));
  bits = arith::SelectOp::create(rewriter, loc, isTooLarge, overflow, bits);
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
  return success();
}

LogicalResult ExtendFP8::matchAndRewrite(arith::ExtFOp op,
                                         PatternRewriter &rewriter) const {
  std::optional<FP8Format> format = getFormat(op.getIn().getType());
  if (!format || !hasConversions(op))
    return failure();
  Location loc = op.getLoc();
  Type i16 = rewriter.getI16Type(), f16 = rewriter.getF16Type(),
       f32 = rewriter.getF32Type();
  Value bits =
      arith::BitcastOp::create(rewriter, loc, rewriter.getI8Type(), op.getIn());
  bits = arith::ExtUIOp::create(rewriter, loc, i16, bits);
  Value halves = createAsm(rewriter, loc, rewriter.getI32Type(), bits,
                           "cvt.rn.f16x2." + format->name + " $0, $1;", "=r,h");
  Value half = arith::BitcastOp::create(
      rewriter, loc, f16, arith::TruncIOp::create(rewriter, loc, i16, halves));
  if (op.getType().isF16())
    rewriter.replaceOp(op, half);
  else if (op.getType().isBF16())
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(
        op, op.getType(), arith::ExtFOp::create(rewriter, loc, f32, half));
  else
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), half);
  return success();
}

void tcgemm::populateFP8Patterns(RewritePatternSet &patterns) {
  patterns.add<TruncateToFP8, ExtendFP8>(patterns.getContext());
}
