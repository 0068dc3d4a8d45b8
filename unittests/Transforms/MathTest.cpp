//===- MathTest.cpp - Error bounds of the lowered math ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers each function, evaluates the result in f32 as the GPU does, operation
// by operation, and compares it with libm in double. The bounds are those of
// docs/reference/math.md.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tcgemm;

namespace {
union Bits {
  float f;
  int32_t i;
};

/// Moves a finite number that is not 0 by units of its last place.
float moveUlps(float value, int ulps) {
  if (std::isfinite(value) && value != 0)
    for (; ulps; ulps += ulps > 0 ? -1 : 1)
      value = std::nextafter(value, ulps > 0 ? INFINITY : -INFINITY);
  return value;
}

/// The nearest bf16, or that with an even last bit.
float roundToBF16(double value) {
  APFloat number(value);
  bool losesInfo = false;
  number.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToFloat();
}

/// A lowered function of up to two f32, evaluated on the host.
class Program {
public:
  Program(StringRef expression, unsigned numArguments, bool approx = false);
  float operator()(float x, float y = 0);
  /// The number of operations with a name.
  size_t count(StringRef name) const {
    return llvm::count_if(steps, [&](const Step &step) {
      return step.op->getName().getStringRef() == name;
    });
  }

  /// What is added to results of ex2 and rcp, in units of the last place.
  int ulpsOfEx2 = 0, ulpsOfRcp = 0;

private:
  struct Step {
    Operation *op;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };
  void apply(const Step &step);

  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::vector<Step> steps;
  std::vector<Bits> values;
  unsigned result = 0;
};

Program::Program(StringRef expression, unsigned numArguments, bool approx) {
  LowerEpilogueMathOptions options;
  options.approx = approx;
  context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<arith::ArithDialect, math::MathDialect,
                       func::FuncDialect, gpu::GPUDialect>();
  // Lines before the last one define its operands.
  auto [before, last] = expression.contains('\n')
                            ? expression.rsplit('\n')
                            : std::pair(StringRef(), expression);
  std::string text = "gpu.module @m { func.func @f(%x: f32, %y: f32) -> f32 {" +
                     before.str() + "\n%r = " + last.str() +
                     " : f32\n return %r : f32 } }";
  module = parseSourceString<ModuleOp>(text, context.get());
  PassManager manager(context.get());
  // Anchored on the function, whose math is then rewritten.
  manager.nest<gpu::GPUModuleOp>().addNestedPass<func::FuncOp>(
      createLowerEpilogueMath(options));
  if (!module || failed(manager.run(*module)))
    return;
  module->walk([&](func::FuncOp function) {
    llvm::DenseMap<Value, unsigned> numbers;
    for (BlockArgument argument : function.getArguments())
      numbers[argument] = numbers.size();
    for (Operation &op : function.front().without_terminator()) {
      Step step{&op, {}, 0};
      for (Value operand : op.getOperands())
        step.operands.push_back(numbers[operand]);
      step.result = numbers.size();
      numbers[op.getResult(0)] = step.result;
      steps.push_back(step);
    }
    values.resize(numbers.size());
    result = numbers[function.front().getTerminator()->getOperand(0)];
    // Constants are evaluated once.
    llvm::erase_if(steps, [&](const Step &step) {
      auto constant = dyn_cast<arith::ConstantOp>(step.op);
      if (!constant)
        return false;
      if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
        values[step.result].f = static_cast<float>(value.getValueAsDouble());
      else
        values[step.result].i = int32_t(
            cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue());
      return true;
    });
  });
}

float Program::operator()(float x, float y) {
  values[0].f = x;
  values[1].f = y;
  for (const Step &step : steps)
    apply(step);
  return values[result].f;
}

void Program::apply(const Step &step) {
  auto f = [&](unsigned i) { return values[step.operands[i]].f; };
  auto i = [&](unsigned n) { return values[step.operands[n]].i; };
  Bits &r = values[step.result];
  llvm::TypeSwitch<Operation *>(step.op)
      .Case([&](arith::AddFOp) { r.f = f(0) + f(1); })
      .Case([&](arith::SubFOp) { r.f = f(0) - f(1); })
      .Case([&](arith::MulFOp) { r.f = f(0) * f(1); })
      .Case([&](arith::DivFOp) { r.f = f(0) / f(1); })
      .Case([&](arith::RemFOp) { r.f = std::fmod(f(0), f(1)); })
      .Case([&](arith::NegFOp) { r.f = -f(0); })
      .Case([&](arith::MaximumFOp) {
        r.f = std::isnan(f(0)) ? f(0) : std::fmax(f(0), f(1));
      })
      .Case([&](arith::MinimumFOp) {
        r.f = std::isnan(f(0)) ? f(0) : std::fmin(f(0), f(1));
      })
      .Case([&](arith::MaxNumFOp) { r.f = std::fmax(f(0), f(1)); })
      .Case([&](arith::MinNumFOp) { r.f = std::fmin(f(0), f(1)); })
      .Case([&](arith::CmpFOp op) {
        r.i = arith::applyCmpPredicate(op.getPredicate(), APFloat(f(0)),
                                       APFloat(f(1)));
      })
      .Case([&](arith::CmpIOp op) {
        r.i = arith::applyCmpPredicate(op.getPredicate(),
                                       APInt(32, i(0), true, true),
                                       APInt(32, i(1), true, true));
      })
      .Case([&](arith::SelectOp) { r = values[step.operands[i(0) ? 1 : 2]]; })
      .Case([&](arith::AddIOp) { r.i = uint32_t(i(0)) + uint32_t(i(1)); })
      .Case([&](arith::SubIOp) { r.i = uint32_t(i(0)) - uint32_t(i(1)); })
      .Case([&](arith::MulIOp) { r.i = uint32_t(i(0)) * uint32_t(i(1)); })
      .Case([&](arith::AndIOp) { r.i = i(0) & i(1); })
      .Case([&](arith::OrIOp) { r.i = i(0) | i(1); })
      .Case([&](arith::XOrIOp) { r.i = i(0) ^ i(1); })
      .Case([&](arith::ShLIOp) { r.i = uint32_t(i(0)) << (i(1) & 31); })
      .Case([&](arith::ShRUIOp) { r.i = uint32_t(i(0)) >> (i(1) & 31); })
      .Case([&](arith::ShRSIOp) { r.i = i(0) >> (i(1) & 31); })
      .Case([&](arith::DivUIOp) { r.i = uint32_t(i(0)) / uint32_t(i(1)); })
      .Case([&](arith::DivSIOp) { r.i = i(0) / i(1); })
      .Case([&](arith::BitcastOp) { r.i = i(0); })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto) {
        r.i = std::isnan(f(0))
                  ? 0
                  : static_cast<int32_t>(int64_t(std::fmin(
                        std::fmax(f(0), -2147483648.0), 4294967040.0)));
      })
      .Case([&](arith::SIToFPOp) { r.f = i(0); })
      .Case([&](arith::UIToFPOp) { r.f = uint32_t(i(0)); })
      .Case([&](math::FmaOp) { r.f = std::fma(f(0), f(1), f(2)); })
      .Case([&](math::AbsFOp) { r.f = std::fabs(f(0)); })
      .Case([&](math::FloorOp) { r.f = std::floor(f(0)); })
      .Case([&](math::CeilOp) { r.f = std::ceil(f(0)); })
      .Case([&](math::TruncOp) { r.f = std::trunc(f(0)); })
      .Case([&](math::RoundEvenOp) { r.f = std::nearbyint(f(0)); })
      .Case([&](math::SqrtOp) { r.f = std::sqrt(f(0)); })
      .Case([&](LLVM::InlineAsmOp op) {
        StringRef name = op.getAsmString().split('.').first;
        if (name == "ex2")
          r.f = moveUlps(std::exp2(f(0)), ulpsOfEx2);
        else if (name == "rcp")
          r.f = moveUlps(1 / f(0), ulpsOfRcp);
        else if (name == "tanh")
          r.f = std::tanh(f(0));
        else
          ADD_FAILURE() << "cannot evaluate " << op.getAsmString().str();
      })
      .Case([&](arith::TruncFOp) { r.f = roundToBF16(f(0)); })
      .Case([&](arith::ExtFOp) { r.f = f(0); })
      .Case([&](math::CopySignOp) { r.f = std::copysign(f(0), f(1)); })
      .Default([&](Operation *op) {
        ADD_FAILURE() << "cannot evaluate "
                      << op->getName().getStringRef().str();
      });
}

struct Bound {
  /// Name of the function; a name that ends in " approx" sets that option.
  const char *name;
  double (*reference)(double);
  /// The range of the bound.
  float low, high;
  /// The bound in ulps of the exact result, or absolute (then ulp is 0).
  /// Results below `least` count as if they were `least`.
  double ulp, absolute;
  float least = 0x1p-126f;
};

double rsqrt(double x) { return 1 / std::sqrt(x); }

const Bound bounds[] = {
#include "MathBounds.inc"
};

/// The spacing of f32 at `x`.
double getUlp(double x, float least) {
  int exponent;
  std::frexp(std::fmax(std::fabs(x), double(least)), &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

class MathBound : public testing::TestWithParam<Bound> {};
} // namespace

TEST_P(MathBound, HoldsOnSamples) {
  const Bound &bound = GetParam();
  StringRef name = bound.name;
  bool approx = name.consume_back(" approx");
  Program program(("math." + name + " %x").str(), 1, approx);
  double worst = 0, worstAbsolute = 0;
  float worstAt = 0;
  // Evenly over the floats of the range, from both signs.
  auto order = [](float x) {
    Bits bits{x};
    return bits.i < 0 ? INT64_C(-2147483648) - bits.i : int64_t(bits.i);
  };
  int64_t first = order(bound.low), last = order(bound.high);
  const int64_t numSamples = 100000;
  for (int64_t i = 0; i <= numSamples; ++i) {
    int64_t place = first + int64_t((last - first) * (double(i) / numSamples));
    Bits bits;
    bits.i = place < 0 ? int32_t(INT64_C(-2147483648) - place) : int32_t(place);
    double exact = bound.reference(bits.f);
    double error = std::fabs(program(bits.f) - exact);
    double ulps = error / getUlp(exact, bound.least);
    if (std::fabs(exact) > 3.4028235e38 && std::isinf(program(bits.f)))
      continue;
    worstAbsolute = std::fmax(worstAbsolute, error);
    if (!(ulps <= worst)) {
      worst = ulps;
      worstAt = bits.f;
    }
  }
  RecordProperty("ulp", std::to_string(worst));
  RecordProperty("absolute", std::to_string(worstAbsolute));
  if (std::getenv("TCGEMM_SHOW_MATH"))
    printf("%-8s [%g, %g]: %.2f ulp at %g, %.3g absolute\n", bound.name,
           bound.low, bound.high, worst, worstAt, worstAbsolute);
  if (bound.ulp != 0)
    EXPECT_LE(worst, bound.ulp) << "at " << worstAt;
  else
    EXPECT_LE(worstAbsolute, bound.absolute);
}

INSTANTIATE_TEST_SUITE_P(Functions, MathBound, testing::ValuesIn(bounds),
                         [](const testing::TestParamInfo<Bound> &info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name + "_" + std::to_string(info.index);
                         });

TEST(MathSpecial, ExpKeepsSpecialValues) {
  for (const char *name : {"math.exp %x", "math.exp2 %x"}) {
    Program program(name, 1);
    EXPECT_EQ(program(INFINITY), INFINITY);
    EXPECT_EQ(program(-INFINITY), 0.0f);
    EXPECT_EQ(program(0.0f), 1.0f);
    EXPECT_EQ(program(-0.0f), 1.0f);
    EXPECT_TRUE(std::isnan(program(NAN)));
    EXPECT_EQ(program(1000.0f), INFINITY);
    EXPECT_EQ(program(-1000.0f), 0.0f);
  }
  EXPECT_GT(Program("math.exp %x", 1)(-100.0f), 0.0f);
}

TEST(MathSpecial, ApproximateErf) {
  Program erf("math.erf %x", 1, /*approx=*/true);
  EXPECT_EQ(erf(INFINITY), 1.0f);
  EXPECT_EQ(erf(-INFINITY), -1.0f);
  EXPECT_EQ(erf(0.0f), 0.0f);
  EXPECT_TRUE(std::isnan(erf(NAN)));
}

TEST(MathSpecial, ApproximateSigmoid) {
  Program silu("%one = arith.constant 1.0 : f32\n"
               "%n = arith.negf %x : f32\n"
               "%e = math.exp %n : f32\n"
               "%s = arith.addf %one, %e : f32\n"
               "arith.divf %x, %s",
               2, /*approx=*/true);
  for (int i = 0; i < 460; ++i) {
    float x = -85 + 0.37f * static_cast<float>(i);
    double exact = x / (1 + std::exp(-static_cast<double>(x)));
    // The rounding of x·log2(e) grows with x.
    double error = (3 + std::fabs(x)) * 1.2e-7;
    EXPECT_NEAR(silu(x), exact, error * std::fabs(exact)) << x;
  }
  EXPECT_EQ(silu(INFINITY), INFINITY);
  EXPECT_EQ(silu(-1000.0f), 0.0f);
  EXPECT_EQ(silu(0.0f), 0.0f);
  EXPECT_TRUE(std::isnan(silu(NAN)));
}

/// SiLU of the number, rounded to bf16, for a result in (1 - e, 1 + e) of the
/// exact one. From the overflow of exp in f32 on, the result is 0.
std::pair<float, float> getRoundedSilu(float x, double e) {
  double power = std::exp(-static_cast<double>(x));
  double exact = power < 0x1p+128 ? x / (1 + power) : std::copysign(0.0, x);
  return {roundToBF16(exact * (1 - e)), roundToBF16(exact * (1 + e))};
}

/// All numbers of bf16, with the largest errors that ex2 and rcp may have: the
/// result is that of an exact one whose relative error is below 2^-20.8, which
/// is the exact result's but next to the middle of two numbers.
TEST(MathSpecial, RoundedSigmoid) {
  Program silu("%one = arith.constant 1.0 : f32\n"
               "%n = arith.negf %x : f32\n"
               "%e = math.exp %n : f32\n"
               "%s = arith.addf %one, %e : f32\n"
               "%q = arith.divf %x, %s : f32\n"
               "%h = arith.truncf %q : f32 to bf16\n"
               "%w = arith.extf %h : bf16 to f32\n"
               "arith.mulf %w, %one",
               2);
  const double bound = std::exp2(-20.8);
  int64_t numOther = 0, number = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint32_t wide = bits << 16;
    float x;
    std::memcpy(&x, &wide, sizeof(x));
    for (int ofEx2 : {-2, 0, 2})
      for (int ofRcp : {-1, 0, 1}) {
        silu.ulpsOfEx2 = ofEx2;
        silu.ulpsOfRcp = ofRcp;
        float result = silu(x);
        if (std::isnan(x) || x == -INFINITY) {
          EXPECT_TRUE(std::isnan(result)) << x;
          continue;
        }
        auto [low, high] = getRoundedSilu(x, bound);
        if (x == INFINITY)
          low = high = x;
        EXPECT_TRUE(result == low || result == high)
            << x << ": " << result << ", not " << low << " or " << high;
        // Halves of subnormal numbers are in the middle of two results.
        bool isNormal = std::isfinite(x) && std::fabs(x) > 0x1p-120f;
        numOther += isNormal && result != getRoundedSilu(x, 0).first;
        ++number;
      }
  }
  EXPECT_LE(numOther, number / 4096);
}

/// The value is also stored as f32, or summed: the exact functions remain.
TEST(MathSpecial, OtherSigmoidsRemainExact) {
  for (const char *last : {"arith.mulf %q, %one", "arith.addf %q, %w"}) {
    std::string text = "%one = arith.constant 1.0 : f32\n"
                       "%e = math.exp %x : f32\n"
                       "%s = arith.addf %e, %one : f32\n"
                       "%q = arith.divf %y, %s : f32\n"
                       "%h = arith.truncf %q : f32 to bf16\n"
                       "%w = arith.extf %h : bf16 to f32\n";
    Program exact(text + last, 2);
    EXPECT_EQ(exact.count("llvm.inline_asm"), 0u) << last;
    EXPECT_EQ(exact.count("arith.divf"), 1u) << last;
  }
}

TEST(MathSpecial, TanhAndErfSaturate) {
  Program tanh("math.tanh %x", 1), erf("math.erf %x", 1);
  EXPECT_NEAR(tanh(INFINITY), 1.0f, 3e-7);
  EXPECT_NEAR(tanh(-INFINITY), -1.0f, 3e-7);
  EXPECT_TRUE(std::isnan(tanh(NAN)));
  EXPECT_NEAR(erf(INFINITY), 1.0f, 3e-7);
  EXPECT_NEAR(erf(-INFINITY), -1.0f, 3e-7);
  EXPECT_TRUE(std::isnan(erf(NAN)));
  EXPECT_TRUE(std::isnan(erf(-NAN)));
  EXPECT_EQ(erf(0.0f), 0.0f);
}

TEST(MathSpecial, PowfIsRelative) {
  Program powf("math.powf %x, %y", 2);
  for (float x : {0.1f, 0.5f, 0.9f, 1.5f, 2.0f, 3.0f, 10.0f, 100.0f})
    for (float y : {-3.0f, -0.5f, 0.0f, 0.5f, 1.0f, 2.0f, 2.2f, 5.0f}) {
      double exact = std::pow(double(x), double(y));
      double bound = 1.2e-7 * (4 + 2 * std::fabs(y * std::log(x)));
      EXPECT_LE(std::fabs(powf(x, y) - exact), bound * exact) << x << "^" << y;
    }
}
