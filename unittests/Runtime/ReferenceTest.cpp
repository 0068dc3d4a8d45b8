//===- ReferenceTest.cpp - Tests of the verification ----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results that are right pass; each kind of wrong result is found.
//
//===----------------------------------------------------------------------===//

#include "ReferenceFixture.h"

#include <cmath>

using namespace tcgemm;

namespace {

class ReferenceTest : public ReferenceFixture {
protected:
  void make(int64_t m, int64_t n, int64_t k, const char *fill,
            ScalarType outType = ScalarType::BF16) {
    kernel = makeTestPack().manifest.kernels[0];
    kernel.operands[2].type = outType;
    kernel.epilogue.ops[1].type = outType;
    if (outType == ScalarType::F32)
      kernel.epilogue.yields = {0};
    FillOptions options = llvm::cantFail(parseFill(fill));
    a = HostTensor(ScalarType::BF16, StridedShape::rowMajor({m, k}, 3), 0xff);
    b = HostTensor(ScalarType::BF16, StridedShape::rowMajor({n, k}), 0xff);
    d = HostTensor(outType, StridedShape::rowMajor({m, n}, 1), 0xff);
    ASSERT_FALSE(bool(fillTensor(a, options, 1)));
    ASSERT_FALSE(bool(fillTensor(b, options, 2)));
    problem.kernel = &kernel;
    problem.sizes = makeSizes(m, n, k);
    problem.isZeroMean = true;
    compute();
  }

  void compute() {
    int64_t m = problem.sizes[0], n = problem.sizes[1], k = problem.sizes[2];
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != n; ++j) {
        float sum = 0; // Like a device: f32, in some order.
        for (int64_t l = 0; l != k; ++l)
          sum += float(a.get(i * (k + 3) + l) * b.get(j * k + l));
        d.set(i * (n + 1) + j, sum);
      }
  }
};

/// The sums of blocks are scaled; a wrong scale is found.
TEST_F(ReferenceTest, ScalesOfBlocks) {
  constexpr int64_t m = 3, n = 130, k = 300, depth = 3;
  make(m, n, k, "int", ScalarType::F32);
  std::vector<float> ofA(m * depth), ofB(2 * depth);
  for (size_t i = 0; i != ofA.size(); ++i)
    ofA[i] = float(i + 1);
  for (size_t i = 0; i != ofB.size(); ++i)
    ofB[i] = float(2 * i) - 3;
  for (int64_t i = 0; i != m; ++i)
    for (int64_t j = 0; j != n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l != k; ++l)
        sum += float(a.get(i * (k + 3) + l) * b.get(j * k + l)) *
               ofA[l / 128 * m + i] * ofB[j / 128 * depth + l / 128];
      d.set(i * (n + 1) + j, sum);
    }
  OperandInfo infoA{
      "scaleA", OperandUse::ScaleA, ScalarType::F32, {Dim::K, Dim::M}};
  OperandInfo infoB{
      "scaleB", OperandUse::ScaleB, ScalarType::F32, {Dim::N, Dim::K}};
  auto check = [&] {
    verify(); // Sets the views of A, B and D.
    auto add = [&](OperandInfo &info, std::vector<float> &values,
                   const std::vector<int64_t> &sizes) {
      problem.operands.push_back(
          {&info, reinterpret_cast<const uint8_t *>(values.data()),
           StridedShape::rowMajor(sizes)});
    };
    add(infoA, ofA, {depth, m});
    add(infoB, ofB, {2, depth});
    problem.linkScales();
    return llvm::cantFail(verifyResults(problem, options));
  };
  VerifyReport report = check();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numExact, m * n);
  ofB.back() += 1;
  EXPECT_FALSE(check().passed);
}

/// A program of elements: their function, rounded to bf16.
static EpilogueProgram makeFunction(llvm::ArrayRef<EpilogueOpInfo> operations) {
  EpilogueProgram program;
  program.ops = {{"argument", ScalarType::BF16}};
  llvm::append_range(program.ops, operations);
  program.yields = {unsigned(program.ops.size()) - 1};
  return program;
}

/// Functions of the elements are computed before the product. Exact ones leave
/// the comparison exact.
TEST_F(ReferenceTest, FunctionsOfElements) {
  constexpr int64_t m = 5, n = 7, k = 33;
  make(m, n, k, "int", ScalarType::F32);
  EpilogueOpInfo one{"arith.constant", ScalarType::BF16};
  one.value = 1.0;
  kernel.transforms[0] =
      makeFunction({one, {"arith.addf", ScalarType::BF16, {0, 1}}});
  kernel.transforms[1] = makeFunction({{"arith.negf", ScalarType::BF16, {0}}});
  for (int64_t i = 0; i != m; ++i)
    for (int64_t j = 0; j != n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l != k; ++l)
        sum -= float((a.get(i * (k + 3) + l) + 1) * b.get(j * k + l));
      d.set(i * (n + 1) + j, sum);
    }
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numExact, m * n);
  d.set(0, d.get(0) + 1);
  EXPECT_FALSE(verify().passed);
  d.set(0, d.get(0) - 1);
  kernel.transforms[1] = {};
  EXPECT_FALSE(verify().passed);
}

/// The device may round an element's exponential to the neighbour, no further.
TEST_F(ReferenceTest, FunctionsOfElementsMayRoundOtherwise) {
  constexpr int64_t m = 40, n = 40, k = 64;
  make(m, n, k, "normal", ScalarType::F32);
  EpilogueOpInfo wide{"arith.extf", ScalarType::F32, {0}};
  EpilogueOpInfo exponential{"math.exp", ScalarType::F32, {1}};
  EpilogueOpInfo narrow{"arith.truncf", ScalarType::BF16, {2}};
  kernel.transforms[0] = makeFunction({wide, exponential, narrow});
  auto fillIn = [&](double factor) {
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l != k; ++l)
          sum += float(roundToType(ScalarType::BF16,
                                   std::exp(a.get(i * (k + 3) + l)) * factor) *
                       b.get(j * k + l));
        d.set(i * (n + 1) + j, sum);
      }
  };
  for (double factor : {1.0, 1 + 0x1p-21, 1 - 0x1p-21}) {
    fillIn(factor);
    VerifyReport report = verify();
    EXPECT_TRUE(report.passed) << report.summarize();
    EXPECT_EQ(report.numExact, 0);
  }
  fillIn(1 + 0x1p-6);
  EXPECT_FALSE(verify().passed);
}

/// Scales and zero points of groups of B.
TEST_F(ReferenceTest, Groups) {
  constexpr int64_t m = 3, n = 5, k = 150, depth = 3;
  make(m, n, k, "int", ScalarType::F32);
  std::vector<float> scales(n * depth);
  std::vector<int8_t> zeros(depth * n);
  for (size_t i = 0; i != scales.size(); ++i) {
    scales[i] = float(i) - 2;
    zeros[i] = int8_t(3 * i) - 20;
  }
  for (int64_t i = 0; i != m; ++i)
    for (int64_t j = 0; j != n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l != k; ++l)
        sum += float(a.get(i * (k + 3) + l) *
                     (b.get(j * k + l) - zeros[l / 64 * n + j])) *
               scales[j * depth + l / 64];
      d.set(i * (n + 1) + j, sum);
    }
  OperandInfo infoS{
      "scaleB", OperandUse::ScaleB, ScalarType::F32, {Dim::N, Dim::K}, 64};
  OperandInfo infoZ{
      "zeroB", OperandUse::ZeroB, ScalarType::I8, {Dim::K, Dim::N}, 64};
  auto check = [&] {
    verify(); // Sets the views of A, B and D.
    problem.operands.push_back(
        {&infoS, reinterpret_cast<const uint8_t *>(scales.data()),
         StridedShape::rowMajor({n, depth})});
    problem.operands.push_back({&infoZ,
                                reinterpret_cast<const uint8_t *>(zeros.data()),
                                StridedShape::rowMajor({depth, n})});
    problem.linkScales();
    return llvm::cantFail(verifyResults(problem, options));
  };
  VerifyReport report = check();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numExact, m * n);
  zeros.back() += 1;
  EXPECT_FALSE(check().passed);
  zeros.back() -= 1;
  scales.back() += 1;
  EXPECT_FALSE(check().passed);
}

TEST_F(ReferenceTest, RightResultsPass) {
  for (const char *fill : {"normal", "uniform", "int"})
    for (ScalarType type : {ScalarType::BF16, ScalarType::F16, ScalarType::F32})
      for (auto [m, n, k] : {std::tuple(1, 1, 1), std::tuple(130, 67, 300),
                             std::tuple(5, 300, 1000)}) {
        make(m, n, k, fill, type);
        VerifyReport report = verify();
        EXPECT_TRUE(report.passed) << fill << ": " << report.summarize();
        EXPECT_EQ(report.numChecked, m * n);
        EXPECT_EQ(report.numExact, fill == std::string("int") ? m * n : 0);
      }
}

TEST_F(ReferenceTest, EmptySumsAreZero) {
  make(3, 5, 0, "normal");
  EXPECT_TRUE(verify().passed);
  d.set(4, 1);
  EXPECT_FALSE(verify().passed);
}

TEST_F(ReferenceTest, OneMissingProductIsFound) {
  make(40, 40, 512, "normal", ScalarType::F32);
  d.set(7 * 41 + 9,
        d.get(7 * 41 + 9) - a.get(7 * 515 + 100) * b.get(9 * 512 + 100));
  VerifyReport report = verify();
  EXPECT_EQ(report.numWrong, 1);
  EXPECT_EQ(report.mismatches[0].m, 7);
  EXPECT_EQ(report.mismatches[0].n, 9);
}

TEST_F(ReferenceTest, IntegersAreComparedByEquality) {
  make(20, 20, 64, "int", ScalarType::F32);
  d.set(25, d.get(25) + 0x1p-8);
  EXPECT_FALSE(verify().passed);
}

TEST_F(ReferenceTest, TwoUnitsOfTheLastPlaceFail) {
  make(16, 16, 64, "normal");
  double value = d.get(3);
  d.set(3, value + 3 * getUlp(ScalarType::BF16, value));
  EXPECT_EQ(verify().numWrong, 1);
}

TEST_F(ReferenceTest, NaNPassesOnlyWhereItIsDue) {
  make(16, 16, 64, "normal");
  d.set(5, NAN);
  VerifyReport report = verify();
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.numNaN, 1);
  EXPECT_EQ(report.numUnwritten, 0);
  // NaN is right where the reference is NaN.
  make(16, 16, 64, "normal");
  a.set(0, NAN);
  EXPECT_EQ(verify().numWrong, 16);
  for (int64_t j = 0; j != 16; ++j)
    d.set(j, NAN);
  report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numNaN, 16);
  EXPECT_EQ(report.numDueNaN, 16);
  // It is wrong if the element was not written, or if another element is NaN.
  d.bytes[2] = d.bytes[3] = 0xff;
  EXPECT_FALSE(verify().passed);
  d.set(1, NAN);
  d.set(d.shape.strides[0], NAN);
  EXPECT_FALSE(verify().passed);
}

TEST_F(ReferenceTest, InfinitiesNeedTheirSign) {
  make(16, 16, 64, "normal", ScalarType::F32);
  a.set(0, -HUGE_VAL);
  b.set(0, 2); // Column 0 falls, column 1 rises.
  b.set(64, -2);
  compute();
  ASSERT_EQ(d.get(0), -INFINITY);
  ASSERT_EQ(d.get(1), INFINITY);
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  d.set(0, INFINITY);
  EXPECT_EQ(verify().numWrong, 1);
  d.set(0, -1e30);
  EXPECT_EQ(verify().numWrong, 1);
  d.set(0, NAN);
  EXPECT_EQ(verify().numWrong, 1);
}

TEST_F(ReferenceTest, SumsThatOverflowInSomeOrderMayBeSpecial) {
  make(1, 3, 4, "constant:0", ScalarType::F32);
  // Column 0 rises beyond f32 for certain, column 1 if its first two terms are
  // added first, column 2 never.
  const double terms[3][4] = {{3, 3, 3, 0}, {3, 3, -3, -3}, {1, 0, -1, 0}};
  for (int64_t i = 0; i != 4; ++i) {
    a.set(i, 0x1p126);
    for (int64_t j = 0; j != 3; ++j)
      b.set(j * 4 + i, terms[j][i]);
  }
  auto isRight = [&](double first, double second, double third) {
    d.set(0, first);
    d.set(1, second);
    d.set(2, third);
    return verify().passed;
  };
  for (double possible : {0.0, HUGE_VAL, -HUGE_VAL, std::nan("")})
    EXPECT_TRUE(isRight(HUGE_VAL, possible, 0)) << possible;
  EXPECT_FALSE(isRight(-HUGE_VAL, 0, 0));
  EXPECT_FALSE(isRight(0x1.fffffep127, 0, 0));
  EXPECT_FALSE(isRight(NAN, 0, 0));
  EXPECT_FALSE(isRight(HUGE_VAL, 0, HUGE_VAL));
  EXPECT_FALSE(isRight(HUGE_VAL, 0, NAN));
}

TEST_F(ReferenceTest, HugeTermsThatCancelLeaveTheirRoundings) {
  make(1, 1, 4, "constant:0", ScalarType::F32);
  // The norms' product is beyond f32, no partial sum is.
  for (auto [i, x, y] :
       {std::tuple(0, 0x1p100, 0x1.02p20), std::tuple(1, -0x1p100, 0x1p20),
        std::tuple(2, 0x1p-20, 0x1p110)}) {
    a.set(i, x);
    b.set(i, y);
  }
  compute();
  d.set(0, d.get(0) * (1 + 0x1p-20));
  EXPECT_TRUE(verify().passed);
  d.set(0, INFINITY);
  EXPECT_FALSE(verify().passed);
}

// The roundings of terms far beyond the largest f16 exceed the sum after
// cancellation: any finite result may be right.
TEST_F(ReferenceTest, HugeTermsThatCancelSayNothingOfANarrowResult) {
  make(1, 1, 3, "int", ScalarType::F16);
  const double factors[] = {0x1p60, -0x1p60, 1};
  for (int64_t l = 0; l != 3; ++l) {
    a.set(l, factors[l]);
    b.set(l, l == 2 ? 3 : 0x1p40);
  }
  for (double value : {3.0, 2.5, -100.0}) {
    d.set(0, value);
    EXPECT_TRUE(verify().passed) << value;
  }
}

TEST_F(ReferenceTest, ResultsBesideTheLargestMayRoundToInfinity) {
  // f16 rounds to infinity from 65520 on. Fractions keep the sum from being
  // exact.
  auto isInfinityRight = [&](double sum) {
    make(1, 1, 64, "constant:0.5", ScalarType::F16);
    a.set(0, 1);
    b.set(0, 61440);
    b.set(1, 8128);
    b.set(2, 2 * (sum - 65519.25));
    d.set(0, -HUGE_VAL);
    EXPECT_FALSE(verify().passed) << sum;
    d.set(0, INFINITY);
    return verify().passed;
  };
  EXPECT_TRUE(isInfinityRight(65521));
  EXPECT_TRUE(isInfinityRight(65519.75));
  EXPECT_FALSE(isInfinityRight(65399.25));
}

TEST_F(ReferenceTest, ExactZerosNeedTheirSign) {
  make(2, 2, 4, "constant:0", ScalarType::F32);
  EXPECT_TRUE(verify().passed);
  d.set(0, -0.0);
  EXPECT_EQ(verify().numWrong, 1);
}

TEST_F(ReferenceTest, SubnormalResultsAreNotFlushed) {
  make(8, 8, 16, "constant:1", ScalarType::BF16);
  for (int64_t i = 0; i != 16; ++i)
    a.set(i, 0x1p-133 * static_cast<double>(i));
  for (int64_t j = 0; j != 8; ++j)
    d.set(j, 0x1p-133 * 120);
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  d.set(3, 0);
  EXPECT_EQ(verify().numWrong, 1);
}

TEST_F(ReferenceTest, SubnormalOperandsAreAlignedAsTheSmallestNormal) {
  make(1, 1, 2, "constant:1", ScalarType::F32);
  a = HostTensor(ScalarType::F16, StridedShape::rowMajor({1, 2}), 0);
  b = HostTensor(ScalarType::F16, StridedShape::rowMajor({1, 2}), 0);
  kernel.operands[0].type = kernel.operands[1].type = ScalarType::F16;
  for (int64_t k = 0; k != 2; ++k)
    a.set(k, 0x1p-24);
  b.set(0, 1);
  b.set(1, 0x1.8p-16);
  // The first product is aligned as 2^-14 · 1: the second one, 1.5 · 2^-40, is
  // less than the last bit of a tensor core.
  d.set(0, 0x1p-24);
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  d.set(0, 0x1.04p-24);
  EXPECT_EQ(verify().numWrong, 1);
}

TEST_F(ReferenceTest, SpecialFillsPass) {
  for (ScalarType type : {ScalarType::BF16, ScalarType::F16, ScalarType::F32}) {
    make(130, 67, 300, "special", type);
    problem.isZeroMean = false;
    VerifyReport report = verify();
    EXPECT_TRUE(report.passed) << report.summarize();
    EXPECT_GT(report.numDueNaN, 100);
    EXPECT_LT(report.numDueNaN, 130 * 67 / 2);
    // A sample cannot decide on NaN outside of it.
    options.maxWork = 1;
    report = verify();
    EXPECT_TRUE(report.passed) << report.summarize();
    EXPECT_EQ(report.method, "sampled");
    options = {};
  }
}

/// The parts of infinity are infinity and NaN. Other operands have no parts.
TEST_F(ReferenceTest, PartsOfInfinityMayGiveNaN) {
  make(1, 1, 1, "constant:1", ScalarType::F32);
  a = HostTensor(ScalarType::F32, StridedShape::rowMajor({1, 1}), 0);
  b = HostTensor(ScalarType::F32, StridedShape::rowMajor({1, 1}), 0);
  a.set(0, HUGE_VAL);
  b.set(0, 2);
  for (auto [type, mayBeNaN] :
       {std::pair(ScalarType::TF32X3, true),
        std::pair(ScalarType::BF16X6, true), std::pair(ScalarType::TF32, false),
        std::pair(ScalarType::F32, false)}) {
    kernel.operands[0].type = kernel.operands[1].type = type;
    d.set(0, HUGE_VAL);
    EXPECT_TRUE(verify().passed) << getTypeName(type).str();
    d.set(0, std::nan(""));
    EXPECT_EQ(verify().passed, mayBeNaN) << getTypeName(type).str();
    d.set(0, 1);
    EXPECT_FALSE(verify().passed) << getTypeName(type).str();
  }
}

TEST_F(ReferenceTest, UnwrittenElementsAreCounted) {
  make(16, 16, 64, "normal");
  d.bytes[10] = d.bytes[11] = 0xff;
  VerifyReport report = verify();
  EXPECT_EQ(report.numUnwritten, 1);
  EXPECT_FALSE(report.passed);
}

TEST_F(ReferenceTest, SamplingWithFreivaldsFindsOneTile) {
  make(300, 280, 128, "normal");
  options.maxWork = 1;
  options.sampleWork = 1;
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.method, "sampled + Freivalds");
  EXPECT_LT(report.numChecked, 300 * 280);
  // Rows 60 to 67 are not sampled; their elements are those of other columns.
  for (int64_t i = 60; i != 68; ++i)
    for (int64_t j = 40; j != 48; ++j)
      d.set(i * 281 + j, d.get((i + 100) * 281 + j));
  EXPECT_GT(verify().freivalds, 1);
  EXPECT_FALSE(verify().passed);
}

TEST_F(ReferenceTest, BatchesUseTheirOwnMatrices) {
  kernel = makeTestPack().manifest.kernels[0];
  kernel.operands[0].dims = {Dim::Batch, Dim::M, Dim::K};
  kernel.operands[2].dims = {Dim::Batch, Dim::M, Dim::N};
  a = HostTensor(ScalarType::BF16, StridedShape::rowMajor({2, 1, 1}));
  b = HostTensor(ScalarType::BF16, StridedShape::rowMajor({1, 1}));
  d = HostTensor(ScalarType::BF16, StridedShape::rowMajor({2, 1, 1}));
  a.set(0, 2);
  a.set(1, 3);
  b.set(0, 5);
  d.set(0, 10);
  d.set(1, 15);
  problem.kernel = &kernel;
  problem.sizes = makeSizes(1, 1, 1, 2);
  EXPECT_TRUE(verify().passed);
  d.set(1, 10);
  EXPECT_FALSE(verify().passed);
}

/// The last outer dimension changes first, whatever the order in memory.
TEST_F(ReferenceTest, OuterDimensions) {
  kernel = makeTestPack().manifest.kernels[0];
  kernel.operands[0].dims = {Dim::BatchC, Dim::Batch, Dim::M, Dim::K};
  kernel.operands[2].dims = {Dim::Batch, Dim::BatchC, Dim::M, Dim::N};
  a = HostTensor(ScalarType::BF16, StridedShape::rowMajor({3, 2, 1, 1}));
  b = HostTensor(ScalarType::BF16, StridedShape::rowMajor({1, 1}));
  d = HostTensor(ScalarType::BF16, StridedShape::rowMajor({2, 3, 1, 1}));
  b.set(0, 5);
  for (int64_t x = 0; x != 2; ++x)
    for (int64_t y = 0; y != 3; ++y) {
      a.set(y * 2 + x, double(1 + x + 10 * y));
      d.set(x * 3 + y, double(5 * (1 + x + 10 * y)));
    }
  problem.kernel = &kernel;
  problem.sizes = makeSizes(1, 1, 1, 2);
  problem.sizes[unsigned(Dim::BatchC)] = 3;
  EXPECT_TRUE(verify().passed);
  d.set(1, 10);
  VerifyReport report = verify();
  EXPECT_EQ(report.numWrong, 1);
  EXPECT_EQ(report.mismatches.at(0).b, 1);
}

} // namespace
