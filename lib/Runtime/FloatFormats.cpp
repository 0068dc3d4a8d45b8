//===- FloatFormats.cpp - Rounding to the types of elements ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/HostTensor.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tcgemm;

namespace {
/// A binary float format with less range or precision than double.
struct FloatFormat {
  int precision;   ///< Bits of the significand, including the hidden one.
  int minExponent; ///< Exponent of the smallest normal number.
  int maxExponent; ///< Exponent of the largest finite number.
  double smallest; ///< The smallest normal number.
  double limit;    ///< Numbers from here on may overflow.
  double largest;  ///< The largest finite number.
  /// The result of an overflow.
  double overflow = std::numeric_limits<double>::infinity();
};

constexpr FloatFormat kHalf = {11, -14, 15, 0x1p-14, 0x1p15, 0x1.FFCp15};
constexpr FloatFormat kBFloat = {8, -126, 127, 0x1p-126, 0x1p127, 0x1.FEp127};
constexpr FloatFormat kTFloat = {11, -126, 127, 0x1p-126, 0x1p127, 0x1.FFCp127};
constexpr FloatFormat kFloat = {24,       -126,    127,
                                0x1p-126, 0x1p127, 0x1.FFFFFEp127};
constexpr FloatFormat kE5M2 = {3, -14, 15, 0x1p-14, 0x1p15, 0x1.Cp15};
constexpr FloatFormat kE4M3 = {
    4, -6, 8, 0x1p-6, 0x1p8, 0x1.Cp8, std::numeric_limits<double>::quiet_NaN()};
constexpr FloatFormat kDouble = {
    53, -1022, 1023, 0x1p-1022, 0x1p1023, std::numeric_limits<double>::max()};
} // namespace

static const FloatFormat &getFormat(ScalarType type) {
  switch (type) {
  case ScalarType::F16:
  case ScalarType::F16Acc16:
    return kHalf;
  case ScalarType::BF16:
    return kBFloat;
  case ScalarType::F32:
  case ScalarType::TF32X3:
  case ScalarType::BF16X3:
  case ScalarType::BF16X6:
    return kFloat;
  case ScalarType::TF32:
    return kTFloat;
  case ScalarType::E5M2:
    return kE5M2;
  case ScalarType::E4M3:
    return kE4M3;
  default:
    return kDouble;
  }
}

double tcgemm::roundToType(ScalarType type, double value) {
  if (type == ScalarType::F32)
    return static_cast<float>(value);
  const FloatFormat &format = getFormat(type);
  // Doubles, and integers that a double represents exactly.
  if (format.precision == 53 || value == 0 || std::isnan(value))
    return value;
  if (std::isinf(value))
    return std::copysign(format.overflow, value);
  // Normal numbers of the type: round the significand inside double's bits.
  double magnitude = std::fabs(value);
  if (magnitude >= format.smallest && magnitude < format.limit) {
    int dropped = 53 - format.precision;
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    bits += (uint64_t(1) << (dropped - 1)) - 1 + (bits >> dropped & 1);
    bits &= ~((uint64_t(1) << dropped) - 1);
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
  }
  int exponent = std::max(std::ilogb(value), format.minExponent);
  // In units of the last place, nearbyint rounds with ties to even.
  int shift = format.precision - 1 - exponent;
  double rounded =
      std::scalbn(std::nearbyint(std::scalbn(value, shift)), -shift);
  if (std::fabs(rounded) > format.largest)
    return std::copysign(format.overflow, value);
  return rounded;
}

double tcgemm::getLargest(ScalarType type) { return getFormat(type).largest; }

double tcgemm::getSmallestNormal(ScalarType type) {
  return getFormat(type).smallest;
}

double tcgemm::getUlp(ScalarType type, double value) {
  const FloatFormat &format = getFormat(type);
  int exponent = value == 0 ? format.minExponent
                            : std::clamp(std::ilogb(value), format.minExponent,
                                         format.maxExponent);
  return std::ldexp(1.0, exponent - format.precision + 1);
}
