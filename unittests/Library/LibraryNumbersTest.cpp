//===- LibraryNumbersTest.cpp - Products of complex numbers ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All components are small integers, so that results are compared by equality.
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"
#include "tcgemm/Problem/NamedBilinear.h"
#include "tcgemm/Runtime/HostTensor.h"

#include <algorithm>

using namespace tcgemm;

namespace {

/// Matrices of numbers with `components` components each.
struct NumberMatrix {
  NumberMatrix(ScalarType type, int64_t numbers, int64_t components, int seed)
      : type(type), components(components),
        bytes(numbers * components * getByteSize(type)) {
    for (int64_t i = 0; i != numbers * components; ++i)
      store(i, static_cast<int>((i * 7 + i / 5 + seed) % 5) - 2);
  }
  double get(int64_t number, int64_t component) const {
    return loadElement(type, bytes.data(), number * components + component);
  }
  void store(int64_t i, double value) {
    storeElement(type, value, bytes.data(), i);
  }

  ScalarType type;
  int64_t components;
  std::vector<uint8_t> bytes;
};

/// A product of numbers, in a loop and by the library.
class NumberProduct {
public:
  explicit NumberProduct(const tcgemmMatmulDesc &desc)
      : desc(desc), algebra(*BilinearAlgebra::parse(desc.algebra)),
        components(algebra.info->numComponents),
        lda(choose(desc.lda, desc.transA ? desc.m : desc.k)),
        ldb(choose(desc.ldb, desc.transB ? desc.k : desc.n)),
        ldd(choose(desc.ldd, desc.n)),
        strideA(choose(desc.strideA, (desc.transA ? desc.k : desc.m) * lda)),
        strideB(choose(desc.strideB, (desc.transB ? desc.n : desc.k) * ldb)),
        strideD(desc.m * ldd),
        a(getScalarType(desc.typeA),
          countNumbers(strideA, desc.transA ? desc.k : desc.m, lda), components,
          1),
        b(getScalarType(desc.typeB),
          countNumbers(strideB, desc.transB ? desc.n : desc.k, ldb), components,
          2),
        c(getScalarType(desc.typeD), desc.batch * strideD, components, 3),
        d(c) {}

  void check(tcgemmHandle_t handle) {
    DeviceMemory onA(a.bytes), onB(b.bytes), onD(d.bytes);
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = onA.get(), operands.b = onB.get(), operands.d = onD.get();
    operands.alpha = desc.alpha, operands.beta = desc.beta;
    // C is D.
    if (desc.scaling == TCGEMM_ALPHA_BETA)
      operands.c = onD.get();
    runProduct(handle, desc, operands);
    compute();
    EXPECT_EQ(onD.read(), d.bytes);
  }

private:
  int64_t countNumbers(int64_t stride, int64_t rows, int64_t ld) const {
    return (desc.batch - 1) * stride + rows * ld;
  }
  static int64_t choose(int64_t given, int64_t dense) {
    return given == TCGEMM_DENSE ? dense : given;
  }
  double sum(int64_t batch, int64_t i, int64_t j, unsigned p) const {
    double value = 0;
    for (int64_t k = 0; k != desc.k; ++k)
      for (unsigned q = 0; q != components; ++q)
        for (unsigned r = 0; r != components; ++r)
          value +=
              algebra.getConstant(q, r, p) *
              a.get(batch * strideA + (desc.transA ? k * lda + i : i * lda + k),
                    q) *
              b.get(batch * strideB + (desc.transB ? j * ldb + k : k * ldb + j),
                    r);
    return value;
  }
  void compute() {
    for (int64_t batch = 0; batch != desc.batch; ++batch)
      for (int64_t i = 0; i != desc.m; ++i)
        for (int64_t j = 0; j != desc.n; ++j)
          for (unsigned p = 0; p != components; ++p) {
            int64_t at = batch * strideD + i * ldd + j;
            d.store(at * components + p, desc.alpha * sum(batch, i, j, p) +
                                             desc.beta * c.get(at, p));
          }
  }

  const tcgemmMatmulDesc desc;
  const BilinearAlgebra algebra;
  const int64_t components, lda, ldb, ldd, strideA, strideB, strideD;
  const NumberMatrix a, b, c;
  NumberMatrix d;
};

class LibraryNumbersTest : public LibraryTest {
protected:
  static tcgemmMatmulDesc makeProduct(tcgemmType type,
                                      const char *algebra = "complex") {
    tcgemmMatmulDesc desc = makeDesc(24, 40, 36);
    desc.typeA = desc.typeB = desc.typeD = type;
    desc.algebra = algebra;
    return desc;
  }
};

TEST_F(LibraryNumbersTest, Types) {
  for (tcgemmType type : {TCGEMM_F64, TCGEMM_F32, TCGEMM_BF16})
    for (tcgemmTranspose transB : {TCGEMM_N, TCGEMM_T}) {
      SCOPED_TRACE(static_cast<int>(type));
      SCOPED_TRACE(static_cast<int>(transB));
      tcgemmMatmulDesc desc = makeProduct(type);
      desc.transB = transB;
      if (type == TCGEMM_BF16)
        desc.typeD = TCGEMM_F32;
      NumberProduct(desc).check(handle);
    }
}

TEST_F(LibraryNumbersTest, OtherNumbers) {
  for (const char *algebra : {"complex-conj-a", "complex-conj-ab",
                              "split-complex", "dual", "quaternion"})
    for (tcgemmType type : {TCGEMM_F64, TCGEMM_F32}) {
      SCOPED_TRACE(algebra);
      NumberProduct(makeProduct(type, algebra)).check(handle);
    }
}

/// Rows with gaps, alpha, and C in the memory of D.
TEST_F(LibraryNumbersTest, Scalars) {
  for (tcgemmType type : {TCGEMM_F64, TCGEMM_F32}) {
    tcgemmMatmulDesc desc = makeProduct(type);
    desc.lda = 44, desc.ldb = 48, desc.ldc = desc.ldd = 52;
    desc.scaling = TCGEMM_ALPHA_BETA;
    desc.alpha = 2, desc.beta = -3;
    // Lanes outside of the matrix read elements again that others write.
    desc.m = 64, desc.n = 64;
    desc.ldb = desc.ldc = desc.ldd = 72;
    NumberProduct(desc).check(handle);
  }
}

TEST_F(LibraryNumbersTest, Batches) {
  for (tcgemmType type : {TCGEMM_F64, TCGEMM_F32})
    for (tcgemmTranspose transB : {TCGEMM_N, TCGEMM_T}) {
      tcgemmMatmulDesc desc = makeProduct(type);
      desc.batch = 3;
      desc.transB = transB;
      NumberProduct(desc).check(handle);
      // All products share B, or A; or there are gaps between matrices.
      desc.strideB = 0;
      NumberProduct(desc).check(handle);
      desc.strideA = 0;
      desc.strideB = 40 * 36 + 8;
      NumberProduct(desc).check(handle);
    }
}

/// Kernels do not take a transposed A: it is copied.
TEST_F(LibraryNumbersTest, TransposedA) {
  for (tcgemmType type : {TCGEMM_F64, TCGEMM_F32, TCGEMM_BF16})
    for (int64_t batch : {1, 2}) {
      tcgemmMatmulDesc desc = makeProduct(type);
      desc.transA = TCGEMM_T;
      desc.batch = batch;
      desc.lda = 28;
      NumberProduct(desc).check(handle);
    }
}

TEST_F(LibraryNumbersTest, Refused) {
  tcgemmMatmulDesc desc = makeProduct(TCGEMM_S8);
  desc.typeD = TCGEMM_S32;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "algebra complex: A and B are of s8, but numbers have "
                "components of f16, bf16, f32 or f64");
  desc = makeProduct(TCGEMM_F32);
  desc.epilogue = "bias";
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "algebra complex: numbers with components do not go with bias");
  desc.epilogue = "none";
  desc.reductions = "amax";
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "algebra complex: numbers with components do not go with "
                "reductions");
  desc.reductions = "none";
  desc.k = 0;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "k is 0, but it must be 1 to 1073741823");
  desc.k = 36;
  desc.algebra = "octonion";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("; or numbers with components: complex, "
                              "split-complex, dual, quaternion"),
            std::string::npos)
      << getMessage();
}

/// Shared memory is found in matrices of numbers, too.
TEST_F(LibraryNumbersTest, SharedMemory) {
  tcgemmMatmulDesc desc = makeProduct(TCGEMM_F32);
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  DeviceMemory workspace(bytes + 256), memory(std::vector<uint8_t>(65536));
  // A has 24 x 36 numbers of 8 bytes.
  EXPECT_EQ(tcgemmRun(plan, memory.get(), memory.get(32768), nullptr,
                      memory.get(24 * 36 * 8 - 16), workspace.get(), nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage().find("A at 0x"), 0u) << getMessage();
  EXPECT_OK(tcgemmRun(plan, memory.get(), memory.get(32768), nullptr,
                      memory.get(24 * 36 * 8), workspace.get(), nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

} // namespace
