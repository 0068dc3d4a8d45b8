//===- Conversions.h - Conversions of one value -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion is a function from the bits of a value to those of another one,
// both in 64 bits; integers are extended as their type says.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_CONVERSIONS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_CONVERSIONS_H

#include "Instructions/FloatOps.h"

#include <cmath>
#include <limits>

namespace tcgemm::emu {

struct ConvertFlags {
  bool ftz = false, sat = false, relu = false, satfinite = false;
};

/// The conversion of a type, by the rounding; null if there is none.
using Conversion = uint64_t (*)(uint64_t bits, const ConvertFlags &flags);
/// `isIntegral` is for .rni and the like.
Conversion getConversion(ptx::Type to, ptx::Type from, Rounding rounding,
                         bool isIntegral);

/// Sources of two packed values: ConvertPacked.cpp.
void decodePackedConversion(Decoder &d, Modifiers &mods, Rounding rounding,
                            const ConvertFlags &flags, ptx::Type to,
                            ptx::Type from);
void decodeIntegerPack(Decoder &d, Modifiers &mods);

//===----------------------------------------------------------------------===//
// Floating-point formats with values that can be computed with
//===----------------------------------------------------------------------===//

struct HalfValue : HalfBits {
  using Value = float;
  static constexpr unsigned kMantissa = 10;
  static float widen(uint16_t bits) { return halfToFloat(bits); }
  template <Rounding rounding>
  static uint16_t narrow(float value, bool isFinite) {
    return uint16_t(narrowFloat<Half, rounding>(value, isFinite));
  }
};
struct BFloatValue : BFloatBits {
  using Value = float;
  static constexpr unsigned kMantissa = 7;
  static float widen(uint16_t bits) { return bfloatToFloat(bits); }
  template <Rounding rounding>
  static uint16_t narrow(float value, bool isFinite) {
    return uint16_t(narrowFloat<BFloat, rounding>(value, isFinite));
  }
};
struct SingleValue : SingleBits {
  using Value = float;
  static constexpr unsigned kMantissa = 23;
  static float widen(uint32_t bits) { return bitCast<float>(bits); }
  template <Rounding rounding>
  static uint32_t narrow(float value, bool isFinite) {
    return bitCast<uint32_t>(canonicalFloat(value));
  }
};
struct DoubleValue : DoubleBits {
  using Value = double;
  static constexpr unsigned kMantissa = 52;
  static double widen(uint64_t bits) { return bitCast<double>(bits); }
};

/// `value` in F, rounded once.
template <class F, Rounding rounding>
inline typename F::Bits narrowTo(double value, bool isFinite) {
  if constexpr (std::is_same_v<F, DoubleValue>)
    return bitCast<uint64_t>(value);
  else if constexpr (std::is_same_v<F, SingleValue>)
    return F::template narrow<rounding>(narrowDouble<rounding>(value),
                                        isFinite);
  else
    return F::template narrow<rounding>(roundToOdd(value), isFinite);
}
template <class F, Rounding rounding>
inline typename F::Bits narrowTo(float value, bool isFinite) {
  if constexpr (std::is_same_v<F, DoubleValue>)
    return bitCast<uint64_t>(double(value));
  else
    return F::template narrow<rounding>(value, isFinite);
}

/// f32's flag flushes f32 values only.
template <class F>
inline typename F::Bits flushIfSingle(typename F::Bits bits, bool ftz) {
  if constexpr (std::is_same_v<F, SingleValue>)
    return ftz ? F::flush(bits) : bits;
  return bits;
}

template <class F>
inline typename F::Bits finishConversion(typename F::Bits bits,
                                         const ConvertFlags &flags) {
  bits = flushIfSingle<F>(bits, flags.ftz);
  bits = flags.sat ? saturateBits<F>(bits) : bits;
  return flags.relu ? clampBits<F>(bits) : bits;
}

template <Rounding rounding, class T> inline T roundToIntegral(T value) {
  if constexpr (rounding == Rounding::NearestEven)
    return __builtin_elementwise_roundeven(value);
  else if constexpr (rounding == Rounding::TowardZero)
    return __builtin_elementwise_trunc(value);
  else if constexpr (rounding == Rounding::Down)
    return __builtin_elementwise_floor(value);
  else
    return __builtin_elementwise_ceil(value);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// A NaN keeps its sign and the upper bits of its payload, and becomes quiet.
template <class To, class From>
inline typename To::Bits convertNaN(typename From::Bits bits) {
  uint64_t payload = uint64_t(bits) << (64 - From::kMantissa);
  uint64_t kept = payload >> (64 - To::kMantissa) | To::kLeastNormal >> 1;
  return typename To::Bits((bits & From::kSign ? To::kSign : 0) |
                           To::kInfinity | kept);
}

/// Only f64 keeps a NaN's payload, and bf16 on its way to f32.
template <class To, class From>
constexpr bool kKeepsNaN =
    std::is_same_v<To, DoubleValue> || std::is_same_v<From, DoubleValue>;

template <class To, class From, Rounding rounding>
inline typename To::Bits convertFloat(typename From::Bits bits,
                                      const ConvertFlags &flags) {
  if constexpr (std::is_same_v<To, SingleValue> &&
                std::is_same_v<From, BFloatValue>)
    return finishConversion<To>(uint32_t(bits) << 16, flags);
  if constexpr (kKeepsNaN<To, From>)
    if (From::isNaN(bits) && !flags.sat && !flags.relu) {
      bool isSingle = std::is_same_v<From, SingleValue> && flags.ftz;
      return convertNaN<To, From>(isSingle ? From::makeNaN(bits) : bits);
    }
  auto value = From::widen(flushIfSingle<From>(bits, flags.ftz));
  return finishConversion<To>(narrowTo<To, rounding>(value, flags.satfinite),
                              flags);
}

/// To an integral number of the same format.
template <class F, Rounding rounding>
inline typename F::Bits convertIntegral(typename F::Bits bits,
                                        const ConvertFlags &flags) {
  auto value = F::widen(flushIfSingle<F>(bits, flags.ftz));
  return finishConversion<F>(narrowTo<F, Rounding::NearestEven>(
                                 roundToIntegral<rounding>(value), false),
                             flags);
}

/// Saturates always. A NaN gives 0 or, where 64 bits are concerned, the least
/// number's bits.
template <class T, class From, Rounding rounding>
inline T convertToInteger(typename From::Bits bits, const ConvertFlags &flags) {
  using Value = typename From::Value;
  using Limits = std::numeric_limits<T>;
  constexpr Value kLeast = Value(Limits::min());
  constexpr Value kBeyond =
      Value(uint64_t(1) << (Limits::digits - 1)) * Value(2);
  Value value = roundToIntegral<rounding>(
      From::widen(flushIfSingle<From>(bits, flags.ftz)));
  bool isInside = value >= kLeast && value < kBeyond;
  T result = T(isInside ? value : Value(0));
  result = value >= kBeyond ? Limits::max() : result;
  result = value < kLeast ? Limits::min() : result;
  constexpr bool kIsWide = sizeof(T) == 8 || std::is_same_v<From, DoubleValue>;
  constexpr T kOfNaN = kIsWide ? T(uint64_t(1) << (8 * sizeof(T) - 1)) : T(0);
  return value == value ? result : kOfNaN;
}

/// A double with the value of the integer. For more than 53 bits, a double that
/// rounds to fewer bits as the integer does.
inline double makeOddDouble(uint64_t magnitude) {
  uint64_t lost = magnitude & 0x7FF;
  bool isLong = magnitude >> 53;
  uint64_t odd = (magnitude & ~uint64_t(0x7FF)) | (lost ? 0x800 : 0);
  return double(isLong ? odd : magnitude);
}

template <Rounding rounding>
inline uint64_t integerToDouble(uint64_t magnitude, bool isNegative) {
  double nearest = double(magnitude);
  bool isAway = rounding == (isNegative ? Rounding::Down : Rounding::Up);
  uint64_t bits = bitCast<uint64_t>(nearest);
  if constexpr (rounding != Rounding::NearestEven) {
    unsigned __int128 back = static_cast<unsigned __int128>(nearest);
    if (isAway ? back < magnitude : back > magnitude)
      bits += isAway ? 1 : -1;
  }
  return bits | uint64_t(isNegative) << 63;
}

template <class To, class T, Rounding rounding>
inline typename To::Bits convertFromInteger(T integer,
                                            const ConvertFlags &flags) {
  typename To::Bits bits;
  if constexpr (sizeof(T) < 8) {
    bits = narrowTo<To, rounding>(double(integer), flags.satfinite);
  } else {
    bool isNegative = integer < 0;
    uint64_t magnitude = isNegative ? -uint64_t(integer) : uint64_t(integer);
    if constexpr (std::is_same_v<To, DoubleValue>) {
      bits = integerToDouble<rounding>(magnitude, isNegative);
    } else {
      double value = makeOddDouble(magnitude);
      bits =
          narrowTo<To, rounding>(isNegative ? -value : value, flags.satfinite);
    }
  }
  return finishConversion<To>(bits, flags);
}

/// With .sat, a value out of range becomes the nearest one in range.
template <class T, class From>
inline T convertInteger(From value, const ConvertFlags &flags) {
  if (!flags.sat)
    return T(value);
  using Limits = std::numeric_limits<T>;
  __int128 wide = value;
  wide = wide > Limits::max() ? __int128(Limits::max()) : wide;
  return T(wide < Limits::min() ? __int128(Limits::min()) : wide);
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_CONVERSIONS_H
