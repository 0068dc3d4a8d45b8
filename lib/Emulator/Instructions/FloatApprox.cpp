//===- FloatApprox.cpp - Quotients, roots and transcendental functions ----===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The approximate functions give the correctly rounded result, or nearly so;
// the hardware's may differ from it by the error that the PTX ISA states.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatOps.h"

#include <cmath>

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

template <bool ftz> struct DivSingle {
  float operator()(float a, float b) const {
    return finishFloat<ftz, false>(prepareFloat<ftz>(a) / prepareFloat<ftz>(b));
  }
};

/// .approx multiplies with the reciprocal, which is 0 for large divisors.
template <bool ftz> struct DivApprox {
  float operator()(float a, float b) const {
    a = prepareFloat<ftz>(a);
    b = prepareFloat<ftz>(b);
    float magnitude = std::fabs(b);
    bool isLarge = magnitude > 0x1p126f && magnitude <= 3.40282347e38f;
    float reciprocal = isLarge ? std::copysign(0.0f, b) : 1.0f;
    float quotient = isLarge ? a * reciprocal : a / b;
    return finishFloat<ftz, false>(quotient);
  }
};

template <bool ftz> struct RcpSingle {
  float operator()(float a) const {
    return finishFloat<ftz, false>(1.0f / prepareFloat<ftz>(a));
  }
};

template <bool ftz> struct SqrtSingle {
  float operator()(float a) const {
    return finishFloat<ftz, false>(
        __builtin_elementwise_sqrt(prepareFloat<ftz>(a)));
  }
};

using Function = double (*)(double);

double rsqrt(double value) { return 1 / std::sqrt(value); }

template <Function function, bool ftz> struct ViaDouble {
  float operator()(float a) const {
    return finishFloat<ftz, false>(
        float(function(double(prepareFloat<ftz>(a)))));
  }
};

template <Function function> Handler getViaDouble(bool ftz) {
  return ftz ? getSlowLaneOp<ViaDouble<function, true>>()
             : getSlowLaneOp<ViaDouble<function, false>>();
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

struct DivDouble {
  double operator()(double a, double b) const { return a / b; }
};
struct RcpDouble {
  double operator()(double a) const { return 1 / a; }
};
struct SqrtDouble {
  double operator()(double a) const { return __builtin_elementwise_sqrt(a); }
};
struct RsqrtDouble {
  double operator()(double a) const {
    return 1 / __builtin_elementwise_sqrt(a);
  }
};

/// .approx.ftz.f64 reads and writes the upper words only.
template <Function function> struct UpperWord {
  double operator()(double a) const {
    constexpr uint64_t kUpper = 0xFFFFFFFF00000000;
    uint64_t bits = DoubleBits::flush(bitCast<uint64_t>(a) & kUpper);
    double value = function(bitCast<double>(bits));
    // Rounded, since truncation could lose a whole ulp of the upper word.
    uint64_t result = bitCast<uint64_t>(value);
    if (value != value)
      return bitCast<double>(uint64_t(0x7FFFFFFF00000000));
    if (!std::isinf(value))
      result += 0x80000000;
    return bitCast<double>(DoubleBits::flush(result & kUpper));
  }
};

double reciprocal(double value) { return 1 / value; }

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

/// rcp, sqrt and rsqrt of f64; null if there is no such form.
template <FloatOperation operation, class Exact, Function function>
Handler getDouble(Decoder &d, bool isApprox, const FloatModifiers &modifiers) {
  if (isApprox)
    return modifiers.ftz && operation == FloatOperation::Rcp
               ? getSlowLaneOp<UpperWord<function>>()
               : nullptr;
  if (!modifiers.rounding || modifiers.ftz)
    return nullptr;
  if (modifiers.isNearest())
    return getLaneOp<Exact>();
  d.code->imm = packFloatModifiers(modifiers);
  return getDirectedOp(operation, /*isDouble=*/true);
}

/// rcp and sqrt of f32: `Exact` is also used for the approximation.
template <FloatOperation operation, template <bool> class Exact>
Handler getSingle(Decoder &d, bool isApprox, const FloatModifiers &modifiers) {
  if (isApprox == modifiers.rounding.has_value())
    return nullptr;
  if (modifiers.isNearest())
    return getForFlush<Exact>(modifiers.ftz);
  d.code->imm = packFloatModifiers(modifiers);
  return getDirectedOp(operation, /*isDouble=*/false);
}

template <FloatOperation operation, template <bool> class Single, class Double,
          Function function>
void decodeRoot(Decoder &d, Modifiers &mods) {
  bool isApprox = mods.take("approx");
  FloatModifiers modifiers = takeFloatModifiers(mods);
  std::optional<Type> type = expectType(d, mods);
  if (!type)
    return;
  if (modifiers.sat || modifiers.relu)
    return d.fail("the instruction has no .sat and no .relu");
  Handler run = nullptr;
  if (*type == Type::F32)
    run = getSingle<operation, Single>(d, isApprox, modifiers);
  else if (*type == Type::F64)
    run = getDouble<operation, Double, function>(d, isApprox, modifiers);
  emit(d, run, *type, {*type});
}

void decodeRsqrt(Decoder &d, Modifiers &mods) {
  bool isApprox = mods.take("approx"), ftz = mods.take("ftz");
  std::optional<Type> type = expectType(d, mods);
  if (!type || !isApprox)
    return d.fail("rsqrt needs .approx and a type");
  Handler run = nullptr;
  if (*type == Type::F32)
    run = getViaDouble<rsqrt>(ftz);
  else if (*type == Type::F64)
    run = ftz ? getSlowLaneOp<UpperWord<rsqrt>>() : getLaneOp<RsqrtDouble>();
  emit(d, run, *type, {*type});
}

template <Function function>
void decodeTrigonometric(Decoder &d, Modifiers &mods) {
  bool isApprox = mods.take("approx"), ftz = mods.take("ftz");
  std::optional<Type> type = expectType(d, mods);
  if (!isApprox || type != Type::F32)
    return d.fail("the instruction needs .approx and .f32");
  emit(d, getViaDouble<function>(ftz), Type::F32, {Type::F32});
}

/// ex2 and tanh have forms for f16 and bf16. Their error is that of f32, which
/// is then rounded.
template <Function function, bool ftz> struct HalfViaDouble {
  uint16_t operator()(uint16_t a) const {
    float value = halfToFloat(ftz ? HalfBits::flush(a) : a);
    uint16_t result = floatToHalf(roundToOdd(function(double(value))));
    return ftz ? HalfBits::flush(result) : result;
  }
};
template <Function function, bool ftz> struct BFloatViaDouble {
  uint16_t operator()(uint16_t a) const {
    float value = bfloatToFloat(ftz ? BFloatBits::flush(a) : a);
    uint16_t result = floatToBFloat(roundToOdd(function(double(value))));
    return ftz ? BFloatBits::flush(result) : result;
  }
};

template <Function function, bool ftz> Handler getNarrow(Type type) {
  switch (type) {
  case Type::F16:
    return getSlowLaneOp<HalfViaDouble<function, ftz>>();
  case Type::F16x2:
    return getSlowLaneOp<OnEachHalf<HalfViaDouble<function, ftz>>>();
  case Type::BF16:
    return getSlowLaneOp<BFloatViaDouble<function, ftz>>();
  case Type::BF16x2:
    return getSlowLaneOp<OnEachHalf<BFloatViaDouble<function, ftz>>>();
  default:
    return nullptr;
  }
}

template <Function function> void decodeCurve(Decoder &d, Modifiers &mods) {
  bool isApprox = mods.take("approx"), ftz = mods.take("ftz");
  std::optional<Type> type = expectType(d, mods);
  if (!isApprox || !type)
    return d.fail("the instruction needs .approx and a type");
  Handler run = *type == Type::F32 ? getViaDouble<function>(ftz)
                : ftz              ? getNarrow<function, true>(*type)
                                   : getNarrow<function, false>(*type);
  emit(d, run, *type, {*type});
}

} // namespace

void tcgemm::emu::decodeFloatDiv(Decoder &d, Modifiers &mods, Type type) {
  std::optional<unsigned> kind = mods.takeOneOf({"approx", "full"});
  FloatModifiers modifiers = takeFloatModifiers(mods);
  if (kind.has_value() == modifiers.rounding.has_value())
    return d.fail("div needs .approx, .full or a rounding");
  Handler run = nullptr;
  if (modifiers.sat || modifiers.relu) {
    return d.fail("the instruction has no .sat and no .relu");
  } else if (!modifiers.isNearest() &&
             (type == Type::F32 || (type == Type::F64 && !modifiers.ftz))) {
    d.code->imm = packFloatModifiers(modifiers);
    run = getDirectedOp(FloatOperation::Div, type == Type::F64);
  } else if (type == Type::F32) {
    run = kind == 0u ? getForFlush<DivApprox>(modifiers.ftz)
                     : getForFlush<DivSingle>(modifiers.ftz);
  } else if (type == Type::F64 && !kind && !modifiers.ftz) {
    run = getLaneOp<DivDouble>();
  }
  emit(d, run, type, {type, type});
}

static constexpr FamilyEntry kEntries[] = {
    {"rcp", decodeRoot<FloatOperation::Rcp, RcpSingle, RcpDouble, reciprocal>},
    {"sqrt", decodeRoot<FloatOperation::Sqrt, SqrtSingle, SqrtDouble, nullptr>},
    {"rsqrt", decodeRsqrt},
    {"ex2", decodeCurve<std::exp2>},
    {"tanh", decodeCurve<std::tanh>},
    {"lg2", decodeTrigonometric<std::log2>},
    {"sin", decodeTrigonometric<std::sin>},
    {"cos", decodeTrigonometric<std::cos>},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getFloatApproxEntries() {
  return kEntries;
}
