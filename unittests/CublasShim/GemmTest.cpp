//===- GemmTest.cpp - Products of cuBLAS ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasShimTest.h"

#include <cstdlib>
#include <random>

using namespace tcgemm;

namespace {

/// A product by one of cuBLAS's functions.
struct GemmTest : CublasShimTest {
  struct Case {
    DataType operands = R16BF, result = R16BF;
    ComputeType compute = Compute32F;
    Operation transA = OperationN, transB = OperationN;
    int m = 24, n = 40, k = 16, batch = 1, gap = 0;
    double alpha = 1, beta = 0;
    PointerMode mode = PointerHost;
    size_t offset = 0; ///< Of the addresses behind those of allocations.
  };

  static DataType getScale(ComputeType compute) {
    return compute == Compute64F   ? R64F
           : compute == Compute16F ? R16F
           : compute == Compute32I ? R32I
                                   : R32F;
  }

  /// Calls the function, which must be served, and compares all elements of C.
  template <typename Function> void check(const Case &each, Function call) {
    bool isTA = each.transA != OperationN, isTB = each.transB != OperationN;
    Operand a(each.operands, isTA ? each.k : each.m, isTA ? each.m : each.k,
              each.gap, each.batch);
    Operand b(each.operands, isTB ? each.n : each.k, isTB ? each.k : each.n,
              each.gap, each.batch);
    Operand c(each.result, each.m, each.n, each.gap, each.batch);
    for (Operand *operand : {&a, &b, &c})
      operand->upload(each.offset);
    Scalars scalars(getScale(each.compute), each.alpha, each.beta);
    ASSERT_EQ(cublasSetPointerMode_v2(handle, each.mode), StatusSuccess);
    EXPECT_EQ(
        call(each, a, b, c, scalars.alpha(each.mode), scalars.beta(each.mode)),
        StatusSuccess);
    expectServed();
    Reference{isTA, isTB, each.alpha, each.beta}.compute(a, b, c, c);
    EXPECT_EQ(c.countWrong(), 0u) << takeLog();
  }

  void checkEx(const Case &each) {
    check(each, [&](const Case &, const Operand &a, const Operand &b,
                    const Operand &c, const void *alpha, const void *beta) {
      if (each.batch == 1)
        return cublasGemmEx(handle, each.transA, each.transB, each.m, each.n,
                            each.k, alpha, a.address(), a.type, int(a.ld),
                            b.address(), b.type, int(b.ld), beta, c.address(),
                            c.type, int(c.ld), each.compute, AlgorithmDefault);
      return cublasGemmStridedBatchedEx_64(
          handle, each.transA, each.transB, each.m, each.n, each.k, alpha,
          a.address(), a.type, a.ld, a.stride, b.address(), b.type, b.ld,
          b.stride, beta, c.address(), c.type, c.ld, c.stride, each.batch,
          each.compute, AlgorithmDefaultTensorOp);
    });
  }
};

TEST_F(GemmTest, Layouts) {
  for (Operation transA : {OperationN, OperationT, OperationC})
    for (Operation transB : {OperationN, OperationT})
      for (int gap : {0, 3}) {
        SCOPED_TRACE(testing::Message() << transA << transB << gap);
        Case each;
        each.transA = transA;
        each.transB = transB;
        each.gap = gap;
        checkEx(each);
      }
}

TEST_F(GemmTest, Types) {
  const Case cases[] = {
      {R16BF, R32F, Compute32F},        {R16F, R16F, Compute32F},
      {R16F, R32F, Compute32F},         {R16F, R16F, Compute16F},
      {R32F, R32F, Compute32F},         {R32F, R32F, Compute32FFastTF32},
      {R32F, R32F, Compute32FFast16BF}, {R32F, R32F, Compute32FFast16F},
      {R64F, R64F, Compute64F},         {R8I, R32I, Compute32I}};
  for (const Case &each : cases) {
    SCOPED_TRACE(testing::Message()
                 << each.operands << " " << each.result << " " << each.compute);
    checkEx(each);
  }
}

TEST_F(GemmTest, ScalarsInHostMemory) {
  for (auto [type, compute] :
       {std::pair(R16BF, Compute32F), std::pair(R16F, Compute16F),
        std::pair(R64F, Compute64F)})
    for (auto [alpha, beta] :
         {std::pair(-2.0, 0.0), std::pair(1.0, 1.0), std::pair(0.5, -0.25)}) {
      SCOPED_TRACE(testing::Message() << type << " " << alpha << " " << beta);
      Case each;
      each.operands = each.result = type;
      each.compute = compute;
      each.alpha = alpha;
      each.beta = beta;
      checkEx(each);
    }
}

TEST_F(GemmTest, ScalarsInDeviceMemory) {
  for (auto [type, compute] :
       {std::pair(R16BF, Compute32F), std::pair(R32F, Compute32F),
        std::pair(R64F, Compute64F)})
    for (auto [alpha, beta] : {std::pair(2.0, 0.0), std::pair(0.5, 1.0)}) {
      SCOPED_TRACE(testing::Message() << type << " " << alpha << " " << beta);
      Case each;
      each.operands = each.result = type;
      each.compute = compute;
      each.alpha = alpha;
      each.beta = beta;
      each.mode = PointerDevice;
      checkEx(each);
    }
}

TEST_F(GemmTest, Batches) {
  for (int gap : {0, 5}) {
    Case each;
    each.batch = 3;
    each.gap = gap;
    each.beta = 1;
    each.transB = OperationT;
    checkEx(each);
  }
}

/// TCGEMM_SEED and TCGEMM_CUBLAS_CASES set the seed and the number of products.
TEST_F(GemmTest, RandomProducts) {
  auto getNumber = [](const char *name, unsigned value) {
    const char *text = std::getenv(name);
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
                : value;
  };
  struct Types {
    DataType operands, result;
    ComputeType compute;
    size_t bytes;
  };
  const Types types[] = {{R16BF, R16BF, Compute32F, 2},
                         {R16F, R32F, Compute32F, 4},
                         {R32F, R32F, Compute32F, 4},
                         {R64F, R64F, Compute64F, 8}};
  unsigned seed = getNumber("TCGEMM_SEED", 1);
  std::mt19937 random(seed);
  auto draw = [&](unsigned count) {
    return static_cast<int>(random() % count);
  };
  for (unsigned i = 0; i != getNumber("TCGEMM_CUBLAS_CASES", 60); ++i) {
    const Types &drawn = types[draw(4)];
    Case each{drawn.operands, drawn.result, drawn.compute};
    each.transA = draw(3);
    each.transB = draw(3);
    each.m = 1 + draw(40);
    each.n = 1 + draw(40);
    each.k = 1 + draw(60);
    each.batch = draw(3) ? 1 : 1 + draw(4);
    each.gap = draw(2) ? 0 : draw(9);
    each.alpha = draw(2) ? 1 : 0.5 - draw(4);
    each.beta = draw(2) ? 0 : 0.25 * (draw(9) - 4);
    each.mode = draw(3) ? PointerHost : PointerDevice;
    each.offset = draw(2) ? 0 : drawn.bytes * draw(4);
    SCOPED_TRACE(testing::Message()
                 << "TCGEMM_SEED=" << seed << " number " << i << ": types "
                 << each.operands << " " << each.result << " ops "
                 << each.transA << each.transB << " " << each.m << "x" << each.n
                 << "x" << each.k << " batch " << each.batch << " gap "
                 << each.gap << " alpha " << each.alpha << " beta " << each.beta
                 << " mode " << each.mode << " offset " << each.offset);
    checkEx(each);
    if (HasFailure())
      return;
  }
}

TEST_F(GemmTest, Alignment) {
  for (size_t offset : {2, 4, 8}) {
    SCOPED_TRACE(offset);
    Case each;
    each.offset = offset;
    checkEx(each);
  }
}

/// Functions of one type.
TEST_F(GemmTest, Plain) {
  auto plain = [&](auto function, auto strided, DataType type,
                   ComputeType compute) {
    Case each;
    each.operands = each.result = type;
    each.compute = compute;
    each.alpha = 2;
    each.beta = 1;
    check(each, [&](const Case &, const Operand &a, const Operand &b,
                    const Operand &c, const void *alpha, const void *beta) {
      return function(handle, each.transA, each.transB, each.m, each.n, each.k,
                      alpha, a.address(), a.ld, b.address(), b.ld, beta,
                      c.address(), c.ld);
    });
    each.batch = 2;
    check(each, [&](const Case &, const Operand &a, const Operand &b,
                    const Operand &c, const void *alpha, const void *beta) {
      return strided(handle, each.transA, each.transB, each.m, each.n, each.k,
                     alpha, a.address(), a.ld, a.stride, b.address(), b.ld,
                     b.stride, beta, c.address(), c.ld, c.stride, each.batch);
    });
  };
  plain(cublasSgemm_v2, cublasSgemmStridedBatched, R32F, Compute32F);
  plain(cublasSgemm_v2_64, cublasSgemmStridedBatched_64, R32F, Compute32F);
  plain(cublasDgemm_v2, cublasDgemmStridedBatched_64, R64F, Compute64F);
  plain(cublasHgemm_64, cublasHgemmStridedBatched, R16F, Compute16F);
}

TEST_F(GemmTest, SgemmEx) {
  Case each;
  each.operands = R16F;
  each.result = R32F;
  check(each, [&](const Case &, const Operand &a, const Operand &b,
                  const Operand &c, const void *alpha, const void *beta) {
    return cublasSgemmEx(handle, each.transA, each.transB, each.m, each.n,
                         each.k, alpha, a.address(), a.type, int(a.ld),
                         b.address(), b.type, int(b.ld), beta, c.address(),
                         c.type, int(c.ld));
  });
}

/// An f32 value that tf32 rounds shows which precision was used.
TEST_F(GemmTest, MathModesDecideAboutTF32) {
  constexpr double fine = 1 + 1.0 / 4096;
  auto multiply = [&](MathMode mode) {
    EXPECT_EQ(cublasSetMathMode(handle, mode), StatusSuccess);
    Operand a(R32F, 16, 16), b(R32F, 16, 16), c(R32F, 16, 16);
    for (int i = 0; i != 16; ++i)
      for (int k = 0; k != 16; ++k) {
        a.set(0, i, k, i == k ? fine : 0);
        b.set(0, i, k, i == k ? 1 : 0);
      }
    a.upload();
    b.upload();
    float one = 1, zero = 0;
    EXPECT_EQ(cublasSgemm_v2(handle, OperationN, OperationN, 16, 16, 16, &one,
                             a.address(), 16, b.address(), 16, &zero,
                             c.address(), 16),
              StatusSuccess);
    expectServed();
    Reference{false, false}.compute(a, b, c, c);
    return c.getLargestError();
  };
  EXPECT_EQ(multiply(MathDefault), 0);
  EXPECT_EQ(multiply(MathDisallowReducedPrecisionReduction), 0);
  EXPECT_EQ(multiply(MathTensorOp), 0);
  EXPECT_GT(multiply(MathTF32), 0);
  EXPECT_GT(multiply(MathTF32 + MathDisallowReducedPrecisionReduction), 0);
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  EXPECT_EQ(multiply(MathTF32), 0);
  unsetenv("NVIDIA_TF32_OVERRIDE");
}

/// The stream of the handle is the one that the kernel runs in.
TEST_F(GemmTest, Streams) {
  Stream stream = nullptr;
  callDriver<Stream *, unsigned>("cuStreamCreate", &stream, 0);
  ASSERT_EQ(cublasSetStream_v2(handle, stream), StatusSuccess);
  checkEx({});
  callDriver<Stream>("cuStreamDestroy_v2", stream);
  // The driver refuses it, and cuBLAS would, too. It is not called, because a
  // part of the product may have been launched.
  Operand a(R16BF, 24, 16), b(R16BF, 16, 40), c(R16BF, 24, 40);
  float one = 1, zero = 0;
  EXPECT_EQ(cublasGemmEx(handle, OperationN, OperationN, 24, 40, 16, &one,
                         a.address(), R16BF, 24, b.address(), R16BF, 16, &zero,
                         c.address(), R16BF, 24, Compute32F, AlgorithmDefault),
            StatusExecutionFailed);
  expectServed();
  EXPECT_NE(takeLog().find("served, but it has failed: "), std::string::npos);
}

} // namespace
