//===- ResultCheckerTest.cpp - Many results of one problem ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/ResultChecker.h"
#include "TunerTestUtils.h"
#include "tcgemm/Runtime/Reference.h"

using namespace tcgemm;

namespace {

/// D = A·B of bf16 in layout TN, on the host.
class ResultCheckerTest : public testing::Test {
protected:
  static constexpr int64_t kM = 70, kN = 50, kK = 96;

  ResultCheckerTest() {
    kernel.name = "k";
    kernel.operands = {
        {"A", OperandUse::A, ScalarType::BF16, {Dim::M, Dim::K}},
        {"B", OperandUse::B, ScalarType::BF16, {Dim::N, Dim::K}},
        {"D", OperandUse::Output, ScalarType::BF16, {Dim::M, Dim::N}}};
    kernel.epilogue.ops = {{"argument", ScalarType::F32},
                           {"arith.truncf", ScalarType::BF16, {0}}};
    kernel.epilogue.yields = {1};
    std::pair<int64_t, int64_t> shapes[] = {{kM, kK}, {kN, kK}, {kM, kN}};
    for (auto [i, shape] : llvm::enumerate(shapes)) {
      ProblemBuffer buffer;
      buffer.name = "arg" + std::to_string(i);
      buffer.operandName = kernel.operands[i].name;
      buffer.type = ScalarType::BF16;
      buffer.shape = StridedShape::rowMajor({shape.first, shape.second});
      buffer.isRead = i != 2;
      buffer.isWritten = i == 2;
      EXPECT_FALSE(buffer.fillImage(i));
      launch.operands.push_back({static_cast<unsigned>(i), 0, buffer.shape});
      buffers.push_back(std::move(buffer));
    }
    launch.kernel = &kernel;
    multiply();
  }

  /// The right result, rounded once.
  void multiply() {
    result.resize(3);
    result[2] = buffers[2].image;
    for (int64_t m = 0; m != kM; ++m)
      for (int64_t n = 0; n != kN; ++n) {
        double sum = 0;
        for (int64_t k = 0; k != kK; ++k)
          sum += get(0, m * kK + k) * get(1, n * kK + k);
        set(m, n, sum);
      }
  }
  double get(unsigned buffer, int64_t offset) {
    return loadElement(ScalarType::BF16, buffers[buffer].image.data() +
                                             buffers[buffer].getStart() +
                                             2 * offset);
  }
  double getResult(int64_t m, int64_t n) {
    return loadElement(ScalarType::BF16, result[2].data() +
                                             buffers[2].getStart() +
                                             2 * (m * kN + n));
  }
  void set(int64_t m, int64_t n, double value) {
    storeElement(ScalarType::BF16, value,
                 result[2].data() + buffers[2].getStart() + 2 * (m * kN + n));
  }
  std::string check() {
    return unwrap(
        checker.check(launch, {kM, kN, kK, 1, 1, 1}, buffers, result));
  }

  KernelInfo kernel;
  ProblemLaunch launch;
  std::vector<ProblemBuffer> buffers;
  std::vector<std::vector<uint8_t>> result;
  ResultChecker checker;
};

TEST_F(ResultCheckerTest, TheFirstIsCheckedAndLaterOnesCompared) {
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(), "");
  // Rounded in the other direction.
  double value = getResult(3, 4);
  set(3, 4, value + getUlp(ScalarType::BF16, value));
  EXPECT_EQ(check(), "");
  EXPECT_EQ(checker.numReference, 1u);
  EXPECT_EQ(checker.numCompared, 2u);
}

TEST_F(ResultCheckerTest, EveryElementCounts) {
  EXPECT_EQ(check(), "");
  for (auto [m, n] :
       {std::pair<int64_t, int64_t>(0, 0), {kM - 1, kN - 1}, {17, 31}}) {
    double value = getResult(m, n);
    set(m, n, value + 3);
    EXPECT_NE(check().find(llvm::formatv("out[0, {0}, {1}]", m, n).str()),
              std::string::npos);
    set(m, n, std::nan(""));
    EXPECT_NE(check(), "");
    set(m, n, value);
  }
  EXPECT_EQ(check(), "");
}

TEST_F(ResultCheckerTest, AWrongFirstResultIsNotKept) {
  double value = getResult(5, 5);
  set(5, 5, value + 3);
  EXPECT_NE(check(), "");
  set(5, 5, value);
  EXPECT_EQ(check(), "");
  EXPECT_EQ(checker.numReference, 2u);
  EXPECT_EQ(checker.numCompared, 0u);
}

/// If the kept result has a small error in an element that was not checked, a
/// right result is still right.
TEST_F(ResultCheckerTest, AKeptErrorCondemnsNobody) {
  checker.options.maxWork = 0; // Samples only, and Freivalds' check.
  checker.options.sampleWork = 0;
  double value = getResult(40, 20);
  set(40, 20, value * 1.05);
  std::string first = check();
  set(40, 20, value);
  EXPECT_EQ(check(), "") << "the first: " << first;
}

} // namespace
