//===- FloatFormats.h - Narrow floating-point formats -----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between float and the formats that the host does not have, with
// all roundings. NaNs become the canonical ones that the hardware makes: all
// ones but for the sign.
//
// To round the result of an operation to a narrow format once, compute it in
// double (exactly, or so that no false tie can arise), narrow that to float
// with roundToOdd and the float to the format. Rounding to odd keeps the
// information for any later rounding to at most 22 bits.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_FLOATFORMATS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_FLOATFORMATS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tcgemm::emu {

enum class Rounding : uint8_t {
  NearestEven, ///< .rn, .rni
  TowardZero,  ///< .rz, .rzi
  Down,        ///< .rm, .rmi
  Up,          ///< .rp, .rpi
  NearestAway, ///< .rna: ties away from zero.
};

/// std::bit_cast, which C++17 lacks.
template <class To, class From> inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

constexpr uint32_t kFloatNaN = 0x7FFFFFFF;
constexpr uint16_t kHalfNaN = 0x7FFF; ///< Also for bf16.

/// The names of the formats, for templates.
struct Half {
  static constexpr unsigned kExponentBits = 5, kMantissaBits = 10;
  static constexpr uint32_t kMax = 0x7BFF, kOverflow = 0x7C00, kNaN = 0x7FFF;
};
struct BFloat {
  static constexpr unsigned kExponentBits = 8, kMantissaBits = 7;
  static constexpr uint32_t kMax = 0x7F7F, kOverflow = 0x7F80, kNaN = 0x7FFF;
};
/// Its 19 bits; a register has them 13 bits further up.
struct TFloat {
  static constexpr unsigned kExponentBits = 8, kMantissaBits = 10;
  static constexpr uint32_t kMax = 0x3FBFF, kOverflow = 0x3FC00, kNaN = 0x3FFFF;
};
struct E5M2 {
  static constexpr unsigned kExponentBits = 5, kMantissaBits = 2;
  static constexpr uint32_t kMax = 0x7B, kOverflow = 0x7C, kNaN = 0x7F;
};
/// Has no infinities. An overflow gives a NaN.
struct E4M3 {
  static constexpr unsigned kExponentBits = 4, kMantissaBits = 3;
  static constexpr uint32_t kMax = 0x7E, kOverflow = 0x7F, kNaN = 0x7F;
};

//===----------------------------------------------------------------------===//
// To float: exact
//===----------------------------------------------------------------------===//

/// Without branches, so that loops over it vectorise.
inline float halfToFloat(uint16_t half) {
  uint32_t magnitude = uint32_t(half & 0x7FFF) << 13;
  // Subnormals come from integers: scaling float's own is slow on hosts.
  float subnormal = float(int(half & 0x3FF)) * 0x1p-24f;
  uint32_t finite =
      half & 0x7C00 ? magnitude + (112u << 23) : bitCast<uint32_t>(subnormal);
  uint32_t special = (half & 0x3FF) ? kFloatNaN : 0x7F800000;
  uint32_t result = magnitude >= (0x7C00u << 13) ? special : finite;
  uint32_t sign = magnitude > (0x7C00u << 13) ? 0 : uint32_t(half & 0x8000);
  return bitCast<float>(result | sign << 16);
}

/// As the tensor cores and shifting by 16 do it: a NaN keeps its payload.
inline float bfloatToFloat(uint16_t value) {
  return bitCast<float>(uint32_t(value) << 16);
}

inline float e5m2ToFloat(uint8_t value) {
  return halfToFloat(uint16_t(value << 8));
}

inline float e4m3ToFloat(uint8_t value) {
  uint32_t magnitude = uint32_t(value & 0x7F) << 20;
  float subnormal = float(int(value & 7)) * 0x1p-9f;
  uint32_t finite =
      value & 0x78 ? magnitude + (120u << 23) : bitCast<uint32_t>(subnormal);
  uint32_t sign = uint32_t(value & 0x80) << 24;
  return bitCast<float>((value & 0x7F) == 0x7F ? kFloatNaN : finite | sign);
}

//===----------------------------------------------------------------------===//
// From float
//===----------------------------------------------------------------------===//

/// Rounds to nearest even.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  // Adding a power of two whose ulp is the half's lets the host round; values
  // too large become infinite first.
  float clipped =
      bitCast<float>(magnitude > 0x47800000 ? 0x47800000 : magnitude);
  uint32_t exponent = bitCast<uint32_t>(clipped) & 0x7F800000;
  uint32_t scale =
      (exponent < 0x38800000 ? 0x38800000 : exponent) + (13u << 23);
  uint32_t rounded = bitCast<uint32_t>(clipped + bitCast<float>(scale));
  // The sum's low bits are the significand, its implicit bit included.
  uint32_t base = ((scale >> 23) - 13 - 113) << 10;
  uint32_t result = base + (rounded - scale);
  return uint16_t(magnitude > 0x7F800000 ? kHalfNaN : result | sign);
}

/// Rounds to nearest even.
inline uint16_t floatToBFloat(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
  return uint16_t((bits & 0x7FFFFFFF) > 0x7F800000 ? kHalfNaN : rounded >> 16);
}

/// `value` in `Format` with any rounding. Overflow goes where the rounding
/// sends it, or, with `isFinite` (.satfinite), to the largest number.
template <class Format, Rounding rounding>
inline uint32_t narrowFloat(float value, bool isFinite = false) {
  constexpr int kBits = Format::kMantissaBits;
  constexpr int kLeastExponent = 2 - (1 << (Format::kExponentBits - 1));
  uint32_t bits = bitCast<uint32_t>(value);
  bool isNegative = bits >> 31;
  uint32_t sign = uint32_t(isNegative) << (Format::kExponentBits + kBits);
  uint32_t magnitude = bits & 0x7FFFFFFF;
  int field = int(magnitude >> 23);
  int exponent = (field ? field : 1) - 127;
  uint32_t significand = (magnitude & 0x7FFFFF) | (field ? 0x800000u : 0u);
  int above = exponent - kLeastExponent;
  int shift = 23 - kBits + (above < 0 ? -above : 0);
  // More than this leaves nothing, and less than half.
  shift = shift > 26 ? 26 : shift;
  uint32_t kept = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1);
  uint32_t half = 1u << (shift - 1);
  bool isUp = false;
  bool isInfiniteOnOverflow = true;
  if constexpr (rounding == Rounding::NearestEven)
    isUp = rest + (kept & 1) > half;
  else if constexpr (rounding == Rounding::NearestAway)
    isUp = rest >= half;
  else if constexpr (rounding == Rounding::TowardZero)
    isInfiniteOnOverflow = false;
  else {
    isInfiniteOnOverflow = isNegative == (rounding == Rounding::Down);
    isUp = rest != 0 && isInfiniteOnOverflow;
  }
  uint32_t result = (uint32_t(above < 0 ? 0 : above) << kBits) + kept + isUp;
  // An infinity stays one whatever the rounding.
  isInfiniteOnOverflow |= magnitude == 0x7F800000;
  uint32_t overflow =
      isInfiniteOnOverflow && !isFinite ? Format::kOverflow : Format::kMax;
  result = result > Format::kMax ? overflow : result;
  // The NaN of overflow (E4M3) keeps the sign, others have none.
  return magnitude > 0x7F800000 ? Format::kNaN : result | sign;
}

/// The float next to `value` towards zero or away from it, for the exact
/// double.
template <Rounding rounding> inline float narrowDouble(double value) {
  float nearest = float(value);
  if constexpr (rounding == Rounding::NearestEven)
    return nearest;
  uint32_t bits = bitCast<uint32_t>(nearest);
  double back = nearest;
  uint32_t sign = uint32_t(bitCast<uint64_t>(value) >> 63);
  double magnitude = sign ? -value : value;
  double backMagnitude = sign ? -back : back;
  bool isAway = rounding == (sign ? Rounding::Down : Rounding::Up);
  uint32_t step = isAway ? uint32_t(backMagnitude < magnitude)
                         : uint32_t(0) - uint32_t(backMagnitude > magnitude);
  return bitCast<float>(bits + step);
}

/// `value` if a float can hold it, else the one of its neighbours whose last
/// bit is set.
inline float roundToOdd(double value) {
  float nearest = float(value);
  uint32_t bits = bitCast<uint32_t>(nearest);
  double back = nearest;
  bool isLess = value < 0 ? back > value : back < value;
  bool isMore = value < 0 ? back < value : back > value;
  uint32_t isEven = ~bits & 1;
  uint32_t step = uint32_t(isLess) - uint32_t(isMore);
  return bitCast<float>(bits + step * isEven);
}

//===----------------------------------------------------------------------===//
// Many at once
//===----------------------------------------------------------------------===//

void halvesToFloats(const uint16_t *from, float *to, size_t count);
void bfloatsToFloats(const uint16_t *from, float *to, size_t count);
void floatsToHalves(const float *from, uint16_t *to, size_t count);
void floatsToBFloats(const float *from, uint16_t *to, size_t count);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_FLOATFORMATS_H
