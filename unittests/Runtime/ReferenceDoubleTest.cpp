//===- ReferenceDoubleTest.cpp - The verification of f64 ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device's sums of f64 have the precision of the host's double. The reference
// must be more precise, and its tolerance as small as for other types.
//
//===----------------------------------------------------------------------===//

#include "ReferenceFixture.h"

#include <cmath>

using namespace tcgemm;

namespace {

class ReferenceDoubleTest : public ReferenceFixture {
protected:
  void make(int64_t m, int64_t n, int64_t k, const char *fill) {
    kernel = makeTestPack().manifest.kernels[0];
    for (OperandInfo &operand : kernel.operands)
      operand.type = ScalarType::F64;
    kernel.epilogue.ops = {{"argument", ScalarType::F64}};
    kernel.epilogue.yields = {0};
    FillOptions options = llvm::cantFail(parseFill(fill));
    a = HostTensor(ScalarType::F64, StridedShape::rowMajor({m, k}), 0xff);
    b = HostTensor(ScalarType::F64, StridedShape::rowMajor({n, k}), 0xff);
    d = HostTensor(ScalarType::F64, StridedShape::rowMajor({m, n}), 0xff);
    ASSERT_FALSE(bool(fillTensor(a, options, 1)));
    ASSERT_FALSE(bool(fillTensor(b, options, 2)));
    problem.kernel = &kernel;
    problem.sizes = makeSizes(m, n, k);
    problem.isZeroMean = std::string(fill) != "special";
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != n; ++j) {
        double sum = 0; // Backwards: another order than the reference's.
        for (int64_t l = k; l-- > 0;)
          sum = std::fma(a.get(i * k + l), b.get(j * k + l), sum);
        d.set(i * n + j, sum);
      }
  }
};

TEST_F(ReferenceDoubleTest, RightResultsPass) {
  for (const char *fill : {"normal", "uniform", "int", "special"})
    for (auto [m, n, k] : {std::tuple(1, 1, 1), std::tuple(130, 67, 300),
                           std::tuple(5, 300, 1000)}) {
      make(m, n, k, fill);
      VerifyReport report = verify();
      EXPECT_TRUE(report.passed) << fill << ": " << report.summarize();
      EXPECT_LT(report.maxRatio, 0.5) << fill << ": " << report.summarize();
    }
}

// An error that f32 would hide is found.
TEST_F(ReferenceDoubleTest, AnErrorOfManyUnitsIsFound) {
  make(40, 40, 512, "normal");
  d.set(7 * 40 + 9, d.get(7 * 40 + 9) + 0x1p-38);
  VerifyReport report = verify();
  EXPECT_EQ(report.numWrong, 1);
  make(20, 20, 64, "int");
  d.set(25, d.get(25) * (1 + 0x1p-52) + 0x1p-40);
  EXPECT_FALSE(verify().passed);
}

// In f32 these sums would overflow, or vanish.
TEST_F(ReferenceDoubleTest, TheRangeIsThatOfDouble) {
  for (double scale : {0x1p500, 0x1p-500}) {
    make(8, 8, 16, "int");
    for (int64_t i = 0; i != 8 * 16; ++i) {
      a.set(i, a.get(i) * scale);
      b.set(i, b.get(i) * scale);
    }
    for (int64_t i = 0; i != 64; ++i)
      d.set(i, d.get(i) * scale * scale);
    VerifyReport report = verify();
    EXPECT_TRUE(report.passed) << report.summarize();
    d.set(9, d.get(9) + 16 * scale * scale);
    EXPECT_FALSE(verify().passed);
  }
}

TEST_F(ReferenceDoubleTest, FreivaldsHasThePrecision) {
  options.maxWork = 1;
  options.sampleWork = 1000;
  make(300, 200, 150, "normal");
  VerifyReport report = verify();
  EXPECT_TRUE(report.passed) << report.summarize();
  EXPECT_GE(report.freivalds, 0) << report.summarize();
  for (int64_t i = 0; i != 200; ++i)
    d.set(150 * 200 + i, d.get(150 * 200 + i) + 0x1p-30);
  EXPECT_FALSE(verify().passed);
}

} // namespace
