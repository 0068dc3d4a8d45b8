//===- ReferenceReductionTest.cpp -----------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "tcgemm/Runtime/Reference.h"
#include "gtest/gtest.h"

#include <cmath>

namespace tcgemm {
namespace {

/// D = A·B in f32 and a reduction of the sums.
class ReferenceReductionTest : public testing::Test {
protected:
  static constexpr int64_t m = 130, n = 140, k = 40;

  void make(const char *fill, Combiner combiner, std::vector<Dim> dims,
            double initial = 0) {
    kernel = makeTestPack().manifest.kernels[0];
    kernel.operands[2].type = ScalarType::F32;
    kernel.epilogue.yields = {0, 0};
    OperandInfo info{"out1", OperandUse::Output, ScalarType::F32, dims};
    info.reduction = ReductionInfo{combiner, initial};
    if (getStateKind(combiner) == StateKind::Index) {
      info.type = ScalarType::I64;
      info.reduction->initial = int64_t(initial);
    }
    kernel.operands.push_back(info);
    FillOptions options = llvm::cantFail(parseFill(fill));
    auto makeTensor = [](ScalarType type, llvm::ArrayRef<int64_t> sizes) {
      return HostTensor(type, StridedShape::rowMajor(sizes), 0xff);
    };
    tensors[0] = makeTensor(ScalarType::BF16, {m, k});
    tensors[1] = makeTensor(ScalarType::BF16, {n, k});
    tensors[2] = makeTensor(ScalarType::F32, {m, n});
    std::vector<int64_t> sizes;
    for (Dim dim : dims)
      sizes.push_back(dim == Dim::M ? m : n);
    tensors[3] = makeTensor(info.type, sizes);
    ASSERT_FALSE(bool(fillTensor(tensors[0], options, 1)));
    ASSERT_FALSE(bool(fillTensor(tensors[1], options, 2)));
    compute(combiner, initial);
  }

  void compute(Combiner combiner, double initial) {
    OperandView view{&kernel.operands[3], nullptr, tensors[3].shape};
    int64_t results = tensors[3].shape.getNumElements();
    for (int64_t i = 0; i != results; ++i)
      tensors[3].set(i, initial);
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != n; ++j) {
        float sum = 0; // Like a device: f32, in some order.
        for (int64_t l = 0; l != k; ++l)
          sum += float(tensors[0].get(i * k + l) * tensors[1].get(j * k + l));
        tensors[2].set(i * n + j, sum);
        if (getStateKind(combiner) != StateKind::Value)
          continue; // The tests compute it.
        int64_t at = i * view.getStride(Dim::M) + j * view.getStride(Dim::N);
        tensors[3].set(
            at, combine(combiner, ScalarType::F32, tensors[3].get(at), sum));
      }
  }

  VerifyReport verify() {
    VerifyProblem problem;
    problem.kernel = &kernel;
    problem.sizes = {m, n, k, 1, 1, 1};
    problem.isZeroMean = true;
    for (unsigned i = 0; i != 4; ++i)
      problem.operands.push_back(
          {&kernel.operands[i], tensors[i].bytes.data(), tensors[i].shape});
    llvm::Expected<VerifyReport> report = verifyResults(problem, options);
    EXPECT_TRUE(bool(report));
    return std::move(*report);
  }

  KernelInfo kernel;
  HostTensor tensors[4];
  VerifyOptions options;
};

TEST_F(ReferenceReductionTest, AcceptsOtherOrders) {
  for (auto [combiner, initial] : {std::pair(Combiner::AddF, 0.0),
                                   std::pair(Combiner::MaximumF, -HUGE_VAL),
                                   std::pair(Combiner::MinNumF, HUGE_VAL)})
    for (const std::vector<Dim> &dims :
         {std::vector<Dim>{}, {Dim::M}, {Dim::N}}) {
      make("normal", combiner, dims, initial);
      VerifyReport report = verify();
      EXPECT_TRUE(report.passed) << report.summarize();
      int64_t results = tensors[3].shape.getNumElements();
      EXPECT_EQ(report.numElements, m * n + results);
      EXPECT_EQ(report.numChecked, m * n + results);
    }
}

/// A row whose last element is missing, and a maximum that is slightly wrong.
TEST_F(ReferenceReductionTest, FindsWrongResults) {
  make("normal", Combiner::AddF, {Dim::M});
  double right = tensors[3].get(129);
  tensors[3].set(129, right - tensors[2].get(129 * n + 139));
  VerifyReport report = verify();
  EXPECT_FALSE(report.passed);
  ASSERT_EQ(report.mismatches.size(), 1U);
  EXPECT_EQ(report.mismatches[0].output, 1U);
  EXPECT_EQ(report.mismatches[0].m, 129);
  EXPECT_NEAR(report.mismatches[0].expected, right, 1e-3);

  make("normal", Combiner::MaximumF, {}, -HUGE_VAL);
  tensors[3].set(0, tensors[3].get(0) * 1.001);
  EXPECT_FALSE(verify().passed);

  make("normal", Combiner::MaximumF, {Dim::N}, -HUGE_VAL);
  for (uint8_t &byte : tensors[3].bytes)
    byte = 0xff;
  report = verify();
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.numUnwritten, n);
}

/// Sums of integers must be equal, and the initial value counts once.
TEST_F(ReferenceReductionTest, IntegersAreExact) {
  make("int", Combiner::AddF, {Dim::N}, 5);
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numExact, m * n + n);
  tensors[3].set(7, tensors[3].get(7) + 1);
  EXPECT_FALSE(verify().passed);
}

/// Elements that are exact but no integers: their sum is rounded.
TEST_F(ReferenceReductionTest, FractionsAreRounded) {
  make("int", Combiner::AddF, {Dim::M});
  EpilogueOpInfo third{"arith.constant", ScalarType::F32};
  third.value = double(1.0F / 3);
  kernel.epilogue.ops.push_back(third);
  kernel.epilogue.ops.push_back({"arith.mulf", ScalarType::F32, {0, 2}});
  kernel.epilogue.yields = {0, 3};
  for (int64_t i = 0; i != m; ++i) {
    float sum = 0;
    for (int64_t j = n; j-- != 0;)
      sum += float(tensors[2].get(i * n + j)) * (1.0F / 3);
    tensors[3].set(i, sum);
  }
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numExact, m * n);
}

TEST_F(ReferenceReductionTest, NaN) {
  make("int", Combiner::MaximumF, {Dim::M}, -HUGE_VAL);
  tensors[0].set(3 * k, std::nan(""));
  compute(Combiner::MaximumF, -HUGE_VAL);
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numDueNaN, n + 1);
  tensors[3].set(3, 0);
  EXPECT_FALSE(verify().passed);
}

/// Of a large problem, the results of sampled rows are compared.
TEST_F(ReferenceReductionTest, Samples) {
  options.maxWork = 1;
  options.sampleWork = 1;
  make("normal", Combiner::AddF, {Dim::M});
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.method, "sampled");
  tensors[3].set(129, 1e6);
  EXPECT_FALSE(verify().passed);
}

/// Sets the index of each row's greatest value, by `isGreater`.
template <typename Compare>
void setIndices(HostTensor &result, const HostTensor &values, int64_t m,
                int64_t n, Compare isGreater) {
  for (int64_t i = 0; i != m; ++i) {
    int64_t best = 0;
    for (int64_t j = 1; j != n; ++j)
      if (isGreater(values.get(i * n + j), values.get(i * n + best)))
        best = j;
    result.set(i, double(best));
  }
}

/// Of equal values, the first one is right.
TEST_F(ReferenceReductionTest, Indices) {
  make("int", Combiner::ArgMaxNumF, {Dim::M});
  setIndices(tensors[3], tensors[2], m, n,
             [](double x, double y) { return x > y; });
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numExact, m * n + m);
  // Another element with the same value.
  tensors[2].set(5 * n, 0);
  double right = tensors[3].get(5);
  tensors[3].set(5, right + 1);
  report = verify();
  EXPECT_FALSE(report.passed);
  ASSERT_FALSE(report.mismatches.empty());
  EXPECT_EQ(report.mismatches.back().expected, right);
  tensors[3].set(5, -1);
  EXPECT_FALSE(verify().passed);
}

/// Of values that are rounded, each that may be the greatest is right, and no
/// other one.
TEST_F(ReferenceReductionTest, RoundedIndices) {
  make("normal", Combiner::ArgMaximumF, {Dim::M});
  auto isGreater = [](double x, double y) { return x > y; };
  setIndices(tensors[3], tensors[2], m, n, isGreater);
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  setIndices(tensors[3], tensors[2], m, n,
             [](double x, double y) { return x < y; });
  report = verify();
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.numWrong, m);
}

/// All elements are numbered row by row.
TEST_F(ReferenceReductionTest, IndexOfAll) {
  auto isGreater = [](double x, double y) { return x > y; };
  make("int", Combiner::ArgMaximumF, {});
  setIndices(tensors[3], tensors[2], 1, m * n, isGreater);
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_EQ(report.numExact, m * n + 1);
  double right = tensors[3].get(0);
  for (double wrong : {right + 1, right - n, -1.0}) {
    tensors[3].set(0, wrong);
    EXPECT_FALSE(verify().passed);
  }
}

/// NaN is the greatest value, or none.
TEST_F(ReferenceReductionTest, IndicesOfNaN) {
  for (Combiner combiner : {Combiner::ArgMaximumF, Combiner::ArgMaxNumF}) {
    make("int", combiner, {Dim::N}, -1);
    tensors[0].set(3 * k, std::nan(""));
    compute(combiner, 0);
    for (int64_t j = 0; j != n; ++j) {
      int64_t best = combiner == Combiner::ArgMaximumF ? 3 : 0;
      for (int64_t i = 0; i != m && combiner == Combiner::ArgMaxNumF; ++i)
        if (tensors[2].get(i * n + j) > tensors[2].get(best * n + j))
          best = i;
      tensors[3].set(j, double(best));
    }
    VerifyReport report = verify();
    EXPECT_TRUE(report.passed) << report.summarize();
    tensors[3].set(7, combiner == Combiner::ArgMaximumF ? 4 : 3);
    EXPECT_FALSE(verify().passed);
  }
}

TEST_F(ReferenceReductionTest, SumsOfExp) {
  make("normal", Combiner::SumExpF, {Dim::M});
  for (int64_t i = 0; i != m; ++i) {
    double greatest = -HUGE_VAL, sum = 0;
    for (int64_t j = 0; j != n; ++j)
      greatest = std::max(greatest, tensors[2].get(i * n + j));
    for (int64_t j = 0; j != n; ++j)
      sum += std::exp(tensors[2].get(i * n + j) - greatest);
    tensors[3].set(i, sum);
  }
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  tensors[3].set(9, tensors[3].get(9) * 1.001);
  EXPECT_FALSE(verify().passed);
}

/// Of rows with large sums, whose exp is no finite number, too.
TEST_F(ReferenceReductionTest, SumsOfExpOfLargeValues) {
  make("normal", Combiner::SumExpF, {Dim::M});
  for (int64_t i = 0; i != k; ++i)
    tensors[0].set(3 * k + i, 0x1p40 * (i + 1));
  compute(Combiner::SumExpF, 0);
  for (int64_t i = 0; i != m; ++i) {
    double greatest = -HUGE_VAL, sum = 0;
    for (int64_t j = 0; j != n; ++j)
      greatest = std::max(greatest, tensors[2].get(i * n + j));
    for (int64_t j = 0; j != n; ++j)
      sum += std::exp(tensors[2].get(i * n + j) - greatest);
    tensors[3].set(i, sum);
  }
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  tensors[3].set(3, 0.5);
  EXPECT_FALSE(verify().passed);
}

TEST_F(ReferenceReductionTest, Moments) {
  for (Combiner combiner : {Combiner::MeanF, Combiner::VarianceF}) {
    make("normal", combiner, {Dim::N});
    for (int64_t j = 0; j != n; ++j) {
      double mean = 0, squares = 0;
      for (int64_t i = 0; i != m; ++i)
        mean += tensors[2].get(i * n + j) / m;
      for (int64_t i = 0; i != m; ++i)
        squares += std::pow(tensors[2].get(i * n + j) - mean, 2);
      tensors[3].set(j, combiner == Combiner::MeanF ? mean : squares / m);
    }
    VerifyReport report = verify();
    EXPECT_TRUE(report.passed) << report.summarize();
    // That of a sample.
    tensors[3].set(9, tensors[3].get(9) * m / (m - 1));
    EXPECT_FALSE(verify().passed);
  }
}

} // namespace
} // namespace tcgemm
