//===- LibraryErrorsTest.cpp - What the library refuses
//---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"

#include <cstdlib>
#include <cstring>
#include <thread>

using namespace tcgemm;

namespace {

class LibraryErrorsTest : public LibraryTest {};

TEST_F(LibraryErrorsTest, Handles) {
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(nullptr, &desc, &plan), TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(getMessage(), "the handle is null, or none of tcgemmCreate");
  alignas(8) char other[64] = "";
  EXPECT_EQ(tcgemmPlan(reinterpret_cast<tcgemmHandle_t>(other), &desc, &plan),
            TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(tcgemmDestroy(reinterpret_cast<tcgemmHandle_t>(other)),
            TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(tcgemmRun(nullptr, other, other, nullptr, other, nullptr, nullptr),
            TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(getMessage(), "the plan is null, or none of tcgemmPlan");
  size_t bytes = 0;
  EXPECT_EQ(
      tcgemmPlanWorkspaceSize(reinterpret_cast<tcgemmPlan_t>(handle), &bytes),
      TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(tcgemmPlanDestroy(reinterpret_cast<tcgemmPlan_t>(handle)),
            TCGEMM_INVALID_HANDLE);
  EXPECT_OK(tcgemmDestroy(nullptr));
  EXPECT_OK(tcgemmPlanDestroy(nullptr));
  EXPECT_EQ(tcgemmPlan(handle, nullptr, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "desc is null");
  EXPECT_EQ(tcgemmPlan(handle, &desc, nullptr), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "plan is null");
}

TEST_F(LibraryErrorsTest, Devices) {
  tcgemmHandle_t other = handle;
  EXPECT_EQ(tcgemmCreate(&other, 7), TCGEMM_NO_DEVICE);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(getMessage(), "cuDeviceGet of 7: CUDA_ERROR_INVALID_DEVICE (101): "
                          "there is no device 7: the ordinals are 0 to 1");
  EXPECT_EQ(tcgemmCreate(&other, -2), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the device is -2, but it must be a number from 0 on "
                          "or TCGEMM_CURRENT_CONTEXT (-1)");
  EXPECT_EQ(tcgemmCreate(nullptr, 0), TCGEMM_INVALID_VALUE);
  EXPECT_OK(tcgemmCreate(&other, TCGEMM_CURRENT_CONTEXT));
  EXPECT_OK(tcgemmDestroy(other));
  std::thread([] {
    tcgemmHandle_t none = nullptr;
    EXPECT_EQ(tcgemmCreate(&none, TCGEMM_CURRENT_CONTEXT), TCGEMM_NO_DEVICE);
    EXPECT_EQ(getMessage(), "the calling thread has no current CUDA context");
  }).join();
}

TEST_F(LibraryErrorsTest, Structures) {
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  desc.structSize = 12;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "structSize is 12, but it must be " +
                    std::to_string(sizeof desc) +
                    ": the structure is not initialised, or of a newer "
                    "tcgemm.h than the library");
  EXPECT_EQ(tcgemmMatmulDescInitSized(&desc, 1000), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(tcgemmMatmulDescInit(static_cast<tcgemmMatmulDesc *>(nullptr)),
            TCGEMM_INVALID_VALUE);
}

TEST_F(LibraryErrorsTest, Types) {
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  desc.typeB = static_cast<tcgemmType>(77);
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "typeB is 77, which is no tcgemmType");
  desc.typeB = TCGEMM_F64;
  desc.typeA = TCGEMM_S8;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "types of A and B: no instruction multiplies s8 by f64");
  desc.typeA = TCGEMM_F64;
  desc.typeD = TCGEMM_S32;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "type of D: 's32' is none of bf16, f16, f32, f64");
  desc = makeDesc(8, 8, 8);
  desc.precision = "tf32";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "precision: operands of bf16 do not have tf32");
}

TEST_F(LibraryErrorsTest, Sizes) {
  tcgemmMatmulDesc desc = makeDesc(8, -1, 8);
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "n is -1, but it must be 0 to 2147483647");
  desc = makeDesc(8, 8, int64_t(1) << 31);
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "k is 2147483648, but it must be 0 to 2147483647");
  desc = makeDesc(8, 8, 24);
  desc.lda = 23;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "lda is 23, but it must be 24 to 268435456");
  desc.transA = TCGEMM_T;
  desc.lda = 7;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "lda is 7, but it must be 8 to 268435456");
  desc.lda = TCGEMM_DENSE;
  desc.batch = 3;
  desc.strideD = 63;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "strideD is 63, but it must be 64 to 72057594037927936");
  desc.strideD = TCGEMM_DENSE;
  desc.strideB = -5;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "strideB is -5, but it must be 0 to 72057594037927936");
}

TEST_F(LibraryErrorsTest, EpilogueBodies) {
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  desc.epilogueBody = "%result = math.absf %sum : f32";
  desc.epilogue = "bias_gelu";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "epilogue 'bias_gelu': with epilogueBody it names operands "
                "only, but 'gelu' has none");
  desc.epilogue = "none";
  desc.epilogueBody = "";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "epilogueBody is empty, but it must be MLIR text or null");
  desc.epilogueBody = "%result = math.absf %sum : f64";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_COMPILER);
  EXPECT_NE(getMessage().find("expects different type than prior uses: 'f64' "
                              "vs 'f32'"),
            std::string::npos)
      << getMessage();
  // Text that ends the function gives another pack than one of a product.
  desc.epilogueBody = "%result = math.absf %sum : f32\n"
                      "linalg.yield %result : f32 } ";
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_COMPILER);
  EXPECT_EQ(plan, nullptr);
}

TEST_F(LibraryErrorsTest, TwoProductsThatShareA) {
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  desc.dual = "div";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "dual product: 'div' is none of none, silu-mul, gelu-mul, "
                "gelutanh-mul, relu-mul, mul, add");
  desc.dual = "add";
  desc.typeA = desc.typeB = desc.typeD = TCGEMM_F32;
  desc.precision = "bf16x3";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_NOT_SUPPORTED);
  desc.precision = "ieee";
  desc.typeA = desc.typeB = desc.typeD = TCGEMM_F64;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_NOT_SUPPORTED);
  EXPECT_NE(getMessage().find("does not compute [dual]"), std::string::npos)
      << getMessage();
  desc = makeDesc(8, 8, 8);
  desc.dual = "add";
  desc.config = "schedule=mma_sync cta=32x32x32 warps=2x1x1";
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  desc.config = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  // tcgemmRun has no address of B2.
  DeviceMemory memory(std::vector<uint8_t>(256));
  EXPECT_EQ(tcgemmRun(plan, memory.get(), memory.get(), nullptr, memory.get(),
                      nullptr, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of B2 is null");
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryErrorsTest, Words) {
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  desc.transB = static_cast<tcgemmTranspose>(2);
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "transB is 2, but it must be 0 to 1");
  desc = makeDesc(8, 8, 8);
  for (uint32_t alignment : {0, 24, 512}) {
    desc.alignment = alignment;
    expectRefused(desc, TCGEMM_INVALID_VALUE,
                  "alignment is " + std::to_string(alignment) +
                      ", but it must be a power of two from 1 to 256");
  }
  desc = makeDesc(8, 8, 8);
  desc.alpha = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "alpha is not 1, but scaling is TCGEMM_UNSCALED");
  desc.scaling = TCGEMM_ALPHA;
  desc.beta = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "beta is not 0, but scaling is not TCGEMM_ALPHA_BETA");
  desc = makeDesc(8, 8, 8);
  desc.epilogue = "bias_cube";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("cube"), std::string::npos) << getMessage();
  desc.epilogue = "none";
  desc.dependentLaunch = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "dependentLaunch is 2, but it must be 0 to 1");
  desc.dependentLaunch = 0;
  desc.epilogue = "bias_bias_bias_bias_bias_bias_bias_bias_bias";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "the epilogue reads more than 8 operands");
}

TEST_F(LibraryErrorsTest, Configurations) {
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  desc.config = "stages=x";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("stages"), std::string::npos) << getMessage();
  desc.config = "schedule=mma_sync cta=63x64x32 warps=2x2x1";
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("cta M = 63"), std::string::npos) << getMessage();
}

TEST_F(LibraryErrorsTest, Records) {
  setenv("TCGEMM_RECORDS", "/nowhere/records.db", 1);
  tcgemmMatmulDesc desc = makeDesc(8, 8, 8);
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_FILE);
  EXPECT_NE(getMessage().find("/nowhere/records.db"), std::string::npos)
      << getMessage();
  setenv("TCGEMM_RECORDS", "", 1);
  EXPECT_OK(tcgemmPlan(handle, &desc, &plan));
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryErrorsTest, Addresses) {
  tcgemmMatmulDesc desc = makeDesc(16, 16, 16);
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.beta = 1;
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  DeviceMemory memory(4096);
  auto run = [&](void *a, void *b, void *c, void *d) {
    return tcgemmRun(plan, a, b, c, d, nullptr, nullptr);
  };
  void *good = memory.get(), *bad = memory.get(24);
  EXPECT_EQ(run(good, nullptr, good, good), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of B is null");
  EXPECT_EQ(run(good, good, nullptr, good), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of C is null, but beta is not 0");
  EXPECT_EQ(run(good, good, good, bad), TCGEMM_MISALIGNED);
  EXPECT_NE(getMessage().find("the address of D is 0x"), std::string::npos);
  EXPECT_NE(getMessage().find("but it must be a multiple of 16"),
            std::string::npos);
  tcgemmOperands operands;
  EXPECT_OK(tcgemmOperandsInit(&operands));
  operands.structSize = 3;
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(tcgemmRunOperands(plan, nullptr, nullptr, 0, nullptr),
            TCGEMM_INVALID_VALUE);
  // A driver's error has its name.
  EXPECT_EQ(tcgemmRun(plan, good, good, memory.get(1024), memory.get(1024),
                      nullptr, reinterpret_cast<CUstream_st *>(&desc)),
            TCGEMM_DRIVER);
  EXPECT_NE(getMessage().find("CUDA_ERROR_INVALID_HANDLE (400): not a stream"),
            std::string::npos)
      << getMessage();
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryErrorsTest, Scalars) {
  tcgemmMatmulDesc desc = makeDesc(16, 16, 16);
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  DeviceMemory memory(4096);
  tcgemmOperands operands;
  EXPECT_OK(tcgemmOperandsInit(&operands));
  operands.a = operands.b = operands.d = memory.get();
  operands.alpha = 2;
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(),
            "alpha is not 1, but the plan's scaling is TCGEMM_UNSCALED");
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryErrorsTest, Workspace) {
  tcgemmMatmulDesc desc = makeDesc(64, 64, 256);
  desc.config = "schedule=mma_sync cta=64x64x32 warps=2x2x1 split_k=2";
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  ASSERT_EQ(bytes, 2u * 64 * 64 * 4);
  DeviceMemory memory(bytes + 4096);
  void *at = memory.get();
  EXPECT_EQ(tcgemmRun(plan, at, at, nullptr, at, nullptr, nullptr),
            TCGEMM_WORKSPACE);
  EXPECT_EQ(getMessage(),
            "the workspace has 0 bytes, but the plan needs 32768");
  EXPECT_EQ(tcgemmRun(plan, at, at, nullptr, at, memory.get(16), nullptr),
            TCGEMM_WORKSPACE);
  EXPECT_NE(getMessage().find("but it must be a multiple of 256"),
            std::string::npos);
  tcgemmOperands operands;
  EXPECT_OK(tcgemmOperandsInit(&operands));
  operands.a = operands.b = operands.d = at;
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, at, bytes - 1, nullptr),
            TCGEMM_WORKSPACE);
  EXPECT_EQ(getMessage(),
            "the workspace has 32767 bytes, but the plan needs 32768");
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryErrorsTest, Gemm) {
  DeviceMemory memory(std::vector<uint8_t>(4096));
  float one = 1;
  void *at = memory.get();
  auto run = [&](int64_t m, int64_t lda, tcgemmType type, const float *alpha) {
    return tcgemmGemmEx(handle, TCGEMM_N, TCGEMM_N, m, 8, 8, alpha, at, type,
                        lda, at, type, 8, &one, at, TCGEMM_BF16, 8, nullptr);
  };
  // Messages have the caller's names, not those of the row-major product.
  EXPECT_EQ(run(-1, 8, TCGEMM_BF16, &one), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "m is -1, but it must be 0 to 2147483647");
  EXPECT_EQ(run(8, 7, TCGEMM_BF16, &one), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "lda is 7, but it must be 8 to 268435456");
  auto runAt = [&](const void *a, const void *b, void *c, int64_t k,
                   int64_t ldb, int64_t ldc) {
    return tcgemmGemmEx(handle, TCGEMM_T, TCGEMM_N, 8, 6, k, &one, a,
                        TCGEMM_BF16, 16, b, TCGEMM_BF16, ldb, &one, c,
                        TCGEMM_BF16, ldc, nullptr);
  };
  EXPECT_EQ(runAt(at, at, at, 16, 15, 8), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "ldb is 15, but it must be 16 to 268435456");
  EXPECT_EQ(runAt(at, at, at, 16, 16, 7), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "ldc is 7, but it must be 8 to 268435456");
  EXPECT_EQ(runAt(nullptr, at, at, 16, 16, 8), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "a is null");
  EXPECT_EQ(runAt(at, nullptr, at, 16, 16, 8), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "b is null");
  EXPECT_EQ(runAt(at, at, nullptr, 0, 1, 8), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "c is null");
  EXPECT_EQ(run(8, 8, TCGEMM_BF16, nullptr), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "alpha is null");
  EXPECT_EQ(run(8, 8, static_cast<tcgemmType>(99), &one), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "a type is 99, which is no tcgemmType");
  EXPECT_EQ(run(8, 8, TCGEMM_U4, &one), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "a type is 11, which is of 4 bits, but tcgemmGemmEx "
                          "has whole bytes");
  EXPECT_EQ(run(8, 8, TCGEMM_BF16, &one), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("share memory, but a result must have memory of "
                              "its own"),
            std::string::npos);
  DeviceMemory c(std::vector<uint8_t>(256));
  EXPECT_OK(tcgemmGemmEx(handle, TCGEMM_N, TCGEMM_N, 8, 8, 8, &one, at,
                         TCGEMM_BF16, 8, at, TCGEMM_BF16, 8, &one, c.get(),
                         TCGEMM_BF16, 8, nullptr));
}

TEST_F(LibraryErrorsTest, Names) {
  EXPECT_STREQ(tcgemmGetStatusName(TCGEMM_WORKSPACE), "TCGEMM_WORKSPACE");
  EXPECT_STREQ(tcgemmGetStatusName(static_cast<tcgemmStatus>(99)),
               "unknown status");
  EXPECT_EQ(tcgemmGetVersion(), 100);
}

} // namespace
