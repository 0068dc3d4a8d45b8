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

TEST(Algebra, TextsAreRead) {
  for (const Algebra &algebra : getAlgebras()) {
    Algebra read = llvm::cantFail(Algebra::parse(algebra.str()));
    EXPECT_TRUE(read == algebra) << algebra.str();
    EXPECT_TRUE(read.isSupported());
  }
  EXPECT_EQ(Algebra().str(), "plus-times");
  EXPECT_TRUE(Algebra().isDefault());
  EXPECT_FALSE((Algebra{Op::Max, Op::Times}).isSupported());
  EXPECT_EQ(llvm::toString(Algebra::parse("max-times").takeError()),
            "algebra: 'max-times' is none of plus-times, max-plus, min-plus, "
            "max-min, min-max, maxnum-plus, minnum-plus, maxnum-minnum, "
            "minnum-maxnum");
}

TEST(Algebra, NeutralElementsChangeNothing) {
  for (const Algebra &algebra : getAlgebras())
    for (double x : kValues) {
      if (algebra.isDefault())
        continue;
      double reduced = applyAlgebra(algebra.reduce, algebra.getNeutral(), x);
      // A reduction that ignores NaN gives the other operand.
      bool ignoresNaN =
          algebra.reduce == Op::MaxNum || algebra.reduce == Op::MinNum;
      double expected = std::isnan(x) && ignoresNaN ? algebra.getNeutral() : x;
      EXPECT_TRUE(isSame(reduced, expected)) << algebra.str() << " " << x;
    }
}

// Kernels give A the neutral element beyond K, where B has zeros.
TEST(Algebra, PaddingContributesNothing) {
  for (const Algebra &algebra : getAlgebras())
    EXPECT_EQ(applyAlgebra(algebra.combine, algebra.getNeutral(), 0.0),
              algebra.getNeutral())
        << algebra.str();
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
