//===- ReductionTest.cpp --------------------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Reduction.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

namespace tcgemm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double getNumber(const ScalarConstant &constant) {
  if (const auto *integer = std::get_if<int64_t>(&constant))
    return static_cast<double>(*integer);
  return std::get<double>(constant);
}

TEST(Reduction, NamesRoundTrip) {
  for (unsigned i = 0; i != kNumCombiners; ++i)
    EXPECT_EQ(parseCombiner(getCombinerName(Combiner(i))), Combiner(i));
  EXPECT_FALSE(parseCombiner("mulf"));
  EXPECT_FALSE(parseCombiner("arith.addf"));
  EXPECT_EQ(getCombinerNames(),
            "maximumf, minimumf, maxnumf, minnumf, addf, "
            "maxsi, minsi, maxui, minui, addi, argmaximumf, "
            "argmaxnumf, argmaxsi, sumexpf, meanf, "
            "variancef");
}

TEST(Reduction, NeutralValuesChangeNothing) {
  for (unsigned i = 0; i != kNumCombiners; ++i)
    for (ScalarType type :
         {ScalarType::F32, ScalarType::F64, ScalarType::I32}) {
      auto combiner = Combiner(i);
      if (!canCombine(combiner, type) ||
          getStateKind(combiner) != StateKind::Value)
        continue;
      double neutral = getNumber(getNeutral(combiner, type));
      for (double value : {0.0, 1.0, -7.0, 2147483647.0, -2147483648.0}) {
        double expected = type == ScalarType::F32 ? float(value) : value;
        EXPECT_EQ(combine(combiner, type, value, neutral), expected)
            << getCombinerName(combiner).str();
        EXPECT_EQ(combine(combiner, type, neutral, value), expected)
            << getCombinerName(combiner).str();
      }
    }
}

TEST(Reduction, NaN) {
  auto combineFloats = [](Combiner combiner, double x, double y) {
    return combine(combiner, ScalarType::F32, x, y);
  };
  EXPECT_TRUE(std::isnan(combineFloats(Combiner::MaximumF, kNaN, 1)));
  EXPECT_TRUE(std::isnan(combineFloats(Combiner::MinimumF, 1, kNaN)));
  EXPECT_EQ(combineFloats(Combiner::MaxNumF, kNaN, 1), 1);
  EXPECT_EQ(combineFloats(Combiner::MinNumF, 1, kNaN), 1);
  EXPECT_EQ(combineFloats(Combiner::MaximumF, -kInfinity, -3), -3);
  EXPECT_TRUE(std::isnan(combineFloats(Combiner::AddF, kInfinity, -kInfinity)));
}

TEST(Reduction, Integers) {
  auto combineIntegers = [](Combiner combiner, double x, double y) {
    return combine(combiner, ScalarType::I32, x, y);
  };
  EXPECT_EQ(combineIntegers(Combiner::MaxSI, -1, 1), 1);
  EXPECT_EQ(combineIntegers(Combiner::MaxUI, -1, 1), -1);
  EXPECT_EQ(combineIntegers(Combiner::MinUI, -1, 1), 1);
  EXPECT_EQ(combineIntegers(Combiner::AddI, 2147483647, 1), -2147483648.0);
}

TEST(Reduction, Types) {
  EXPECT_TRUE(canCombine(Combiner::AddF, ScalarType::F64));
  EXPECT_FALSE(canCombine(Combiner::AddF, ScalarType::BF16));
  EXPECT_FALSE(canCombine(Combiner::AddF, ScalarType::I32));
  EXPECT_FALSE(canCombine(Combiner::AddI, ScalarType::F32));
  EXPECT_FALSE(canCombine(Combiner::AddI, ScalarType::I8));
  EXPECT_TRUE(isOrdered(Combiner::AddF));
  EXPECT_FALSE(isOrdered(Combiner::MaximumF));
  EXPECT_FALSE(isOrdered(Combiner::AddI));
}

TEST(Reduction, TypesOfStates) {
  EXPECT_TRUE(canCombine(Combiner::ArgMaximumF, ScalarType::F32));
  EXPECT_TRUE(canCombine(Combiner::ArgMaximumF, ScalarType::F64));
  EXPECT_FALSE(canCombine(Combiner::ArgMaximumF, ScalarType::F16));
  EXPECT_TRUE(canCombine(Combiner::ArgMaxSI, ScalarType::I32));
  EXPECT_FALSE(canCombine(Combiner::SumExpF, ScalarType::F64));
  EXPECT_TRUE(canCombine(Combiner::VarianceF, ScalarType::F64));
  using T = ScalarType;
  EXPECT_TRUE(canReduce(Combiner::ArgMaxNumF, T::F32, T::I64));
  EXPECT_TRUE(canReduce(Combiner::ArgMaxNumF, T::F64, T::I32));
  EXPECT_FALSE(canReduce(Combiner::ArgMaxNumF, T::F64, T::F64));
  EXPECT_FALSE(canReduce(Combiner::ArgMaxNumF, T::I32, T::I64));
  EXPECT_TRUE(canReduce(Combiner::ArgMaxSI, T::I32, T::I64));
  EXPECT_TRUE(canReduce(Combiner::MeanF, T::F64, T::F64));
  EXPECT_FALSE(canReduce(Combiner::MeanF, T::F32, T::F64));
}

TEST(Reduction, Violations) {
  auto find = [](Combiner combiner, ScalarConstant initial, ScalarType type) {
    return findViolation({combiner, initial}, type);
  };
  EXPECT_EQ(find(Combiner::AddF, 3.0, ScalarType::F64), "");
  EXPECT_EQ(find(Combiner::ArgMaxNumF, int64_t(-1), ScalarType::I64), "");
  EXPECT_EQ(find(Combiner::SumExpF, 2.0, ScalarType::F32), "");
  EXPECT_EQ(find(Combiner::MeanF, 0.0, ScalarType::F64), "");
  EXPECT_EQ(find(Combiner::AddI, int64_t(0), ScalarType::I8),
            "'addi' does not combine values of type 'i8'");
  EXPECT_EQ(find(Combiner::ArgMaxNumF, 0.0, ScalarType::F32),
            "'argmaxnumf' has a result of type i32 or i64, but not 'f32'");
  EXPECT_EQ(find(Combiner::SumExpF, 0.0, ScalarType::F64),
            "'sumexpf' does not combine values of type 'f64'");
  EXPECT_EQ(find(Combiner::SumExpF, -1.0, ScalarType::F32),
            "'sumexpf' starts with a sum, which is 0 or more");
  EXPECT_EQ(find(Combiner::VarianceF, kNaN, ScalarType::F32),
            "'variancef' starts with no values, so that its initial value is "
            "0");
}

} // namespace
} // namespace tcgemm
