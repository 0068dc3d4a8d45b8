//===- ForwardTest.cpp - Calls that are forwarded -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasShimTest.h"

#include <thread>

using namespace tcgemm;

namespace {

/// A product of cublasGemmEx whose arguments tests change.
struct ForwardTest : CublasShimTest {
  Operation transA = OperationN, transB = OperationN;
  int m = 24, n = 40, k = 16;
  float alpha = 1, beta = 0;
  DataType typeA = R16BF, typeB = R16BF, typeC = R16BF;
  ComputeType compute = Compute32F;
  GemmAlgorithm algorithm = AlgorithmDefault;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(16384);

  Status run(Handle on, const void *a, const void *b, void *c,
             const void *alphaAt, const void *betaAt) const {
    return cublasGemmEx(on, transA, transB, m, n, k, alphaAt, a, typeA, m, b,
                        typeB, k, betaAt, c, typeC, m, compute, algorithm);
  }
  Status run() const {
    DeviceBytes memory(bytes), c(bytes);
    return run(handle, memory.get(), memory.get(), c.get(), &alpha, &beta);
  }
  void expectRefused(const std::string &reason) {
    EXPECT_EQ(run(), StatusSuccess);
    expectForwarded("cublasGemmEx", reason);
  }
  void expectAccepted() {
    EXPECT_EQ(run(), StatusSuccess);
    expectServed();
    takeLog();
  }
};

TEST_F(ForwardTest, Arguments) {
  expectAccepted();
  transA = 3;
  expectRefused("the operation is none of N, T and C");
  transA = OperationN;
  for (int *size : {&m, &n, &k}) {
    int before = std::exchange(*size, 0);
    expectRefused("the product is empty");
    *size = -1;
    expectRefused("the product is empty");
    *size = before;
  }
  for (GemmAlgorithm other : {0, 23, 100, 999}) {
    algorithm = other;
    expectRefused("the call names an algorithm");
  }
  algorithm = AlgorithmDefault;
  alpha = 0;
  expectRefused("the values of alpha and beta");
}

/// cuBLAS itself does with them what it does.
TEST_F(ForwardTest, SharedMemory) {
  DeviceBytes memory(bytes);
  EXPECT_EQ(
      run(handle, memory.get(), memory.get(), memory.get(), &alpha, &beta),
      StatusSuccess);
  expectForwarded("cublasGemmEx", "tcgemm refuses the arguments: A at 0x");
}

TEST_F(ForwardTest, Types) {
  for (DataType *type : {&typeA, &typeB, &typeC}) {
    DataType before = std::exchange(*type, 28); // FP8
    expectRefused("the types, or the compute type");
    *type = R64F;
    expectRefused("the types, or the compute type");
    *type = before;
  }
  // Pedantic and emulated compute types, and those of other operands.
  for (ComputeType other : {0, 64, 65, 69, 70, 72, 77, 78, 1000}) {
    compute = other;
    expectRefused("the types, or the compute type");
  }
}

TEST_F(ForwardTest, IntegersHaveNoFactors) {
  typeA = typeB = R8I;
  typeC = R32I;
  compute = Compute32I;
  DeviceBytes memory(bytes);
  for (auto [first, second] : {std::pair(2, 0), std::pair(1, 1)}) {
    int32_t integers[] = {first, second};
    EXPECT_EQ(run(handle, memory.get(), memory.get(), memory.get(),
                  &integers[0], &integers[1]),
              StatusSuccess);
    expectForwarded("cublasGemmEx", "the values of alpha and beta");
  }
  ASSERT_EQ(cublasSetPointerMode_v2(handle, PointerDevice), StatusSuccess);
  EXPECT_EQ(run(handle, memory.get(), memory.get(), memory.get(), memory.get(),
                memory.get(4)),
            StatusSuccess);
  expectForwarded("cublasGemmEx", "the pointer mode");
}

/// Kernels read alpha and beta of f32 for operands of f16.
TEST_F(ForwardTest, HalvesInDeviceMemory) {
  typeA = typeB = typeC = R16F;
  compute = Compute16F;
  ASSERT_EQ(cublasSetPointerMode_v2(handle, PointerDevice), StatusSuccess);
  DeviceBytes memory(bytes);
  EXPECT_EQ(run(handle, memory.get(), memory.get(), memory.get(), memory.get(),
                memory.get(4)),
            StatusSuccess);
  expectForwarded("cublasGemmEx", "the pointer mode");
}

TEST_F(ForwardTest, Handles) {
  DeviceBytes memory(bytes);
  EXPECT_EQ(
      run(nullptr, memory.get(), memory.get(), memory.get(), &alpha, &beta),
      StatusSuccess);
  expectForwarded("cublasGemmEx", "cuBLAS refuses the handle");
  for (MathMode mode : {2, 4, 8, 18}) {
    ASSERT_EQ(cublasSetMathMode(handle, mode), StatusSuccess);
    expectRefused("the math mode");
  }
  ASSERT_EQ(cublasSetMathMode(handle, MathDefault), StatusSuccess);
  ASSERT_EQ(cublasSetSmCountTarget(handle, 8), StatusSuccess);
  expectRefused("the handle limits the number of SMs");
  ASSERT_EQ(cublasSetSmCountTarget(handle, 0), StatusSuccess);
  ASSERT_EQ(cublasSetPointerMode_v2(handle, 7), StatusSuccess);
  expectRefused("the pointer mode");
}

TEST_F(ForwardTest, Addresses) {
  DeviceBytes memory(bytes);
  void *good = memory.get();
  auto expect = [&](const void *a, const void *b, void *c, const void *first,
                    const void *second, const char *reason) {
    EXPECT_EQ(run(handle, a, b, c, first, second), StatusSuccess);
    expectForwarded("cublasGemmEx", reason);
  };
  expect(nullptr, good, good, &alpha, &beta, "an address is null");
  expect(good, nullptr, good, &alpha, &beta, "an address is null");
  expect(good, good, nullptr, &alpha, &beta, "an address is null");
  expect(good, good, good, nullptr, &beta, "an address is null");
  expect(good, good, good, &alpha, nullptr, "an address is null");
  expect(memory.get(1), good, good, &alpha, &beta,
         "tcgemm refuses the arguments: the address of");
}

TEST_F(ForwardTest, Layouts) {
  DeviceBytes memory(bytes);
  EXPECT_EQ(cublasGemmEx(handle, transA, transB, m, n, k, &alpha, memory.get(),
                         R16BF, m - 1, memory.get(), R16BF, k, &beta,
                         memory.get(), R16BF, m, Compute32F, algorithm),
            StatusSuccess);
  expectForwarded("cublasGemmEx", "tcgemm has no kernel: ldb is 23, but");
  // Matrices of D that overlap.
  EXPECT_EQ(cublasGemmStridedBatchedEx(handle, transA, transB, m, n, k, &alpha,
                                       memory.get(), R16BF, m, 0, memory.get(),
                                       R16BF, k, 0, &beta, memory.get(), R16BF,
                                       m, 8, 2, Compute32F, algorithm),
            StatusSuccess);
  expectForwarded("cublasGemmStridedBatchedEx",
                  "tcgemm has no kernel: strideD is 8, but");
}

TEST_F(ForwardTest, TablesOfAddresses) {
  DeviceBytes memory(bytes);
  auto *table = static_cast<void *const *>(memory.get());
  EXPECT_EQ(cublasGemmBatchedEx(handle, transA, transB, m, n, k, &alpha, table,
                                R16BF, m, table, R16BF, k, &beta, table, R16BF,
                                m, 2, Compute32F, algorithm),
            StatusSuccess);
  expectForwarded("cublasGemmBatchedEx",
                  "the addresses of the matrices are in tables");
  EXPECT_EQ(cublasDgemmBatched_64(handle, transA, transB, m, n, k, &alpha,
                                  table, m, table, k, &beta, table, m, 2),
            StatusSuccess);
  expectForwarded("cublasDgemmBatched_64", "the addresses of the matrices");
}

TEST_F(ForwardTest, NoContext) {
  DeviceBytes memory(bytes);
  std::thread([&] {
    EXPECT_EQ(
        run(handle, memory.get(), memory.get(), memory.get(), &alpha, &beta),
        StatusSuccess);
  }).join();
  expectForwarded("cublasGemmEx", "no current CUDA context");
}

/// Calls that cuBLAS makes itself are not counted.
TEST_F(ForwardTest, NestedCalls) {
  algorithm = 0;
  fakeCublasSetNested(1);
  EXPECT_EQ(run(), StatusSuccess);
  fakeCublasSetNested(0);
  expectForwarded("cublasGemmEx cublasLtMatmul", "the call names an algorithm");
}

TEST_F(ForwardTest, Captures) {
  k = 19; // Not planned yet.
  Stream stream = nullptr;
  callDriver<Stream *, unsigned>("cuStreamCreate", &stream, 0);
  ASSERT_EQ(cublasSetStream_v2(handle, stream), StatusSuccess);
  auto capture = [&] {
    void *graph = nullptr;
    callDriver<Stream, int>("cuStreamBeginCapture_v2", stream, 0);
    EXPECT_EQ(run(), StatusSuccess);
    callDriver<Stream, void **>("cuStreamEndCapture", stream, &graph);
    callDriver<void *>("cuGraphDestroy", graph);
  };
  capture();
  expectForwarded("cublasGemmEx",
                  "the stream is captured, and there is no plan yet");
  expectAccepted();
  // The plan packs A, for which the graph must not allocate memory.
  m = 31;
  expectAccepted();
  capture();
  expectForwarded("cublasGemmEx", "the kernel needs a larger workspace: ");
  DeviceBytes workspace(std::vector<uint8_t>(1 << 16));
  ASSERT_EQ(cublasSetWorkspace_v2(handle, workspace.get(), 1 << 16),
            StatusSuccess);
  capture();
  expectServed();
  // cublasSetStream takes the workspace away.
  ASSERT_EQ(cublasSetStream_v2(handle, stream), StatusSuccess);
  capture();
  expectForwarded("cublasGemmEx", "the kernel needs a larger workspace: ");
  ASSERT_EQ(cublasSetStream_v2(handle, nullptr), StatusSuccess);
  callDriver<Stream>("cuStreamDestroy_v2", stream);
}

} // namespace
