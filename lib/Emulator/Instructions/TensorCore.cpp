//===- TensorCore.cpp - Arithmetic of a tensor core -----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of eight results is computed at a time, in versions for AVX-512, AVX2
// and any processor.
//
//===----------------------------------------------------------------------===//

#include "Instructions/TensorCore.h"
#include "Instructions/FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tcgemm::emu;

namespace {

using Float8 = float __attribute__((ext_vector_type(8)));
using Double8 = double __attribute__((ext_vector_type(8)));
using Int8 = int32_t __attribute__((ext_vector_type(8)));
using Long8 = int64_t __attribute__((ext_vector_type(8)));
using Short8 = int16_t __attribute__((ext_vector_type(8)));
using UShort8 = uint16_t __attribute__((ext_vector_type(8)));
using Short16 = int16_t __attribute__((ext_vector_type(16)));
using UInt8 = uint32_t __attribute__((ext_vector_type(8)));
using Half8 = _Float16 __attribute__((ext_vector_type(8)));

/// Extra bits below a float's last one that terms keep.
constexpr int kGuardBits = 2;
constexpr int kGridBits = 23 + kGuardBits;
/// The mantissa bits that a double has more than a float.
constexpr int64_t kCutBits = (int64_t(1) << 29) - 1;
/// The exponent of zeros: also with another one added below that of all sums.
constexpr int kOfZero = -3000;

// The fast way is through floats, and needs the exponents that occur to be well
// within their range. Below the lower limit a scale would be too large, but all
// terms that can round to a subnormal float lie under the grid.
constexpr int kLeastFast = -100;
constexpr int kMostFast = 125;

} // namespace

//===----------------------------------------------------------------------===//
// One result at a time: any operands
//===----------------------------------------------------------------------===//

/// The exponent of an operand as the hardware uses it.
static int getExponent(float value, int least) {
  return std::max(std::ilogb(value), least);
}

/// A sum before its last rounding. `exact` of a NaN or infinity is one, too.
static double sumTerms(const FloatTile &tile, unsigned row, unsigned column,
                       unsigned depth) {
  float c = tile.c[row][column];
  int least = tile.leastExponent;
  int top = std::numeric_limits<int>::min();
  double special = c;
  bool isFinite = std::isfinite(c);
  if (c != 0 && isFinite)
    top = getExponent(c, -126);
  for (unsigned k = 0; k != depth; ++k) {
    float a = tile.a[row][k], b = tile.b[k][column];
    special += double(a) * double(b);
    if (!std::isfinite(a) || !std::isfinite(b))
      isFinite = false;
    else if (a != 0 && b != 0)
      top = std::max(top, getExponent(a, least) + getExponent(b, least));
  }
  if (!isFinite)
    return special;
  if (top == std::numeric_limits<int>::min())
    return 0;
  auto align = [&](double term) {
    return static_cast<int64_t>(std::ldexp(term, kGridBits - top));
  };
  int64_t sum = align(c);
  for (unsigned k = 0; k != depth; ++k)
    sum += align(double(tile.a[row][k]) * double(tile.b[k][column]));
  return std::ldexp(double(sum), top - kGridBits);
}

// A sum that rounds to zero has no sign.

static float roundSum(double sum) {
  if (std::isnan(sum))
    return bitCast<float>(kFloatNaN);
  // Infinite beyond the floats' range, though the largest float and a part of
  // its last bit are cut to the largest.
  if (std::fabs(sum) >= 0x1p128)
    return std::copysign(std::numeric_limits<float>::infinity(), float(sum));
  return narrowDouble<Rounding::TowardZero>(sum) + 0.0f;
}

/// To nearest, at once.
static float roundSumToHalf(double sum) {
  return halfToFloat(uint16_t(
             narrowFloat<Half, Rounding::NearestEven>(roundToOdd(sum)))) +
         0.0f;
}

//===----------------------------------------------------------------------===//
// Eight at a time, for several instruction sets
//===----------------------------------------------------------------------===//

// Attributes of functions instead of options for files: so templates and inline
// functions of headers, which all files share, are compiled for any processor.
namespace anyProcessor {
#include "Instructions/TensorCoreVectors.inc"
} // namespace anyProcessor

#ifdef __x86_64__
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))),        \
                             apply_to = function)
namespace avx2 {
// NOLINTNEXTLINE(readability-duplicate-include): for another processor.
#include "Instructions/TensorCoreVectors.inc"
} // namespace avx2
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))),        \
                             apply_to = function)
namespace avx512 {
// NOLINTNEXTLINE(readability-duplicate-include): for another processor.
#include "Instructions/TensorCoreVectors.inc"
} // namespace avx512
#pragma clang attribute pop
#endif

const TensorCore &tcgemm::emu::getTensorCore() {
  static const TensorCore &chosen = []() -> const TensorCore & {
#ifdef __x86_64__
    if (__builtin_cpu_supports("x86-64-v4"))
      return avx512::kTensorCore;
    if (__builtin_cpu_supports("x86-64-v3"))
      return avx2::kTensorCore;
#endif
    return anyProcessor::kTensorCore;
  }();
  return chosen;
}
