//===- LibraryGroupScalesTest.cpp - Scales of grouped products ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupedTest.h"
#include "Values.h"

#include <cstddef>

using namespace tcgemm;

namespace {

int64_t countBlocks(int64_t size) { return (size + 127) / 128; }

/// The operands of a product, and what D is.
struct Case {
  Values a, b, scaleA, scaleB, expected;

  Case(const tcgemmGroupedDesc &desc, const std::vector<int32_t> &sizes);

private:
  void multiplyRow(const tcgemmGroupedDesc &desc, int64_t group, int64_t row,
                   int64_t d);
};

class LibraryGroupScalesTest : public GroupedTest {
protected:
  static tcgemmGroupedDesc makeGroups(tcgemmGroupKind kind) {
    tcgemmGroupedDesc desc;
    EXPECT_OK(tcgemmGroupedDescInit(&desc));
    desc.kind = kind;
    desc.typeA = desc.typeB = TCGEMM_E4M3;
    desc.typeD = TCGEMM_F32;
    desc.transB = TCGEMM_T;
    desc.m = 70, desc.n = 200, desc.k = 272;
    desc.groups = 3;
    desc.hasBlockScalesA = desc.hasBlockScalesB = 1;
    return desc;
  }
  void check(const tcgemmGroupedDesc &desc, const std::vector<int32_t> &sizes);
};

Case::Case(const tcgemmGroupedDesc &desc, const std::vector<int32_t> &sizes) {
  bool isPadded = desc.kind == TCGEMM_GROUPS_PADDED;
  int64_t matrices = isPadded ? desc.groups : 1, depth = countBlocks(desc.k);
  a = draw(matrices * desc.m * desc.k, 1, -2, 2);
  b = draw(desc.groups * desc.n * desc.k, 2, -1, 2);
  scaleA = drawScales(matrices * depth * desc.m, 3);
  scaleB = drawScales(desc.groups * countBlocks(desc.n) * depth, 4);
  expected.assign(matrices * desc.m * desc.n, 77);
  int64_t begin = 0;
  for (int64_t group = 0; group != desc.groups; ++group) {
    int64_t first = isPadded ? group * desc.m : begin;
    int64_t last = isPadded ? first + sizes[group] : sizes[group];
    for (int64_t row = first; row < last; ++row)
      multiplyRow(desc, group, row, row * desc.n);
    begin = last;
  }
}

/// Computes the elements of D from `d` on. `row` counts those of all matrices.
void Case::multiplyRow(const tcgemmGroupedDesc &desc, int64_t group,
                       int64_t row, int64_t d) {
  int64_t depth = countBlocks(desc.k), blocks = countBlocks(desc.n);
  int64_t matrix = row / desc.m, ofMatrix = row % desc.m;
  for (int64_t column = 0; column != desc.n; ++column) {
    double sum = 0;
    int64_t ofB = desc.strideB == 0 ? 0 : group;
    for (int64_t k = 0; k != desc.k; ++k) {
      double value =
          a[row * desc.k + k] * b[(ofB * desc.n + column) * desc.k + k];
      if (desc.hasBlockScalesA)
        value *= scaleA[(matrix * depth + k / 128) * desc.m + ofMatrix];
      if (desc.hasBlockScalesB)
        value *= scaleB[(ofB * blocks + column / 128) * depth + k / 128];
      sum += value;
    }
    expected[d + column] = sum;
  }
}

void LibraryGroupScalesTest::check(const tcgemmGroupedDesc &desc,
                                   const std::vector<int32_t> &sizes) {
  Case values(desc, sizes);
  using T = ScalarType;
  DeviceMemory onA(store(T::E4M3, values.a)), onB(store(T::E4M3, values.b)),
      onScaleA(store(T::F32, values.scaleA)),
      onScaleB(store(T::F32, values.scaleB)), onOffsets(toBytes(sizes)),
      onD(toBytes(std::vector<float>(values.expected.size(), 77)));
  tcgemmPlan_t plan = makePlan(desc);
  tcgemmOperands operands = fill(onA, onB, onOffsets, onD);
  run(plan, operands, TCGEMM_INVALID_VALUE,
      std::string("the address of ") +
          (desc.hasBlockScalesA ? "scaleA" : "scaleB") + " is null");
  if (desc.hasBlockScalesA)
    operands.scaleA = onScaleA.get();
  if (desc.hasBlockScalesB)
    operands.scaleB = onScaleB.get();
  run(plan, operands);
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(load(T::F32, onD.read()), values.expected);
}

TEST_F(LibraryGroupScalesTest, Contiguous) {
  for (int which : {1, 2, 3}) {
    SCOPED_TRACE(which);
    tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS);
    desc.hasBlockScalesA = which & 1;
    desc.hasBlockScalesB = which >> 1;
    check(desc, {30, 30, 67}); // An empty group, and rows of none.
  }
}

TEST_F(LibraryGroupScalesTest, Padded) {
  for (int which : {1, 2, 3}) {
    SCOPED_TRACE(which);
    tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_PADDED);
    desc.hasBlockScalesA = which & 1;
    desc.hasBlockScalesB = which >> 1;
    check(desc, {70, 0, 33});
  }
}

/// All groups share the matrix of B and its scales.
TEST_F(LibraryGroupScalesTest, SharedMatrix) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS);
  desc.strideB = 0;
  check(desc, {30, 31, 70});
}

TEST_F(LibraryGroupScalesTest, CheckedOffsets) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS);
  desc.checkOffsets = 1;
  check(desc, {1, 64, 70});
}

struct NarrowCase {
  const char *name;
  tcgemmGroupKind kind;
  int64_t groupSize;
  tcgemmType scales, zeroPoints;
  int64_t gap; // Bytes behind the rows of B.
  bool isInterleaved = false;
};

const NarrowCase kNarrowCases[] = {
    {"plain", TCGEMM_GROUPS_CONTIGUOUS, 0, TCGEMM_F32, TCGEMM_NO_TYPE, 0},
    {"pitch", TCGEMM_GROUPS_PADDED, 0, TCGEMM_F32, TCGEMM_NO_TYPE, 16},
    {"scales", TCGEMM_GROUPS_PADDED, 128, TCGEMM_F32, TCGEMM_NO_TYPE, 0},
    {"zero points", TCGEMM_GROUPS_CONTIGUOUS, 64, TCGEMM_F16, TCGEMM_U8, 16},
    {"interleaved", TCGEMM_GROUPS_PADDED, 128, TCGEMM_F16, TCGEMM_U8, 16, true},
};

/// The matrices of B have elements of 4 bits, with scales and zero points of
/// groups of elements along k.
TEST_F(LibraryGroupScalesTest, ElementsOf4Bits) {
  for (const NarrowCase &each : kNarrowCases) {
    SCOPED_TRACE(each.name);
    tcgemmGroupedDesc desc = makeGroups(each.kind);
    desc.typeA = TCGEMM_BF16;
    desc.typeB = each.isInterleaved ? TCGEMM_U4_INTERLEAVED : TCGEMM_U4;
    desc.m = 40, desc.n = 72, desc.k = 256;
    desc.hasBlockScalesA = desc.hasBlockScalesB = 0;
    desc.groupSize = each.groupSize;
    desc.groupScaleType = each.scales;
    desc.zeroPointType = each.zeroPoints;
    desc.ldb = desc.k / 2 + each.gap;
    bool isPadded = each.kind == TCGEMM_GROUPS_PADDED,
         hasZeros = each.zeroPoints != TCGEMM_NO_TYPE;
    auto sizes = isPadded ? std::vector<int32_t>{40, 0, 17}
                          : std::vector<int32_t>{11, 11, 39};
    int64_t size = each.groupSize ? each.groupSize : desc.k,
            matrices = isPadded ? desc.groups : 1, depth = desc.k / size;
    Values a = draw(matrices * desc.m * desc.k, 1, -1, 1),
           b = draw(desc.groups * desc.n * desc.k, 2, 0, 15),
           scales = drawScales(desc.groups * desc.n * depth, 3),
           zeros = draw(scales.size(), 4, 0, 5);
    Values expected(matrices * desc.m * desc.n, 77);
    auto multiply = [&](int64_t group, int64_t row) {
      for (int64_t column = 0; column != desc.n; ++column) {
        int64_t ofB = group * desc.n + column;
        double sum = 0;
        for (int64_t k = 0; k != desc.k; ++k) {
          int64_t block = ofB * depth + k / size;
          double value = b[ofB * desc.k + k] - (hasZeros ? zeros[block] : 0);
          sum += a[row * desc.k + k] * value *
                 (each.groupSize ? scales[block] : 1);
        }
        expected[row * desc.n + column] = sum;
      }
    };
    for (int64_t group = 0, begin = 0; group != desc.groups; ++group) {
      int64_t first = isPadded ? group * desc.m : begin;
      begin = isPadded ? first + sizes[group] : sizes[group];
      for (int64_t row = first; row < begin; ++row)
        multiply(group, row);
    }
    std::vector<uint8_t> bytes = packPairs(b, desc.k, each.gap);
    if (each.isInterleaved)
      ASSERT_OK(tcgemmInterleave(desc.groups * desc.n, desc.k, bytes.data(),
                                 desc.ldb, bytes.data(), desc.ldb));
    DeviceMemory onA(store(ScalarType::BF16, a)), onB(bytes),
        onScales(store(getScalarType(each.scales), scales)),
        onZeros(storeBytes(zeros)), onOffsets(toBytes(sizes)),
        onD(toBytes(std::vector<float>(expected.size(), 77)));
    tcgemmPlan_t plan = makePlan(desc);
    tcgemmOperands operands = fill(onA, onB, onOffsets, onD);
    if (each.groupSize)
      operands.scaleB = onScales.get();
    if (hasZeros)
      operands.zeroPoints = onZeros.get();
    run(plan, operands);
    EXPECT_OK(tcgemmPlanDestroy(plan));
    EXPECT_EQ(load(ScalarType::F32, onD.read()), expected);
  }
}

/// Without terms, nothing but D and the groups' sizes has an address.
TEST_F(LibraryGroupScalesTest, WithoutTerms) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS);
  desc.k = 0;
  DeviceMemory offsets(toBytes(std::vector<int32_t>{3, 3, 70})),
      d(toBytes(std::vector<float>(desc.m * desc.n, 77)));
  tcgemmPlan_t plan = makePlan(desc);
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  operands.offsets = offsets.get(), operands.d = d.get();
  run(plan, operands);
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(d.read(), toBytes(std::vector<float>(desc.m * desc.n)));
}

/// Programs that were compiled before the scales.
TEST_F(LibraryGroupScalesTest, VersionWithoutScales) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS);
  desc.structSize = offsetof(tcgemmGroupedDesc, hasBlockScalesA);
  desc.hasBlockScalesA = desc.hasBlockScalesB = 0x5a;
  EXPECT_OK(tcgemmPlanDestroy(makePlan(desc)));
}

TEST_F(LibraryGroupScalesTest, Errors) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS);
  desc.hasBlockScalesB = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "hasBlockScalesB is 2, but it must be 0 to 1");
  desc = makeGroups(TCGEMM_GROUPS_PADDED);
  desc.typeA = desc.typeB = TCGEMM_F16;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "block scales: A and B are of f16, but only e4m3 and e5m2 have "
                "them");
  desc = makeGroups(TCGEMM_GROUPS_ALONG_K);
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "product: it has groups along k, and so it cannot have scales: "
                "a block of scales could be of two groups");
  desc = makeGroups(TCGEMM_GROUPS_PADDED);
  desc.hasBlockScalesA = desc.hasBlockScalesB = 0;
  desc.typeA = TCGEMM_BF16, desc.typeB = TCGEMM_S4;
  desc.groupSize = 48;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "groupSize is 48, but it must be 0, 32, 64, 128 or 256");
}

} // namespace
