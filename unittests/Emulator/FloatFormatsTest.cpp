//===- FloatFormatsTest.cpp - Tests of the narrow formats -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares with APFloat, which uses another algorithm.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace tcgemm::emu;
using llvm::APFloat;
using llvm::APInt;

namespace {

const llvm::fltSemantics &getSemantics(Half) { return APFloat::IEEEhalf(); }
const llvm::fltSemantics &getSemantics(BFloat) { return APFloat::BFloat(); }
const llvm::fltSemantics &getSemantics(TFloat) { return APFloat::FloatTF32(); }
const llvm::fltSemantics &getSemantics(E5M2) { return APFloat::Float8E5M2(); }
const llvm::fltSemantics &getSemantics(E4M3) { return APFloat::Float8E4M3FN(); }

APFloat::roundingMode getMode(Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return APFloat::rmNearestTiesToEven;
  case Rounding::TowardZero:
    return APFloat::rmTowardZero;
  case Rounding::Down:
    return APFloat::rmTowardNegative;
  case Rounding::Up:
    return APFloat::rmTowardPositive;
  case Rounding::NearestAway:
    return APFloat::rmNearestTiesToAway;
  }
  return APFloat::rmNearestTiesToEven;
}

uint64_t convert(APFloat value, const llvm::fltSemantics &to,
                 Rounding rounding) {
  bool losesInfo;
  value.convert(to, getMode(rounding), &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// Floats with as many as possible near where results change: every format's
/// numbers and the middles between them, and their neighbours.
std::vector<float> makeFloats() {
  std::vector<float> floats;
  std::mt19937 random(1);
  for (uint32_t upper = 0; upper != 0x10000; ++upper) {
    uint32_t bits = upper << 16;
    for (uint32_t lower : {0u, 1u, 0x0FFFu, 0x1000u, 0x1001u, 0x2FFFu, 0x3000u,
                           0x3001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
      floats.push_back(bitCast<float>(bits | lower));
    floats.push_back(bitCast<float>(bits | uint32_t(random() & 0xFFFF)));
  }
  return floats;
}

template <class Format> bool isSpecial(float value) {
  // APFloat has another rule for overflow in formats without infinities.
  return value != value ||
         (std::is_same_v<Format, E4M3> && (value > 464 || value < -464));
}

template <class Format, Rounding rounding>
void testNarrowing(const std::vector<float> &floats) {
  unsigned bad = 0;
  for (float value : floats) {
    uint32_t expected = Format::kNaN;
    if (!isSpecial<Format>(value))
      expected = convert(APFloat(value), getSemantics(Format()), rounding);
    else if (value == value)
      continue;
    uint32_t got = narrowFloat<Format, rounding>(value);
    // 464 is halfway between the largest E4M3 and the next value of the format.
    if (std::is_same_v<Format, E4M3> && got != expected &&
        std::abs(value) > 448)
      continue;
    if (got != expected && ++bad < 5)
      ADD_FAILURE() << llvm::utohexstr(bitCast<uint32_t>(value)) << ": got "
                    << llvm::utohexstr(got) << ", expected "
                    << llvm::utohexstr(expected);
  }
  EXPECT_EQ(bad, 0u);
}

template <class Format> void testAllRoundings() {
  std::vector<float> floats = makeFloats();
  testNarrowing<Format, Rounding::NearestEven>(floats);
  testNarrowing<Format, Rounding::TowardZero>(floats);
  testNarrowing<Format, Rounding::Down>(floats);
  testNarrowing<Format, Rounding::Up>(floats);
  testNarrowing<Format, Rounding::NearestAway>(floats);
}

TEST(FloatFormats, NarrowsToHalf) { testAllRoundings<Half>(); }
TEST(FloatFormats, NarrowsToBFloat) { testAllRoundings<BFloat>(); }
TEST(FloatFormats, NarrowsToTFloat) { testAllRoundings<TFloat>(); }
TEST(FloatFormats, NarrowsToE5M2) { testAllRoundings<E5M2>(); }
TEST(FloatFormats, NarrowsToE4M3) { testAllRoundings<E4M3>(); }

TEST(FloatFormats, FastPathsAreTheSame) {
  for (float value : makeFloats()) {
    ASSERT_EQ(floatToHalf(value),
              (narrowFloat<Half, Rounding::NearestEven>(value)));
    ASSERT_EQ(floatToBFloat(value),
              (narrowFloat<BFloat, Rounding::NearestEven>(value)));
  }
}

template <class Format, class Widen>
void testWidening(unsigned count, Widen widen) {
  for (unsigned bits = 0; bits != count; ++bits) {
    const llvm::fltSemantics &semantics = getSemantics(Format());
    APFloat value(semantics, APInt(APFloat::getSizeInBits(semantics), bits));
    float got = widen(bits);
    if (value.isNaN())
      EXPECT_TRUE(got != got) << bits;
    else
      EXPECT_EQ(bitCast<uint32_t>(got),
                convert(value, APFloat::IEEEsingle(), Rounding::NearestEven))
          << bits;
  }
}

TEST(FloatFormats, Widens) {
  testWidening<Half>(0x10000, halfToFloat);
  testWidening<BFloat>(0x10000, bfloatToFloat);
  testWidening<E5M2>(0x100, e5m2ToFloat);
  testWidening<E4M3>(0x100, e4m3ToFloat);
}

TEST(FloatFormats, SatfiniteStaysFinite) {
  float infinity = bitCast<float>(0x7F800000);
  EXPECT_EQ((narrowFloat<E4M3, Rounding::NearestEven>(1e9f, true)), 0x7Eu);
  EXPECT_EQ((narrowFloat<E4M3, Rounding::NearestEven>(-infinity, true)), 0xFEu);
  EXPECT_EQ((narrowFloat<E5M2, Rounding::NearestEven>(1e9f, true)), 0x7Bu);
  EXPECT_EQ((narrowFloat<Half, Rounding::NearestEven>(infinity, true)),
            0x7BFFu);
  EXPECT_EQ((narrowFloat<E4M3, Rounding::NearestEven>(1e9f)), 0x7Fu);
}

/// Doubles, some of which are close to a float or to the middle between two.
std::vector<double> makeDoubles() {
  std::vector<double> doubles{0.0, -0.0, 1e300, -1e300, 1e-300, -1e-320};
  std::mt19937_64 random(2);
  for (unsigned i = 0; i != 200000; ++i) {
    uint64_t exponent = 1023 - 160 + random() % 320;
    uint64_t bits = exponent << 52 | (random() & 1) << 63;
    uint64_t mantissa = random() >> 12;
    unsigned kind = random() % 3;
    if (kind)
      mantissa &= ~uint64_t(0x0FFFFFFF);
    bits |= mantissa;
    bits += kind == 1 ? random() % 3 - 1 : 0;
    doubles.push_back(bitCast<double>(bits));
  }
  return doubles;
}

template <Rounding rounding> void testDoubles() {
  for (double value : makeDoubles())
    ASSERT_EQ(bitCast<uint32_t>(narrowDouble<rounding>(value)),
              convert(APFloat(value), APFloat::IEEEsingle(), rounding))
        << value;
}

TEST(FloatFormats, NarrowsDoubles) {
  testDoubles<Rounding::NearestEven>();
  testDoubles<Rounding::TowardZero>();
  testDoubles<Rounding::Down>();
  testDoubles<Rounding::Up>();
}

/// Rounding to odd first does not change the result.
TEST(FloatFormats, RoundsOnceByWayOfOdd) {
  for (double value : makeDoubles()) {
    ASSERT_EQ(
        (narrowFloat<Half, Rounding::NearestEven>(roundToOdd(value))),
        convert(APFloat(value), APFloat::IEEEhalf(), Rounding::NearestEven))
        << value;
    ASSERT_EQ((narrowFloat<BFloat, Rounding::Up>(roundToOdd(value))),
              convert(APFloat(value), APFloat::BFloat(), Rounding::Up))
        << value;
  }
}

} // namespace
