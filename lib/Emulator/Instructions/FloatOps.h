//===- FloatOps.h - Floating-point arithmetic of one lane -------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The treatment of operands and results by hardware: canonical NaNs, subnormals
// flushed by .ftz, results clamped by .sat and .relu.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_FLOATOPS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_FLOATOPS_H

#include "Instructions/FloatFormats.h"
#include "Instructions/Scalar.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Formats as bits
//===----------------------------------------------------------------------===//

template <class U, unsigned mantissaBits> struct BitFormat {
  using Bits = U;
  static constexpr U kSign = U(U(1) << (8 * sizeof(U) - 1));
  static constexpr U kMagnitude = U(kSign - 1);
  static constexpr U kLeastNormal = U(U(1) << mantissaBits);
  static constexpr U kInfinity = U(kMagnitude & ~(kLeastNormal - 1));

  static bool isNaN(U bits) { return U(bits & kMagnitude) > kInfinity; }
  static bool isSubnormalOrZero(U bits) {
    return U(bits & kMagnitude) < kLeastNormal;
  }
  /// Subnormals become zeros of their sign.
  static U flush(U bits) {
    return isSubnormalOrZero(bits) ? U(bits & kSign) : bits;
  }
};

struct HalfBits : BitFormat<uint16_t, 10> {
  static constexpr uint16_t kNaN = kHalfNaN, kOne = 0x3C00;
  static uint16_t makeNaN(uint16_t) { return kNaN; }
};
struct BFloatBits : BitFormat<uint16_t, 7> {
  static constexpr uint16_t kNaN = kHalfNaN, kOne = 0x3F80;
  static uint16_t makeNaN(uint16_t) { return kNaN; }
};
struct SingleBits : BitFormat<uint32_t, 23> {
  static constexpr uint32_t kNaN = kFloatNaN, kOne = 0x3F800000;
  static uint32_t makeNaN(uint32_t) { return kNaN; }
};
/// f64 has no NaN of its own: that of an operand is the result's, made quiet.
struct DoubleBits : BitFormat<uint64_t, 52> {
  static constexpr uint64_t kOne = 0x3FF0000000000000;
  static constexpr uint64_t kQuiet = uint64_t(1) << 51;
  static uint64_t makeNaN(uint64_t operand) { return operand | kQuiet; }
};

/// To [0, 1]; a NaN becomes +0.
template <class F> inline typename F::Bits saturateBits(typename F::Bits bits) {
  using U = typename F::Bits;
  U clamped = bits > F::kOne ? F::kOne : bits;
  return (bits & F::kSign) || F::isNaN(bits) ? U(0) : clamped;
}

/// Negative numbers become +0; a NaN stays one.
template <class F> inline typename F::Bits clampBits(typename F::Bits bits) {
  using U = typename F::Bits;
  U clamped = bits & F::kSign ? U(0) : bits;
  return F::isNaN(bits) ? F::makeNaN(bits) : clamped;
}

//===----------------------------------------------------------------------===//
// f32 and f64
//===----------------------------------------------------------------------===//

inline float flushFloat(float value) {
  return bitCast<float>(SingleBits::flush(bitCast<uint32_t>(value)));
}

inline float saturateFloat(float value) {
  return bitCast<float>(saturateBits<SingleBits>(bitCast<uint32_t>(value)));
}

/// Replaces every NaN by the canonical one of the hardware.
inline float canonicalFloat(float value) {
  return value == value ? value : bitCast<float>(kFloatNaN);
}

template <bool ftz> inline float prepareFloat(float value) {
  return ftz ? flushFloat(value) : value;
}

template <bool ftz, bool sat> inline float finishFloat(float value) {
  value = canonicalFloat(value);
  value = ftz ? flushFloat(value) : value;
  return sat ? saturateFloat(value) : value;
}

/// Flushes a product as .ftz does. The hardware flushes a result that is
/// subnormal after rounding to 24 bits, even if its final rounding gives the
/// least normal number. `scaled` is the product times 2^24.
inline float flushProduct(float value, float scaled) {
  uint32_t bits = bitCast<uint32_t>(value);
  bool isTiny = scaled < 0x1p-102f && scaled > -0x1p-102f;
  return bitCast<float>(isTiny ? bits & SingleBits::kSign : bits);
}

/// `value`, or `operand` made quiet if it is a NaN. The hardware prefers the
/// NaN of the second operand, then that of the third, and the host that of the
/// first.
inline double preferNaN(double operand, double value) {
  uint64_t bits = DoubleBits::makeNaN(bitCast<uint64_t>(operand));
  return operand == operand ? value : bitCast<double>(bits);
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

struct FloatModifiers {
  std::optional<Rounding> rounding;
  bool ftz = false, sat = false, relu = false;
  Rounding getRounding() const {
    return rounding.value_or(Rounding::NearestEven);
  }
  bool isNearest() const { return getRounding() == Rounding::NearestEven; }
};

std::optional<Rounding> takeRounding(Modifiers &mods);
FloatModifiers takeFloatModifiers(Modifiers &mods);

/// The handlers of Op<ftz>.
template <template <bool> class Op> Handler getForFlush(bool ftz) {
  return ftz ? getLaneOp<Op<true>>() : getLaneOp<Op<false>>();
}
template <template <bool> class Op> Handler getSlowForFlush(bool ftz) {
  return ftz ? getSlowLaneOp<Op<true>>() : getSlowLaneOp<Op<false>>();
}

/// Op<uint32_t>-style application of a unary 16-bit functor to both halves.
template <class Op> struct OnEachHalf {
  uint32_t operator()(uint32_t a) const {
    uint16_t low = Op()(uint16_t(a)), high = Op()(uint16_t(a >> 16));
    return low | uint32_t(high) << 16;
  }
};

//===----------------------------------------------------------------------===//
// Parts in other files
//===----------------------------------------------------------------------===//

enum class FloatOperation : uint8_t { Add, Sub, Mul, Fma, Div, Rcp, Sqrt };

/// With a rounding other than to nearest; f32 or f64. FloatDirected.cpp
Handler getDirectedOp(FloatOperation operation, bool isDouble);
/// The value of Instruction::imm for its handlers.
uint64_t packFloatModifiers(const FloatModifiers &modifiers);

/// f16, bf16 and pairs of them; null if there is no such form. FloatHalf.cpp
Handler getHalfOp(FloatOperation operation, ptx::Type type,
                  const FloatModifiers &modifiers);

llvm::ArrayRef<FamilyEntry> getFloatApproxEntries(); // rcp, ex2 …
llvm::ArrayRef<FamilyEntry> getFloatSignEntries();   // copysign, testp

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_FLOATOPS_H
