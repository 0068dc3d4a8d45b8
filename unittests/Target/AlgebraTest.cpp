//===- AlgebraTest.cpp - What products do in place of times and plus ------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Algebra.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tcgemm;

namespace {
using Op = AlgebraOperation;

const double kValues[] = {-HUGE_VAL, -2.5, -0.0, 0.0, 1.5, HUGE_VAL, NAN};

bool isSame(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) ||
         (x == y && std::signbit(x) == std::signbit(y));
}

constexpr int32_t kIntegers[] = {INT32_MIN, -7, -1, 0, 1, 12, INT32_MAX};

/// Combines or reduces values of a type.
double apply(ScalarType type, Op operation, double x, double y) {
  if (isFloatType(type))
    return applyAlgebra(operation, x, y);
  return applyIntegerAlgebra(operation, static_cast<int32_t>(x),
                             static_cast<int32_t>(y));
}

double toDouble(const ScalarConstant &value) {
  if (const auto *integer = std::get_if<int64_t>(&value))
    return static_cast<double>(*integer);
  return std::get<double>(value);
}

/// Calls `test` for all algebras of all types of sums.
void forEachAlgebra(
    llvm::function_ref<void(ScalarType, const Algebra &)> test) {
  for (ScalarType type : {ScalarType::F32, ScalarType::F64, ScalarType::I32})
    for (const Algebra &algebra : listAlgebras(type)) {
      SCOPED_TRACE(getTypeName(type).str() + " " + algebra.str());
      test(type, algebra);
    }
}

std::string getError(llvm::StringRef text) {
  return llvm::toString(Algebra::parse(text).takeError());
}

TEST(Algebra, TextsAreRead) {
  forEachAlgebra([](ScalarType type, const Algebra &algebra) {
    Algebra read = llvm::cantFail(Algebra::parse(algebra.str()));
    EXPECT_TRUE(read == algebra);
    EXPECT_TRUE(read.isSupported());
    EXPECT_TRUE(hasAlgebra(type, algebra));
  });
  EXPECT_EQ(listAlgebras(ScalarType::F32).size(), 36u);
  EXPECT_EQ(listAlgebras(ScalarType::I32).size(), 81u);
  EXPECT_TRUE(listAlgebras(ScalarType::BF16).empty());
  EXPECT_EQ(Algebra().str(), "plus-times");
  EXPECT_TRUE(Algebra().isDefault());
  EXPECT_FALSE((Algebra{Op::MaxNum, Op::And}).isSupported());
  EXPECT_EQ(getError("max"),
            "algebra: 'max' is no REDUCE-COMBINE of two of times, plus, max, "
            "min, maxnum, minnum, maxu, minu, and, or, xor");
  EXPECT_EQ(getError("or-maxnum"),
            "algebra: no type has both operations of 'or-maxnum'");
}

TEST(Algebra, NeutralElementsChangeNothing) {
  forEachAlgebra([](ScalarType type, const Algebra &algebra) {
    double neutral = toDouble(algebra.getNeutral(type));
    if (!isFloatType(type)) {
      for (int32_t x : kIntegers)
        EXPECT_EQ(apply(type, algebra.reduce, neutral, x), x);
      return;
    }
    for (double x : kValues) {
      double reduced = applyAlgebra(algebra.reduce, neutral, x);
      // A reduction that ignores NaN gives the other operand, and sums start
      // with +0.
      bool ignoresNaN =
          algebra.reduce == Op::MaxNum || algebra.reduce == Op::MinNum;
      double expected = std::isnan(x) && ignoresNaN        ? neutral
                        : algebra.reduce == Op::Plus && !x ? 0
                                                           : x;
      EXPECT_TRUE(isSame(reduced, expected)) << x;
    }
  });
}

// The combination of what A and B have beyond K is the neutral element. B has
// zeros, as copies fill, where they are enough.
TEST(Algebra, PaddingContributesNothing) {
  forEachAlgebra([](ScalarType type, const Algebra &algebra) {
    double a = toDouble(algebra.getPadding(type, 0));
    double b = toDouble(algebra.getPadding(type, 1));
    double neutral = toDouble(algebra.getNeutral(type));
    EXPECT_EQ(apply(type, algebra.combine, a, b), neutral);
    if (apply(type, algebra.combine, a, 0) == neutral) {
      EXPECT_EQ(b, 0);
    }
  });
}

// Bytes beyond K are zeros, and cannot be other values.
TEST(Algebra, BytesHaveThosePaddedByZeros) {
  for (const Algebra &algebra : listAlgebras(ScalarType::I32)) {
    bool isPadded = applyIntegerAlgebra(algebra.combine, 0, 0) ==
                    toDouble(algebra.getNeutral(ScalarType::I32));
    EXPECT_EQ(hasAlgebra(ScalarType::I8, algebra), isPadded) << algebra.str();
    EXPECT_EQ(hasAlgebra(ScalarType::U8, algebra), isPadded) << algebra.str();
  }
  EXPECT_EQ(listAlgebraTypes({Op::Or, Op::And}), "i32, i8 and ui8");
  EXPECT_EQ(listAlgebraTypes({Op::Max, Op::Plus}), "f32, f64 and i32");
  EXPECT_EQ(listAlgebraTypes({Op::MaxNum, Op::Plus}), "f32 and f64");
}

TEST(Algebra, OnlySumsAndProductsOfFloatsAreOrdered) {
  Algebra sum{Op::Plus, Op::Max}, product{Op::Times, Op::Plus},
      maximum{Op::Max, Op::Times};
  EXPECT_TRUE(sum.isOrdered(ScalarType::F32));
  EXPECT_TRUE(product.isOrdered(ScalarType::F64));
  EXPECT_FALSE(sum.isOrdered(ScalarType::I32));
  EXPECT_FALSE(maximum.isOrdered(ScalarType::F32));
}

TEST(Algebra, IntegersWrapAround) {
  EXPECT_EQ(applyIntegerAlgebra(Op::Plus, INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(applyIntegerAlgebra(Op::Times, 65536, 65537), 65536);
  EXPECT_EQ(applyIntegerAlgebra(Op::MaxUnsigned, -1, 1), -1);
  EXPECT_EQ(applyIntegerAlgebra(Op::MinUnsigned, -1, 1), 1);
  EXPECT_EQ(applyIntegerAlgebra(Op::Max, -1, 1), 1);
  EXPECT_EQ(applyIntegerAlgebra(Op::And, 6, 3), 2);
  EXPECT_EQ(applyIntegerAlgebra(Op::Or, 6, 3), 7);
  EXPECT_EQ(applyIntegerAlgebra(Op::Xor, 6, 3), 5);
}

TEST(Algebra, OperationsOrderZerosAndPropagateNaN) {
  EXPECT_TRUE(isSame(applyAlgebra(Op::Max, -0.0, 0.0), 0.0));
  EXPECT_TRUE(isSame(applyAlgebra(Op::Max, 0.0, -0.0), 0.0));
  EXPECT_TRUE(isSame(applyAlgebra(Op::Min, 0.0, -0.0), -0.0));
  EXPECT_TRUE(isSame(applyAlgebra(Op::MinNum, -0.0, 0.0), -0.0));
  EXPECT_TRUE(std::isnan(applyAlgebra(Op::Max, NAN, 1)));
  EXPECT_TRUE(std::isnan(applyAlgebra(Op::Min, 1, NAN)));
  EXPECT_EQ(applyAlgebra(Op::MaxNum, NAN, 1), 1);
  EXPECT_EQ(applyAlgebra(Op::MinNum, 1, NAN), 1);
  EXPECT_EQ(applyAlgebra(Op::Min, 1, -3), -3);
  EXPECT_EQ(applyAlgebra(Op::Plus, 1, -3), -2);
  EXPECT_EQ(applyAlgebra(Op::Times, 2, -3), -6);
}

} // namespace
