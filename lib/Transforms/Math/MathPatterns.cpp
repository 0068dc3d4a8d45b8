//===- MathPatterns.cpp - Scalar functions without libdevice ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds that docs/reference/math.md states are measured in
// unittests/Transforms/MathTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Math/MathPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/ElementRegion.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;
using namespace tcgemm;

static constexpr float kLog2E = 0x1.715476p+0f;

static bool isNarrow(Type type) {
  return type.isF16() || type.isBF16() || isFP8(type);
}

namespace {
/// Computes in f32. For sums, products and quotients of both narrow types,
/// rounding the f32 result again is the same as rounding the exact result once.
struct Widen : public RewritePattern {
  Widen(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/4, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<CastOpInterface, arith::ConstantOp, arith::SelectOp>(op) ||
        op->getNumRegions())
      return failure();
    if (llvm::none_of(op->getOperandTypes(), isNarrow) &&
        llvm::none_of(op->getResultTypes(), isNarrow))
      return failure();
    // GPUs have some operations for two elements in a register.
    if (auto map = dyn_cast<FragmentMapOp>(op->getParentOp());
        map && hasPairs(map.getBody().front()))
      return failure();
    Location loc = op->getLoc();
    Type f32 = rewriter.getF32Type();
    auto widen = [&](Type type) { return isNarrow(type) ? f32 : type; };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          isNarrow(operand.getType())
              ? arith::ExtFOp::create(rewriter, loc, f32, operand).getResult()
              : operand);
    SmallVector<Type> types(llvm::map_range(op->getResultTypes(), widen));
    Operation *wide = rewriter.create(loc, op->getName().getIdentifier(),
                                      operands, types, op->getAttrs());
    SmallVector<Value> results;
    for (auto [result, type] :
         llvm::zip(wide->getResults(), op->getResultTypes()))
      results.push_back(
          isNarrow(type)
              ? arith::TruncFOp::create(rewriter, loc, type, result).getResult()
              : Value(result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Short names for the operations of one expansion.
struct Emitter {
  OpBuilder &builder;
  Location loc;

  Value f32(float value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  Value i32(int32_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
  /// `a` where x > limit, else `b`.
  Value above(Value x, float limit, Value a, Value b) {
    Value isAbove = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, x, f32(limit));
    return arith::SelectOp::create(builder, loc, isAbove, a, b);
  }
  /// Evaluates a polynomial; the coefficient of the highest power is first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value p = f32(coefficients.front());
    for (float c : coefficients.drop_front())
      p = fma(p, x, f32(c));
    return p;
  }
  /// 2^n for an i32 n in [-126, 127].
  Value power(Value n) {
    Value biased = arith::AddIOp::create(builder, loc, n, i32(127));
    Value bits = arith::ShLIOp::create(builder, loc, biased, i32(23));
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  }
  /// e^r * 2^n for |r| <= ln(2) / 2 and an integer n in [-252, 254]. Two
  /// factors, so that results below 2^-126 come out denormal.
  Value scaledExp(Value r, Value n) {
    Value p =
        polynomial(r, {0x1.a01a02p-13f, 0x1.6c16c2p-10f, 0x1.111112p-7f,
                       0x1.555556p-5f, 0x1.555556p-3f, 0x1p-1f, 1.0f, 1.0f});
    Value ni = arith::FPToSIOp::create(builder, loc, builder.getI32Type(), n);
    Value half = arith::ShRSIOp::create(builder, loc, ni, i32(1));
    Value rest = arith::SubIOp::create(builder, loc, ni, half);
    return mul(mul(p, power(half)), power(rest));
  }
  /// One instruction of one or two f32, by its name in PTX.
  Value apply(StringRef instruction, ValueRange operands) {
    bool isBinary = operands.size() == 2;
    return createAsm(builder, loc, builder.getF32Type(), operands,
                     instruction + (isBinary ? " $0, $1, $2;" : " $0, $1;"),
                     isBinary ? "=f,f,f" : "=f,f");
  }
  /// `x` within [low, high]; NaN becomes `low`.
  Value clamp(Value x, float low, float high) {
    Value lower = arith::MaxNumFOp::create(builder, loc, x, f32(low));
    return arith::MinNumFOp::create(builder, loc, lower, f32(high));
  }
  Value keepNaN(Value x, Value result) {
    Value isNaN =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
    return arith::SelectOp::create(builder, loc, isNaN, x, result);
  }
};

/// Base of the functions of one f32.
template <typename Op> struct LowerF32 : public OpRewritePattern<Op> {
  LowerF32(MLIRContext *context)
      : OpRewritePattern<Op>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op->getResult(0).getType().isF32())
      return failure();
    Emitter emitter{rewriter, op.getLoc()};
    Value result = emit(emitter, op);
    if (!result)
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }
  virtual Value emit(Emitter &e, Op op) const = 0;
};

struct LowerExp : public LowerF32<math::ExpOp> {
  using LowerF32::LowerF32;
  Value emit(Emitter &e, math::ExpOp op) const override {
    Value x = e.clamp(op.getOperand(), -104.0f, 89.0f);
    Value n = math::RoundEvenOp::create(e.builder, e.loc,
                                        e.mul(x, e.f32(0x1.715476p+0f)));
    // ln(2) in two parts, the first short enough for an exact product.
    Value r = e.fma(n, e.f32(-0x1.62e400p-1f), x);
    r = e.fma(n, e.f32(-0x1.7f7d1cp-20f), r);
    return e.keepNaN(op.getOperand(), e.scaledExp(r, n));
  }
};

struct LowerExp2 : public LowerF32<math::Exp2Op> {
  using LowerF32::LowerF32;
  Value emit(Emitter &e, math::Exp2Op op) const override {
    Value x = e.clamp(op.getOperand(), -151.0f, 129.0f);
    Value n = math::RoundEvenOp::create(e.builder, e.loc, x);
    Value r = e.mul(arith::SubFOp::create(e.builder, e.loc, x, n),
                    e.f32(0x1.62e430p-1f));
    return e.keepNaN(op.getOperand(), e.scaledExp(r, n));
  }
};

/// x·P(x²), a minimax polynomial for the relative error: no division, no
/// branch. Centred in the middle of the range, so that its terms stay small. At
/// the ends, and beyond, the result is 1 in f32.
struct LowerErf : public LowerF32<math::ErfOp> {
  using LowerF32::LowerF32;
  Value emit(Emitter &e, math::ErfOp op) const override {
    // These operations propagate NaN.
    Value x = arith::MaximumFOp::create(e.builder, e.loc, op.getOperand(),
                                        e.f32(-3.92f));
    x = arith::MinimumFOp::create(e.builder, e.loc, x, e.f32(3.92f));
    Value t = e.fma(x, x, e.f32(-7.6832f));
    return e.mul(
        x, e.polynomial(t, {-0x1.9591e0p-55f, 0x1.e454b2p-51f, -0x1.3511dap-48f,
                            0x1.98ad30p-45f, -0x1.87811cp-40f, 0x1.5cbb32p-36f,
                            -0x1.d745c6p-33f, 0x1.501e96p-29f, -0x1.d8275ap-26f,
                            0x1.30cf84p-22f, -0x1.731008p-19f, 0x1.b42de6p-16f,
                            -0x1.f8d3fcp-13f, 0x1.29b7b0p-9f, -0x1.80125cp-6f,
                            0x1.7164fep-2f}));
  }
};

/// tanh(x·P(x²)), whose relative error is below that of the instruction: P is a
/// minimax polynomial for it.
struct ApproxErf : public OpRewritePattern<math::ErfOp> {
  ApproxErf(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/3) {}
  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Emitter e{rewriter, op.getLoc()};
    Value x = op.getOperand();
    // A constant factor, as in GELU, is merged into the coefficients.
    float factor = 1;
    FloatAttr constant;
    if (auto product = x.getDefiningOp<arith::MulFOp>();
        product && matchPattern(product.getRhs(), m_Constant(&constant))) {
      x = product.getLhs();
      factor = static_cast<float>(constant.getValueAsDouble());
    }
    Value p =
        e.polynomial(e.mul(x, x), {0x1.9c80fp-4f * factor * factor * factor,
                                   0x1.20f778p+0f * factor});
    rewriter.replaceOpWithNewOp<math::TanhOp>(op, e.mul(x, p));
    return success();
  }
};

/// Returns x of y / (1 + exp(x)) of f32, as in sigmoids; null for other
/// divisions.
static Value matchSigmoid(arith::DivFOp op) {
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  if (!op.getType().isF32() || !sum)
    return {};
  Value one = sum.getLhs(), power = sum.getRhs();
  if (!matchPattern(one, m_OneFloat()))
    std::swap(one, power);
  auto exp = power.getDefiningOp<math::ExpOp>();
  return matchPattern(one, m_OneFloat()) && exp ? exp.getOperand() : Value();
}

/// Returns whether each use of the value is a factor, and the products are
/// rounded to 16 or 8 bits: then a relative error far below that rounding
/// matters only where the exact product is next to the middle of two results.
static bool isRoundedProduct(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (auto rounding = dyn_cast<arith::TruncFOp>(user))
      return isNarrow(rounding.getType());
    return isa<arith::MulFOp>(user) && isRoundedProduct(user->getResult(0));
  });
}

/// y / (1 + exp(x)), as in sigmoids. The divisor is at least 1, so that its
/// reciprocal is in range, and adding 1 makes a subnormal result of exp
/// irrelevant. With .ftz, exp and the reciprocal are one instruction each
/// instead of nine together with the scaling. The reciprocal is that of a
/// quarter of the divisor, which is not subnormal.
struct ApproxSigmoid : public OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = matchSigmoid(op);
    if (!x)
      return failure();
    Emitter e{rewriter, op.getLoc()};
    Value exponent = e.fma(x, e.f32(kLog2E), e.f32(-2));
    Value quarter = e.f32(0.25f);
    Value divisor = e.add(e.apply("ex2.approx.ftz.f32", exponent), quarter);
    Value reciprocal = e.apply("rcp.approx.ftz.f32", divisor);
    rewriter.replaceOp(op, e.mul(e.mul(op.getLhs(), quarter), reciprocal));
    return success();
  }
};

/// The same for a product that is rounded to 16 bits, with a relative error
/// below 2^-20.8: 2^-22 of ex2, 2^-23 of the reciprocal, and three roundings.
/// That of p = x·log2(e), which grows with x, is undone: exp(x) is
/// 2^p·exp(x - p·ln(2)), whose second factor is 1 + (x - p·ln(2)) in f32.
struct RoundedSigmoid : public OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = matchSigmoid(op);
    if (!x || op->use_empty() || !isRoundedProduct(op))
      return failure();
    Emitter e{rewriter, op.getLoc()};
    // Both operations propagate NaN. At the upper end 2^p overflows and the
    // second factor exceeds 1; 2^p of all smaller numbers is finite. At the
    // lower end it is 0.
    x = arith::MaximumFOp::create(e.builder, e.loc, x, e.f32(-104.0f));
    x = arith::MinimumFOp::create(e.builder, e.loc, x, e.f32(0x1.62e430p+6f));
    Value p = e.mul(x, e.f32(kLog2E));
    Value rest = e.fma(p, e.f32(-0x1.62e430p-1f), x);
    rest = e.fma(p, e.f32(0x1.05c610p-29f), rest);
    Value power = e.apply("ex2.approx.ftz.f32", p);
    power = e.fma(power, rest, power);
    Value quarter = e.f32(0.25f);
    Value divisor = e.fma(power, quarter, quarter);
    Value reciprocal = e.apply("rcp.approx.ftz.f32", divisor);
    rewriter.replaceOp(op, e.mul(e.mul(op.getLhs(), quarter), reciprocal));
    return success();
  }
};

struct LowerLog10 : public LowerF32<math::Log10Op> {
  using LowerF32::LowerF32;
  Value emit(Emitter &e, math::Log10Op op) const override {
    Value log = math::LogOp::create(e.builder, e.loc, op.getOperand());
    return e.mul(log, e.f32(0x1.bcb7b2p-2f));
  }
};

/// Uses expm1, which is accurate for small arguments.
struct LowerSinh : public LowerF32<math::SinhOp> {
  using LowerF32::LowerF32;
  Value emit(Emitter &e, math::SinhOp op) const override {
    Value a = e.abs(op.getOperand());
    Value t = math::ExpM1Op::create(e.builder, e.loc, a);
    Value other = e.div(t, e.add(t, e.f32(1)));
    Value sum = e.add(t, e.above(a, 20.0f, e.f32(0), other));
    return math::CopySignOp::create(e.builder, e.loc, e.mul(sum, e.f32(0.5f)),
                                    op.getOperand());
  }
};

struct LowerAsinh : public LowerF32<math::AsinhOp> {
  using LowerF32::LowerF32;
  Value emit(Emitter &e, math::AsinhOp op) const override {
    Value a = e.abs(op.getOperand());
    Value square = e.mul(a, a);
    Value root =
        math::SqrtOp::create(e.builder, e.loc, e.add(square, e.f32(1)));
    Value more = e.div(square, e.add(root, e.f32(1)));
    // From 1e9 on, asinh(a) is log(2a), and squares would overflow.
    Value small = math::Log1pOp::create(e.builder, e.loc, e.add(a, more));
    Value large =
        e.add(math::LogOp::create(e.builder, e.loc, a), e.f32(0x1.62e430p-1f));
    return math::CopySignOp::create(
        e.builder, e.loc, e.above(a, 1e9f, large, small), op.getOperand());
  }
};

struct LowerAtanh : public LowerF32<math::AtanhOp> {
  using LowerF32::LowerF32;
  Value emit(Emitter &e, math::AtanhOp op) const override {
    Value a = e.abs(op.getOperand());
    Value one = e.f32(1);
    Value rest = arith::SubFOp::create(e.builder, e.loc, one, a);
    Value log =
        math::Log1pOp::create(e.builder, e.loc, e.div(e.add(a, a), rest));
    return math::CopySignOp::create(e.builder, e.loc, e.mul(log, e.f32(0.5f)),
                                    op.getOperand());
  }
};

/// Subtracts the nearest multiple of pi / 2, which has three parts, and selects
/// the function by the quadrant.
template <typename Op, int Quadrant> struct LowerSine : public LowerF32<Op> {
  using LowerF32<Op>::LowerF32;
  Value emit(Emitter &e, Op op) const override {
    OpBuilder &b = e.builder;
    Value x = op.getOperand();
    Value k =
        math::RoundEvenOp::create(b, e.loc, e.mul(x, e.f32(0x1.45f306p-1f)));
    Value r = e.fma(k, e.f32(-0x1.921fb6p+0f), x);
    r = e.fma(k, e.f32(0x1.777a5cp-25f), r);
    r = e.fma(k, e.f32(0x1.ee59dap-50f), r);
    Value s = e.mul(r, r);
    Value sine = e.fma(e.mul(r, s),
                       e.polynomial(s, {0x1.5d7a6ap-19f, -0x1.9f6696p-13f,
                                        0x1.1110ecp-7f, -0x1.555556p-3f}),
                       r);
    Value cosine = e.polynomial(
        s, {0x1.99b55ep-16f, -0x1.6c0c5ap-10f, 0x1.55554ap-5f, -0.5f, 1.0f});
    Value quadrant = arith::AddIOp::create(
        b, e.loc, arith::FPToSIOp::create(b, e.loc, b.getI32Type(), k),
        e.i32(Quadrant));
    auto hasBit = [&](int bit) -> Value {
      Value masked = arith::AndIOp::create(b, e.loc, quadrant, e.i32(bit));
      return arith::CmpIOp::create(b, e.loc, arith::CmpIPredicate::ne, masked,
                                   e.i32(0));
    };
    Value value = arith::SelectOp::create(b, e.loc, hasBit(1), cosine, sine);
    return arith::SelectOp::create(
        b, e.loc, hasBit(2), arith::NegFOp::create(b, e.loc, value), value);
  }
};

struct SplitSincos : public OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Value sin = math::SinOp::create(rewriter, op.getLoc(), op.getOperand());
    Value cos = math::CosOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, {sin, cos});
    return success();
  }
};

/// One instruction, its operands multiplied by `scale` before
/// or the result after.
template <typename Op> struct Approx : public OpRewritePattern<Op> {
  Approx(MLIRContext *context, StringRef instruction, float before = 1,
         float after = 1)
      : OpRewritePattern<Op>(context, /*benefit=*/3), instruction(instruction),
        before(before), after(after) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (!type.isF32())
      return failure();
    Emitter e{rewriter, op.getLoc()};
    SmallVector<Value> operands(op->getOperands());
    if (before != 1)
      operands[0] = e.mul(operands[0], e.f32(before));
    Value result = e.apply(instruction, operands);
    rewriter.replaceOp(op, after == 1 ? result : e.mul(result, e.f32(after)));
    return success();
  }

  StringRef instruction;
  float before, after;
};
} // namespace

void tcgemm::populateWidenPatterns(RewritePatternSet &patterns) {
  patterns.add<Widen>(patterns.getContext());
}

void tcgemm::populateMathPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerAsinh, LowerAtanh, LowerErf, LowerExp, LowerExp2,
               LowerLog10, LowerSine<math::SinOp, 0>, LowerSine<math::CosOp, 1>,
               LowerSinh, SplitSincos>(patterns.getContext());
}

void tcgemm::populateMathFusionPatterns(RewritePatternSet &patterns) {
  patterns.add<RoundedSigmoid>(patterns.getContext());
}

void tcgemm::populateApproxMathFusionPatterns(RewritePatternSet &patterns) {
  patterns.add<ApproxSigmoid>(patterns.getContext());
}

void tcgemm::populateApproxMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  const float ln2 = 0x1.62e430p-1f, log10of2 = 0x1.344136p-2f;
  patterns.add<ApproxErf>(context);
  patterns.add<Approx<math::Exp2Op>>(context, "ex2.approx.f32");
  patterns.add<Approx<math::ExpOp>>(context, "ex2.approx.f32", kLog2E);
  patterns.add<Approx<math::TanhOp>>(context, "tanh.approx.f32");
  patterns.add<Approx<math::Log2Op>>(context, "lg2.approx.f32");
  patterns.add<Approx<math::LogOp>>(context, "lg2.approx.f32", 1.0f, ln2);
  patterns.add<Approx<math::Log10Op>>(context, "lg2.approx.f32", 1.0f,
                                      log10of2);
  patterns.add<Approx<math::SinOp>>(context, "sin.approx.f32");
  patterns.add<Approx<math::CosOp>>(context, "cos.approx.f32");
  patterns.add<Approx<math::RsqrtOp>>(context, "rsqrt.approx.f32");
  patterns.add<Approx<arith::DivFOp>>(context, "div.full.f32");
}
