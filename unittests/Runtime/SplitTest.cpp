//===- SplitTest.cpp - Errors of split products ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds that checks of results use hold for products of parts.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/HostTensor.h"
#include "tcgemm/Target/Precision.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tcgemm;

namespace {

/// The first three parts of `value`.
std::vector<double> splitIntoParts(ScalarType type, double value) {
  std::vector<double> parts;
  for (int i = 0; i < 3; ++i) {
    parts.push_back(roundToType(getPartType(type), value));
    value -= parts.back();
  }
  return parts;
}

double multiplyParts(ScalarType type, float a, float b) {
  std::vector<double> partsOfA = splitIntoParts(type, a),
                      partsOfB = splitIntoParts(type, b);
  double sum = 0;
  for (PartProduct product : getSplit(type)->products)
    sum += partsOfA[product.a] * partsOfB[product.b];
  return sum;
}

class SplitTest : public testing::TestWithParam<ScalarType> {};

TEST_P(SplitTest, ErrorsAreWithinTheBound) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> draw(1, 2);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    float a = draw(generator), b = draw(generator);
    double exact = double(a) * b;
    worst = std::max(worst, std::fabs(multiplyParts(GetParam(), a, b) - exact) /
                                exact);
  }
  EXPECT_LE(worst, getSplit(GetParam())->error);
  // A bound that is far too large would hide errors.
  EXPECT_GT(worst, getSplit(GetParam())->error / 16);
}

TEST_P(SplitTest, SmallProductsOfIntegersAreExact) {
  std::mt19937 generator(2);
  double largest = getSplit(GetParam())->largestExact;
  std::uniform_real_distribution<double> draw(0, std::log2(largest));
  for (int i = 0; i < 200000; ++i) {
    float a = std::floor(std::exp2(draw(generator)));
    float b = std::floor(largest / a);
    EXPECT_EQ(multiplyParts(GetParam(), a, b), double(a) * b)
        << a << " * " << b;
  }
}

std::string getName(const testing::TestParamInfo<ScalarType> &info) {
  return getTypeName(info.param).str();
}

INSTANTIATE_TEST_SUITE_P(Types, SplitTest,
                         testing::Values(ScalarType::TF32X3, ScalarType::BF16X3,
                                         ScalarType::BF16X6),
                         getName);

} // namespace
