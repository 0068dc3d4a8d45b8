//===- FloatHalf.cpp - Arithmetic of f16 and bf16 -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and products of f16 and bf16 are computed in float, whose rounding
// before the final one does no harm: it has more than twice the bits and two.
// (The least bf16 numbers are as small as float's: there float's error is still
// below what can be seen.) Products of f16 are exact in float, and their sums
// rounded to odd. Multiply-adds of bf16 are computed in double. There, an
// inexact sum cannot come to lie between two results unless the exact one does:
// a product has too few bits to lie that close to the middle and not on it.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatOps.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

// All of it is inlined: a call that is left keeps loops over lanes scalar.
namespace {

struct HalfFormat : HalfBits {
  static float widen(uint16_t bits) { return halfToFloat(bits); }
  static uint16_t narrow(float value) { return floatToHalf(value); }
};
struct BFloatFormat : BFloatBits {
  static float widen(uint16_t bits) { return bfloatToFloat(bits); }
  static uint16_t narrow(float value) { return floatToBFloat(value); }
};

enum class Clamp : uint8_t { None, Sat, Relu };

template <class F, bool ftz, Clamp clamp> struct HalfBase {
  using Format = F;
  static float widen(uint16_t bits) {
    return F::widen(ftz ? F::flush(bits) : bits);
  }
  static TCGEMM_INLINE uint16_t narrow(float value) {
    uint16_t bits = F::narrow(value);
    // As in f32, what is subnormal after rounding to 11 bits is flushed: less
    // than 2^-14 by half an ulp of 2^-15, or by all of it in case of a tie.
    if constexpr (ftz) {
      bool isTiny = value < 0x1.FFEp-15f && value > -0x1.FFEp-15f;
      bits = isTiny ? uint16_t(bits & F::kSign) : F::flush(bits);
    }
    if constexpr (clamp == Clamp::Sat)
      bits = saturateBits<F>(bits);
    if constexpr (clamp == Clamp::Relu)
      bits = clampBits<F>(bits);
    return bits;
  }
};

template <FloatOperation operation, class Base> struct HalfBinary {
  TCGEMM_INLINE uint16_t operator()(uint16_t a, uint16_t b) const {
    float left = Base::widen(a), right = Base::widen(b);
    if constexpr (operation == FloatOperation::Add)
      return Base::narrow(left + right);
    else if constexpr (operation == FloatOperation::Sub)
      return Base::narrow(left - right);
    else
      return Base::narrow(left * right);
  }
};

/// The sum rounded to odd: by its error, which is a float too.
TCGEMM_INLINE float addToOdd(float a, float b) {
  float sum = a + b;
  float ofB = sum - a;
  float ofA = sum - ofB;
  float error = (a - ofA) + (b - ofB);
  uint32_t bits = bitCast<uint32_t>(sum);
  // Both are false for the NaN that infinities give.
  bool isMore = sum > 0 ? error > 0 : error < 0;
  bool isLess = sum > 0 ? error < 0 : error > 0;
  uint32_t step = uint32_t(isMore) - uint32_t(isLess);
  return bitCast<float>(bits + (~bits & 1) * step);
}

template <class Base> struct HalfFma {
  TCGEMM_INLINE uint16_t operator()(uint16_t a, uint16_t b, uint16_t c) const {
    if constexpr (std::is_same_v<typename Base::Format, HalfFormat>) {
      float product = Base::widen(a) * Base::widen(b);
      return Base::narrow(addToOdd(product, Base::widen(c)));
    }
    double product = double(Base::widen(a)) * double(Base::widen(b));
    return Base::narrow(roundToOdd(product + double(Base::widen(c))));
  }
};

template <class Op> struct OnHalfTriples {
  TCGEMM_INLINE uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint16_t low = Op()(uint16_t(a), uint16_t(b), uint16_t(c));
    uint16_t high =
        Op()(uint16_t(a >> 16), uint16_t(b >> 16), uint16_t(c >> 16));
    return low | uint32_t(high) << 16;
  }
};

template <class Base> Handler getOp(FloatOperation operation, bool isPair) {
  switch (operation) {
  case FloatOperation::Add: {
    using Op = HalfBinary<FloatOperation::Add, Base>;
    return isPair ? getLaneOp<OnHalves<uint16_t, Op>>() : getLaneOp<Op>();
  }
  case FloatOperation::Sub: {
    using Op = HalfBinary<FloatOperation::Sub, Base>;
    return isPair ? getLaneOp<OnHalves<uint16_t, Op>>() : getLaneOp<Op>();
  }
  case FloatOperation::Mul: {
    using Op = HalfBinary<FloatOperation::Mul, Base>;
    return isPair ? getLaneOp<OnHalves<uint16_t, Op>>() : getLaneOp<Op>();
  }
  case FloatOperation::Fma: {
    using Op = HalfFma<Base>;
    return isPair ? getLaneOp<OnHalfTriples<Op>>() : getLaneOp<Op>();
  }
  default:
    return nullptr;
  }
}

template <class F, bool ftz>
Handler getForClamp(FloatOperation operation, bool isPair,
                    const FloatModifiers &modifiers) {
  if (modifiers.sat)
    return getOp<HalfBase<F, ftz, Clamp::Sat>>(operation, isPair);
  if (modifiers.relu)
    return getOp<HalfBase<F, ftz, Clamp::Relu>>(operation, isPair);
  return getOp<HalfBase<F, ftz, Clamp::None>>(operation, isPair);
}

} // namespace

Handler tcgemm::emu::getHalfOp(FloatOperation operation, Type type,
                               const FloatModifiers &modifiers) {
  if (modifiers.sat && modifiers.relu)
    return nullptr;
  if (modifiers.relu && operation != FloatOperation::Fma)
    return nullptr;
  bool isPair = type == Type::F16x2 || type == Type::BF16x2;
  if (type == Type::F16 || type == Type::F16x2)
    return modifiers.ftz
               ? getForClamp<HalfFormat, true>(operation, isPair, modifiers)
               : getForClamp<HalfFormat, false>(operation, isPair, modifiers);
  if (modifiers.ftz || modifiers.sat)
    return nullptr;
  return getForClamp<BFloatFormat, false>(operation, isPair, modifiers);
}
