//===- LibraryGroupsTest.cpp - Products of groups of rows -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupedTest.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace tcgemm;

namespace {

class LibraryGroupsTest : public GroupedTest {
protected:
  static tcgemmGroupedDesc makeGroups(int64_t m, int64_t groups) {
    tcgemmGroupedDesc desc;
    EXPECT_OK(tcgemmGroupedDescInit(&desc));
    desc.typeA = desc.typeB = TCGEMM_F16;
    desc.typeD = TCGEMM_F32;
    desc.m = m;
    desc.n = 24;
    desc.k = 16;
    desc.groups = groups;
    return desc;
  }
  struct Factors {
    std::vector<uint8_t> a, b;
  };
  static Factors makeFactors(const tcgemmGroupedDesc &desc);
  void check(const tcgemmGroupedDesc &desc, const std::vector<int32_t> &ends);
};

/// A is 1, and each matrix of B is its number plus 1.
LibraryGroupsTest::Factors
LibraryGroupsTest::makeFactors(const tcgemmGroupedDesc &desc) {
  const uint16_t numbers[] = {0x3c00, 0x4000, 0x4200, 0x4400}; // 1 to 4
  Factors factors;
  factors.a.resize(desc.m * desc.k * 2);
  for (size_t i = 0; i != factors.a.size(); i += 2)
    std::memcpy(&factors.a[i], &numbers[0], 2);
  for (int64_t i = 0; i != desc.groups * desc.n * desc.k; ++i) {
    uint16_t number = numbers[i / (desc.n * desc.k)];
    factors.b.push_back(number & 0xff);
    factors.b.push_back(static_cast<uint8_t>(number >> 8));
  }
  return factors;
}

void LibraryGroupsTest::check(const tcgemmGroupedDesc &desc,
                              const std::vector<int32_t> &ends) {
  const Factors factors = makeFactors(desc);
  std::vector<float> d(desc.m * desc.n, 77);
  DeviceMemory onA(factors.a), onB(factors.b), onOffsets(toBytes(ends)),
      onD(toBytes(d));
  tcgemmOperands operands = fill(onA, onB, onOffsets, onD);
  operands.offsets = nullptr;
  tcgemmPlan_t plan = makePlan(desc);
  run(plan, operands, TCGEMM_INVALID_VALUE, "the address of offsets is null");
  operands.offsets = onOffsets.get();
  run(plan, operands);
  EXPECT_OK(tcgemmPlanDestroy(plan));
  int64_t row = 0;
  for (size_t i = 0; i != ends.size(); ++i)
    for (; row < ends[i]; ++row)
      std::fill_n(d.begin() + row * desc.n, desc.n,
                  static_cast<float>((i + 1) * desc.k));
  EXPECT_EQ(onD.read(), toBytes(d));
}

TEST_F(LibraryGroupsTest, Products) {
  for (tcgemmTranspose trans : {TCGEMM_N, TCGEMM_T}) {
    tcgemmGroupedDesc desc = makeGroups(110, 3);
    desc.transB = trans;
    check(desc, {70, 70, 100}); // An empty group, and rows of none.
    check(desc, {0, 3, 110});
  }
}

TEST_F(LibraryGroupsTest, Empty) {
  for (auto [m, groups] : {std::pair(0, 3), std::pair(8, 0)}) {
    tcgemmGroupedDesc desc = makeGroups(m, groups);
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlanGrouped(handle, &desc, &plan));
    EXPECT_OK(
        tcgemmRun(plan, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
    EXPECT_OK(tcgemmPlanDestroy(plan));
  }
}

/// A product of a batch with the same sizes has another configuration.
TEST_F(LibraryGroupsTest, BesideBatches) {
  tcgemmMatmulDesc batch = LibraryTest::makeDesc(110, 24, 16);
  batch.typeA = batch.typeB = TCGEMM_F16;
  batch.typeD = TCGEMM_F32;
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &batch, &plan));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  check(makeGroups(110, 1), {100});
}

/// D = relu((A·B + beta·C + bias) · rowscale), where each of the products has
/// the number of its group as its elements.
TEST_F(LibraryGroupsTest, Epilogue) {
  tcgemmGroupedDesc desc = makeGroups(9, 3);
  desc.epilogue = "bias_rowscale_relu";
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.ldc = 32;
  const std::vector<int32_t> ends = {2, 2, 8};
  std::vector<float> bias, rows, c, d(desc.m * desc.n, 77), expected;
  for (int64_t i = 0; i != desc.n; ++i)
    bias.push_back(static_cast<float>(i % 7 - 3));
  for (int64_t i = 0; i != desc.m; ++i)
    rows.push_back(static_cast<float>(i % 3 - 1));
  for (int64_t i = 0; i != desc.m * desc.ldc; ++i)
    c.push_back(static_cast<float>(i % 5));
  for (int64_t row = 0; row != desc.m; ++row)
    for (int64_t column = 0; column != desc.n; ++column) {
      float product = row < ends[0] ? 1 : 3;
      float sum = product * static_cast<float>(desc.k) +
                  0.5F * c[row * desc.ldc + column] + bias[column];
      expected.push_back(row < ends[2] ? std::max(sum * rows[row], 0.0F) : 77);
    }
  const Factors factors = makeFactors(desc);
  DeviceMemory onA(factors.a), onB(factors.b), onOffsets(toBytes(ends)),
      onBias(toBytes(bias)), onRows(toBytes(rows)), onC(toBytes(c)),
      onD(toBytes(d));
  tcgemmOperands operands = fill(onA, onB, onOffsets, onD);
  operands.c = onC.get();
  operands.epilogue[0] = onBias.get();
  operands.beta = 0.5;
  tcgemmPlan_t plan = makePlan(desc);
  run(plan, operands, TCGEMM_INVALID_VALUE,
      "the address of epilogue[1] is null");
  operands.epilogue[1] = onRows.get();
  run(plan, operands);
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(onD.read(), toBytes(expected));
}

/// The kernel reads alpha and beta of each run.
TEST_F(LibraryGroupsTest, ScalarsInMemory) {
  tcgemmGroupedDesc desc = makeGroups(9, 2);
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.pointerMode = TCGEMM_POINTER_DEVICE;
  const Factors factors = makeFactors(desc);
  std::vector<float> d(desc.m * desc.n, 8), expected;
  for (int64_t row = 0; row != desc.m; ++row) {
    float sum = static_cast<float>((row < 4 ? 1 : 2) * desc.k);
    expected.insert(expected.end(), desc.n, row < 7 ? 3 * sum - 0.25F * 8 : 8);
  }
  DeviceMemory onA(factors.a), onB(factors.b),
      onOffsets(toBytes(std::vector<int32_t>{4, 7})), onC(toBytes(d)),
      onD(toBytes(d)), onScalars(toBytes(std::vector<float>{3, -0.25F}));
  tcgemmOperands operands = fill(onA, onB, onOffsets, onD);
  operands.c = onC.get();
  operands.alphaPointer = onScalars.get();
  operands.betaPointer = onScalars.get(sizeof(float));
  tcgemmPlan_t plan = makePlan(desc);
  run(plan, operands);
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(onD.read(), toBytes(expected));
}

/// A's elements have no sign, and B's have one: 255 · (-1).
TEST_F(LibraryGroupsTest, Signs) {
  tcgemmGroupedDesc desc = makeGroups(9, 2);
  desc.typeA = TCGEMM_U8, desc.typeB = TCGEMM_S8, desc.typeD = TCGEMM_S32;
  desc.transB = TCGEMM_T;
  std::vector<int32_t> d(desc.m * desc.n, 77), expected(d);
  std::fill_n(expected.begin(), 7 * desc.n,
              static_cast<int32_t>(-255 * desc.k));
  DeviceMemory onA(std::vector<uint8_t>(desc.m * desc.k, 0xff)),
      onB(std::vector<uint8_t>(desc.groups * desc.n * desc.k, 0xff)),
      onOffsets(toBytes(std::vector<int32_t>{4, 7})), onD(toBytes(d));
  tcgemmPlan_t plan = makePlan(desc);
  run(plan, fill(onA, onB, onOffsets, onD));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(onD.read(), toBytes(expected));
}

/// Programs that were compiled before the fields of epilogues.
TEST_F(LibraryGroupsTest, FirstVersionOfTheStructure) {
  tcgemmGroupedDesc desc;
  std::memset(&desc, 0x5a, sizeof desc);
  size_t size = offsetof(tcgemmGroupedDesc, ldc);
  ASSERT_OK(tcgemmGroupedDescInitSized(&desc, size));
  EXPECT_EQ(desc.structSize, size);
  EXPECT_EQ(desc.ldc, 0x5a5a5a5a5a5a5a5a); // Not written.
  desc.typeA = desc.typeB = TCGEMM_F16;
  desc.typeD = TCGEMM_F32;
  desc.m = 110, desc.n = 24, desc.k = 16, desc.groups = 3;
  check(desc, {70, 70, 100});
}

/// A failed assertion ends all work in the context, and the calls that wait for
/// it return CUDA_ERROR_ASSERT.
TEST_F(LibraryGroupsTest, CheckedOffsets) {
  constexpr int assertionFailed = 710;
  tcgemmGroupedDesc desc = makeGroups(110, 3);
  desc.checkOffsets = 1;
  check(desc, {70, 70, 100});
  desc.checkOffsets = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "checkOffsets is 2, but it must be 0 to 1");
  desc.checkOffsets = 1;
  const Factors factors = makeFactors(desc);
  const std::vector<int32_t> ends = {70, 69, 100};
  DeviceMemory onA(factors.a), onB(factors.b), onOffsets(toBytes(ends)),
      onD(toBytes(std::vector<float>(desc.m * desc.n, 77)));
  tcgemmPlan_t plan = makePlan(desc);
  run(plan, fill(onA, onB, onOffsets, onD));
  EXPECT_EQ(callDriver<void *>("cuStreamSynchronize", nullptr),
            assertionFailed);
  const char *text = nullptr;
  EXPECT_EQ((callDriver<int, const char **>("cuGetErrorString", assertionFailed,
                                            &text)),
            0);
  EXPECT_NE(std::string(text).find("offsets of groups must not decrease"),
            std::string::npos)
      << text;
  EXPECT_EQ(callDriver<>("cuCtxSynchronize"), assertionFailed);
  // The tests behind this one need a context that has not failed.
  void *context = nullptr;
  ASSERT_EQ(callDriver<void **>("cuCtxGetCurrent", &context), 0);
  ASSERT_EQ(callDriver<void *>("cuCtxDestroy_v2", context), 0);
  ASSERT_EQ(callDriver<void *>("cuCtxSetCurrent", context), 0);
  EXPECT_EQ(onD.read(), toBytes(std::vector<float>(desc.m * desc.n, 77)));
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

/// Programs that were compiled before the check.
TEST_F(LibraryGroupsTest, VersionWithoutTheCheck) {
  tcgemmGroupedDesc desc = makeGroups(110, 3);
  desc.structSize = offsetof(tcgemmGroupedDesc, checkOffsets);
  desc.checkOffsets = 0x5a;
  check(desc, {70, 70, 100});
}

/// Each of the products has the number of its group as its elements.
TEST_F(LibraryGroupsTest, ValuesOfGroups) {
  tcgemmGroupedDesc desc = makeGroups(9, 3);
  desc.epilogue = "groupscale_groupcolscale_groupbias";
  const std::vector<int32_t> ends = {2, 2, 8};
  const std::vector<float> scales = {2, 5, -1};
  std::vector<float> columns, biases, d(desc.m * desc.n, 77), expected = d;
  for (int64_t i = 0; i != desc.groups * desc.n; ++i) {
    columns.push_back(static_cast<float>(i % 3 - 1));
    biases.push_back(static_cast<float>(i % 7 - 3));
  }
  for (int64_t row = 0; row != ends[2]; ++row)
    for (int64_t column = 0; column != desc.n; ++column) {
      int64_t group = row < ends[0] ? 0 : 2, at = group * desc.n + column;
      auto sum = static_cast<float>((group + 1) * desc.k);
      expected[row * desc.n + column] =
          sum * scales[group] * columns[at] + biases[at];
    }
  const Factors factors = makeFactors(desc);
  DeviceMemory onA(factors.a), onB(factors.b), onOffsets(toBytes(ends)),
      onD(toBytes(d)), onScales(toBytes(scales)), onColumns(toBytes(columns)),
      onBiases(toBytes(biases));
  tcgemmOperands operands = fill(onA, onB, onOffsets, onD);
  operands.epilogue[0] = onScales.get();
  operands.epilogue[1] = onColumns.get();
  tcgemmPlan_t plan = makePlan(desc);
  run(plan, operands, TCGEMM_INVALID_VALUE,
      "the address of epilogue[2] is null");
  operands.epilogue[2] = onBiases.get();
  run(plan, operands);
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(onD.read(), toBytes(expected));
}

/// Products without groups have no such values.
TEST_F(LibraryGroupsTest, ValuesOfNoGroups) {
  for (const char *epilogue : {"groupbias", "groupscale", "groupcolscale"}) {
    tcgemmMatmulDesc desc = LibraryTest::makeDesc(8, 24, 16);
    desc.batch = 2;
    desc.epilogue = epilogue;
    LibraryTest::expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                               std::string("epilogue: '") + epilogue +
                                   "' reads values of groups, and so it needs "
                                   "a product with groups");
  }
}

TEST_F(LibraryGroupsTest, Errors) {
  tcgemmGroupedDesc desc = makeGroups(8, 2);
  desc.groups = -1;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "groups is -1, but it must be 0 to 2147483647");
  desc = makeGroups(8, 2);
  desc.ldb = 23;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "ldb is 23, but it must be 24 to 268435456");
  desc = makeGroups(8, 2);
  desc.typeA = desc.typeB = TCGEMM_F32;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "groups of rows: the types must be those that wgmma "
                "multiplies, but are f32");
  desc = makeGroups(8, 2);
  desc.epilogue = "bias_tan";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                testing::StartsWith("epilogue: 'tan' is none of "));
  desc = makeGroups(8, 2);
  desc.epilogue = "relu";
  desc.epilogueBody = "%result = arith.addf %sum, %sum : f32";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "epilogue 'relu': with epilogueBody it names operands only, "
                "but 'relu' has none");
  desc = makeGroups(8, 2);
  desc.epilogueBody = "%result = arith.addf %sum, %other : f32";
  expectRefused(desc, TCGEMM_COMPILER,
                testing::HasSubstr("undeclared SSA value name"));
  desc = makeGroups(8, 2);
  desc.beta = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "beta is not 0, but scaling is not TCGEMM_ALPHA_BETA");
  desc = makeGroups(8, 2);
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.ldc = 23;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "ldc is 23, but it must be 24 to 268435456");
  desc = makeGroups(8, 2);
  desc.config = "schedule=mma_sync cta=64x64x32 warps=2x2x1";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "the product has groups of rows, which schedule mma_sync "
                "does not compute: use schedule wgmma [groups-of-rows]");
  desc = makeGroups(8, 2);
  desc.structSize = 3;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                testing::StartsWith("structSize is 3, but it must be "));
  EXPECT_EQ(tcgemmGroupedDescInitSized(&desc, 3), TCGEMM_INVALID_VALUE);
}

} // namespace
