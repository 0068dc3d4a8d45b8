//===- NumericsTest.cpp - Errors of products by their depth ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Numerics.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tcgemm;

namespace {

constexpr ScalarType kFloatTypes[] = {ScalarType::F32,  ScalarType::F16,
                                      ScalarType::BF16, ScalarType::E4M3,
                                      ScalarType::E5M2, ScalarType::F64};

TEST(NumericsTest, NamesOfData) {
  for (NumericsData data :
       {NumericsData::Normal, NumericsData::Wide, NumericsData::Cancelling})
    EXPECT_EQ(llvm::cantFail(parseNumericsData(getName(data))), data);
  EXPECT_EQ(llvm::toString(parseNumericsData("odd").takeError()),
            "data: 'odd' is none of normal, wide, cancelling");
}

TEST(NumericsTest, OperandsAreNumbersOfTheirTypes) {
  for (ScalarType type : kFloatTypes)
    for (NumericsData data :
         {NumericsData::Normal, NumericsData::Wide, NumericsData::Cancelling}) {
      NumericsProblem drawn =
          NumericsProblem::draw(data, type, type, 3, 5, 17, 7);
      ASSERT_EQ(drawn.a.size(), 3u * 17);
      ASSERT_EQ(drawn.b.size(), 5u * 17);
      for (const std::vector<double> *values : {&drawn.a, &drawn.b})
        for (double value : *values) {
          EXPECT_TRUE(std::isfinite(value));
          EXPECT_EQ(value, roundToType(type, value));
        }
      // The same seed gives the same numbers, and A differs from B.
      NumericsProblem again =
          NumericsProblem::draw(data, type, type, 3, 5, 17, 7);
      EXPECT_EQ(drawn.a, again.a);
      EXPECT_EQ(drawn.b, again.b);
      EXPECT_NE(drawn.a[0], drawn.b[0]);
    }
}

TEST(NumericsTest, WideOperandsHaveTheirRange) {
  NumericsProblem drawn = NumericsProblem::draw(
      NumericsData::Wide, ScalarType::F32, ScalarType::F32, 16, 16, 256, 1);
  double smallest = HUGE_VAL, largest = 0;
  for (double value : drawn.a) {
    smallest = std::min(smallest, std::fabs(value));
    largest = std::max(largest, std::fabs(value));
  }
  EXPECT_LT(smallest, 0x1p-18);
  EXPECT_GT(largest, 0x1p18);
}

TEST(NumericsTest, CancellingTermsLeaveLittle) {
  NumericsProblem drawn = NumericsProblem::draw(
      NumericsData::Cancelling, ScalarType::F32, ScalarType::F32, 1, 1, 256, 1);
  double sum = 0, size = 0;
  for (int64_t i = 0; i != 256; ++i) {
    sum += drawn.a[i] * drawn.b[i];
    size += std::fabs(drawn.a[i] * drawn.b[i]);
  }
  EXPECT_LT(std::fabs(sum), 0x1p-12 * size);
  EXPECT_NE(sum, 0);
}

TEST(NumericsTest, ErrorsOfKnownResults) {
  // The products are 1·3 + 2·(-4) = -5 and 1·5 + 2·6 = 17.
  NumericsProblem problem{1, 2, 2, {1, 2}, {3, -4, 5, 6}};
  NumericsReference reference(problem);
  NumericsError none = reference.measure({-5.0, 17.0});
  EXPECT_EQ(none.largest, 0);
  EXPECT_EQ(none.mean, 0);
  // The magnitudes are 11 and 17.
  NumericsError some = reference.measure({-5 + 1.1, 17.0});
  EXPECT_NEAR(some.largest, 0.1, 1e-12);
  EXPECT_NEAR(some.mean, 0.05, 1e-12);
  for (double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    NumericsError error = reference.measure({-5.0, bad});
    EXPECT_TRUE(std::isinf(error.largest));
    EXPECT_TRUE(std::isinf(error.mean));
  }
}

TEST(NumericsTest, TheLoopRoundsEachSum) {
  // In f32, 2^24 + 1 is 2^24 again.
  NumericsProblem problem{1, 1, 3, {0x1p24, 1, 1}, {1, 1, 1}};
  NumericsReference reference(problem);
  double expected = 2 / (0x1p24 + 2);
  EXPECT_NEAR(reference.measureLoop(ScalarType::F32).largest, expected, 1e-15);
  EXPECT_EQ(reference.measureLoop(ScalarType::F64).largest, 0);
}

} // namespace
