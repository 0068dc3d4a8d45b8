//===- LibraryScalarsTest.cpp - Alpha, beta and C in the C library --------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"
#include "tcgemm/Runtime/HostTensor.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

using namespace tcgemm;

namespace {

constexpr int64_t kM = 24, kN = 40, kK = 72;

/// Elements of a type, in the host's memory.
class Elements {
public:
  Elements(ScalarType type, int64_t count, double value)
      : type(type), bytes(count * getByteSize(type)) {
    for (int64_t i = 0; i != count; ++i)
      set(i, value);
  }
  double get(int64_t i) const {
    return loadElement(type, bytes.data() + i * getByteSize(type));
  }
  void set(int64_t i, double value) {
    storeElement(type, value, bytes.data() + i * getByteSize(type));
  }

  ScalarType type;
  std::vector<uint8_t> bytes;
};

/// A value in device memory, at an address that only its size divides.
class DeviceScalar {
public:
  explicit DeviceScalar(ScalarType type)
      : type(type), memory(std::vector<uint8_t>(64)) {}
  void set(double value) {
    Elements one(type, 1, value);
    int code = callDriver<unsigned long long, const void *, size_t>(
        "cuMemcpyHtoD_v2", reinterpret_cast<unsigned long long>(get()),
        one.bytes.data(), one.bytes.size());
    EXPECT_EQ(code, 0);
  }
  void *get() const { return memory.get(getByteSize(type)); }

private:
  ScalarType type;
  DeviceMemory memory;
};

class LibraryScalarsTest : public LibraryTest {
protected:
  static tcgemmMatmulDesc makeProduct(tcgemmType type) {
    tcgemmMatmulDesc desc = makeDesc(kM, kN, kK);
    desc.typeA = desc.typeB = desc.typeD = type;
    desc.scaling = TCGEMM_ALPHA_BETA;
    desc.pointerMode = TCGEMM_POINTER_DEVICE;
    return desc;
  }

  void expectRefused(const tcgemmMatmulDesc &desc, const char *message) {
    tcgemmPlan_t plan = nullptr;
    EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
    EXPECT_EQ(getMessage(), message);
  }

  /// Runs one plan with several values of alpha and beta.
  void check(const tcgemmMatmulDesc &desc, ScalarType type, ScalarType sums) {
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
    const char *config = nullptr;
    ASSERT_OK(tcgemmPlanConfig(plan, &config));
    SCOPED_TRACE(config);
    bool hasBeta = desc.scaling == TCGEMM_ALPHA_BETA;
    for (auto [alpha, beta] : {std::pair(2.0, 0.5), std::pair(-1.0, 0.0),
                               std::pair(0.0, 3.0), std::pair(1.0, 1.0)})
      run(plan, desc, type, sums, alpha, hasBeta ? beta : 0);
    EXPECT_OK(tcgemmPlanDestroy(plan));
  }

private:
  void run(tcgemmPlan_t plan, const tcgemmMatmulDesc &desc, ScalarType type,
           ScalarType sums, double alpha, double beta) {
    Elements a(type, kM * kK, 1), b(type, kK * kN, 1), d(type, kM * kN, 7);
    // Where beta is 0, C may be anything.
    Elements c(type, kM * kN,
               beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 4);
    Elements bias(sums, kN, 0);
    for (int64_t i = 0; i != kM; ++i)
      a.set(i * kK, static_cast<double>(i % 4));
    for (int64_t j = 0; j != kN; ++j) {
      b.set(j, static_cast<double>(j % 3));
      bias.set(j, static_cast<double>(j % 5));
    }
    DeviceMemory onA(a.bytes), onB(b.bytes), onC(c.bytes), onD(d.bytes),
        onBias(bias.bytes);
    DeviceScalar onAlpha(sums), onBeta(sums);
    onAlpha.set(alpha);
    onBeta.set(beta);
    size_t bytes = 0;
    ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
    DeviceMemory workspace(bytes + 256);
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = onA.get();
    operands.b = onB.get();
    operands.d = onD.get();
    bool hasBias = std::strcmp(desc.epilogue, "bias") == 0;
    if (hasBias)
      operands.epilogue[0] = onBias.get();
    operands.alphaPointer = onAlpha.get();
    if (desc.scaling == TCGEMM_ALPHA_BETA) {
      operands.c = onC.get();
      operands.betaPointer = onBeta.get();
    }
    ASSERT_OK(tcgemmRunOperands(
        plan, &operands, bytes ? workspace.get() : nullptr, bytes, nullptr));
    d.bytes = onD.read();
    for (int64_t i = 0; i != kM; ++i)
      for (int64_t j = 0; j != kN; ++j) {
        double sum = a.get(i * kK) * b.get(j) + kK - 1;
        double wanted = alpha * sum + (beta == 0 ? 0 : beta * 4) +
                        (hasBias ? bias.get(j) : 0);
        ASSERT_EQ(d.get(i * kN + j), wanted)
            << i << ", " << j << ", alpha " << alpha << ", beta " << beta;
      }
  }
};

TEST_F(LibraryScalarsTest, OnePlanForAllValues) {
  check(makeProduct(TCGEMM_BF16), ScalarType::BF16, ScalarType::F32);
  check(makeProduct(TCGEMM_F32), ScalarType::F32, ScalarType::F32);
  check(makeProduct(TCGEMM_F64), ScalarType::F64, ScalarType::F64);
}

TEST_F(LibraryScalarsTest, AlphaAloneAndEpilogues) {
  tcgemmMatmulDesc desc = makeProduct(TCGEMM_F32);
  desc.epilogue = "bias";
  check(desc, ScalarType::F32, ScalarType::F32);
  desc.scaling = TCGEMM_ALPHA;
  check(desc, ScalarType::F32, ScalarType::F32);
}

TEST_F(LibraryScalarsTest, Schedules) {
  for (const char *config :
       {"schedule=mma_sync cta=32x32x32 warps=2x1x1 split_k=2",
        "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=3 epilogue=tma",
        "schedule=wgmma cta=128x64x64 warps=8x1x1 stages=3 persistent=true "
        "stage_inputs=true epilogue=tma"}) {
    SCOPED_TRACE(config);
    tcgemmMatmulDesc desc = makeProduct(TCGEMM_BF16);
    desc.config = config;
    check(desc, ScalarType::BF16, ScalarType::F32);
  }
}

/// A C that beta leaves out is neither copied nor read: there may be no memory
/// at its address, which may be null.
TEST_F(LibraryScalarsTest, WithoutC) {
  tcgemmMatmulDesc desc = makeProduct(TCGEMM_BF16);
  desc.pointerMode = TCGEMM_POINTER_HOST;
  for (const char *config :
       {"schedule=wgmma cta=64x64x64 warps=4x1x1 stages=3 epilogue=tma",
        "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=3 stage_inputs=true "
        "epilogue=tma",
        "schedule=wgmma cta=64x64x64 warps=8x1x1 stages=3 persistent=true "
        "pingpong=true stage_inputs=true epilogue=tma"}) {
    SCOPED_TRACE(config);
    desc.config = config;
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
    Elements ones(ScalarType::BF16, kK * kN, 1),
        c(ScalarType::BF16, kM * kN, 4), d(ScalarType::BF16, kM * kN, 7);
    DeviceMemory onA(ones.bytes), onB(ones.bytes), onC(c.bytes), onD(d.bytes);
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = onA.get();
    operands.b = onB.get();
    operands.d = onD.get();
    auto run = [&](const void *c, double beta) {
      operands.c = c;
      operands.beta = beta;
      EXPECT_OK(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr));
      d.bytes = onD.read();
      EXPECT_EQ(d.get(0), static_cast<double>(kK) + beta * 4);
      EXPECT_EQ(d.get(kM * kN - 1), static_cast<double>(kK) + beta * 4);
    };
    run(nullptr, 0);
    run(reinterpret_cast<const void *>(1024), 0); // NOLINT(performance-*)
    run(onC.get(), 0.5);
    run(nullptr, 0);
    operands.beta = 1;
    EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
              TCGEMM_INVALID_VALUE);
    EXPECT_EQ(getMessage(), "the address of C is null, but beta is not 0");
    EXPECT_OK(tcgemmPlanDestroy(plan));
  }
}

/// C and D are one matrix, of several tiles for each CTA: a tile's C is copied
/// before D is stored, and no other tile's. The driver looks for races.
TEST_F(LibraryScalarsTest, StagedInPlace) {
  constexpr int64_t m = 200, n = 264, k = 72;
  tcgemmMatmulDesc desc = makeDesc(m, n, k);
  desc.typeA = desc.typeB = desc.typeD = TCGEMM_F16;
  desc.scaling = TCGEMM_ALPHA_BETA;
  for (const char *config :
       {"schedule=wgmma cta=128x64x64 warps=8x1x1 stages=3 persistent=true "
        "stage_inputs=true epilogue=tma",
        "schedule=wgmma cta=64x64x64 warps=8x1x1 stages=3 persistent=true "
        "pingpong=true stage_inputs=true epilogue=tma"}) {
    SCOPED_TRACE(config);
    desc.config = config;
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
    Elements ones(ScalarType::F16, n * k, 1), c(ScalarType::F16, m * n, 0);
    for (int64_t i = 0; i != m * n; ++i)
      c.set(i, static_cast<double>(i % 37));
    DeviceMemory onA(ones.bytes), onB(ones.bytes), onC(c.bytes);
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = onA.get();
    operands.b = onB.get();
    operands.c = operands.d = onC.get();
    operands.beta = 2;
    ASSERT_OK(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr));
    Elements d(ScalarType::F16, m * n, 0);
    d.bytes = onC.read();
    for (int64_t i = 0; i != m * n; ++i)
      ASSERT_EQ(d.get(i), static_cast<double>(k + 2 * (i % 37))) << i;
    EXPECT_OK(tcgemmPlanDestroy(plan));
  }
}

TEST_F(LibraryScalarsTest, WrongDescriptors) {
  tcgemmMatmulDesc desc = makeProduct(TCGEMM_BF16);
  desc.scaling = TCGEMM_UNSCALED;
  expectRefused(desc, "pointerMode is TCGEMM_POINTER_DEVICE, but scaling is "
                      "TCGEMM_UNSCALED");
  desc = makeProduct(TCGEMM_BF16);
  desc.alpha = 2;
  expectRefused(desc, "pointerMode is TCGEMM_POINTER_DEVICE, so that alpha "
                      "must be 1 and beta 0: tcgemmOperands has their "
                      "addresses");
  desc = makeProduct(TCGEMM_BF16);
  desc.pointerMode = static_cast<tcgemmPointerMode>(2);
  expectRefused(desc, "pointerMode is 2, but it must be 0 to 1");
  EXPECT_EQ(tcgemmSetPointerMode(handle, static_cast<tcgemmPointerMode>(2)),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(tcgemmSetPointerMode(nullptr, TCGEMM_POINTER_DEVICE),
            TCGEMM_INVALID_HANDLE);
}

TEST_F(LibraryScalarsTest, WrongAddresses) {
  tcgemmMatmulDesc desc = makeProduct(TCGEMM_F32);
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  DeviceMemory memory(std::vector<uint8_t>(kK * kK * 4));
  void *good = memory.get();
  EXPECT_EQ(tcgemmRun(plan, good, good, good, good, nullptr, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(),
            "the plan's pointer mode is TCGEMM_POINTER_DEVICE: use "
            "tcgemmRunOperands, which has the addresses");
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  operands.a = operands.b = operands.alphaPointer = operands.betaPointer = good;
  operands.d = good;
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of C is null");
  operands.c = good;
  operands.alphaPointer = nullptr;
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of alpha is null");
  operands.alphaPointer = memory.get(2);
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
            TCGEMM_MISALIGNED);
  EXPECT_NE(getMessage().find("the address of alpha is 0x"), std::string::npos);
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

/// Programs of a header without the new fields: the first one, and the one
/// before scales.
TEST_F(LibraryScalarsTest, OlderStructures) {
  const size_t versions[][2] = {{offsetof(tcgemmMatmulDesc, pointerMode),
                                 offsetof(tcgemmOperands, alphaPointer)},
                                {offsetof(tcgemmMatmulDesc, hasBlockScalesA),
                                 offsetof(tcgemmOperands, scaleA)}};
  for (const auto &[sizeOfDesc, sizeOfOperands] : versions) {
    tcgemmMatmulDesc desc;
    std::memset(&desc, 0xff, sizeof desc);
    ASSERT_OK(tcgemmMatmulDescInitSized(&desc, sizeOfDesc));
    EXPECT_EQ(desc.hasBlockScalesA, -1);
    desc.m = desc.n = desc.k = 8;
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
    DeviceMemory memory(std::vector<uint8_t>(8 * 8 * 2)), d(8 * 8 * 2);
    tcgemmOperands operands;
    std::memset(&operands, 0xff, sizeof operands);
    ASSERT_OK(tcgemmOperandsInitSized(&operands, sizeOfOperands));
    operands.a = operands.b = memory.get();
    operands.d = d.get();
    EXPECT_OK(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr));
    EXPECT_OK(tcgemmPlanDestroy(plan));
  }
}

/// The same call with another pointer mode has another kernel.
TEST_F(LibraryScalarsTest, Gemm) {
  constexpr int64_t size = 32;
  Elements a(ScalarType::F32, size * size, 1),
      c(ScalarType::F32, size * size, 3);
  DeviceMemory onA(a.bytes), onC(c.bytes);
  DeviceScalar onAlpha(ScalarType::F32), onBeta(ScalarType::F32);
  onAlpha.set(2);
  onBeta.set(10);
  auto run = [&](const void *alpha, const void *beta) {
    EXPECT_OK(tcgemmGemmEx(handle, TCGEMM_N, TCGEMM_T, size, size, size, alpha,
                           onA.get(), TCGEMM_F32, size, onA.get(), TCGEMM_F32,
                           size, beta, onC.get(), TCGEMM_F32, size, nullptr));
    c.bytes = onC.read();
    return c.get(5);
  };
  float alpha = 1, beta = 1;
  EXPECT_EQ(run(&alpha, &beta), size + 3);
  EXPECT_OK(tcgemmSetPointerMode(handle, TCGEMM_POINTER_DEVICE));
  EXPECT_EQ(run(onAlpha.get(), onBeta.get()), 2 * size + 10 * (size + 3));
  onBeta.set(0);
  EXPECT_EQ(run(onAlpha.get(), onBeta.get()), 2 * size);
  EXPECT_OK(tcgemmSetPointerMode(handle, TCGEMM_POINTER_HOST));
  EXPECT_EQ(run(&alpha, &beta), 3 * size);
}

} // namespace
