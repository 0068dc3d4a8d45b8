//===- LibraryGroupKindsTest.cpp - All kinds of grouped products ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupedTest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace tcgemm;

namespace {

/// Elements of the matrices of an operand, which are small integers.
struct Matrices {
  int64_t rows, columns, ld, stride, count;
  std::vector<float> values;

  /// Matrices with gaps: `count` is 0 for one that all groups share.
  Matrices(int64_t rows, int64_t columns, int64_t count, int64_t gap = 8)
      : rows(rows), columns(columns), ld(std::max<int64_t>(columns + gap, 1)),
        stride(count ? rows * ld + 2 * gap : 0), count(count),
        values(std::max<int64_t>(count, 1) * rows * ld + count * 2 * gap, 77) {}

  float &at(int64_t group, int64_t row, int64_t column,
            bool isTransposed = false) {
    return values[group * stride + (isTransposed ? column : row) * ld +
                  (isTransposed ? row : column)];
  }
  void fill(int seed) {
    for (int64_t i = 0; i != static_cast<int64_t>(values.size()); ++i)
      values[i] = static_cast<float>((i * 7 + seed) % 5 - 2);
  }
  /// The elements as f16.
  std::vector<uint8_t> getHalves() const {
    const uint16_t numbers[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000}; // -2 to 2
    std::vector<uint16_t> halves;
    halves.reserve(values.size());
    for (float value : values)
      halves.push_back(numbers[static_cast<int>(value) + 2]);
    return toBytes(halves);
  }
};

/// The rows and the terms of a group.
struct Part {
  int64_t firstRow, rows, firstTerm, terms;
};

/// The parts of the groups, by the rule of each kind.
std::vector<Part> getParts(const tcgemmGroupedDesc &desc,
                           const std::vector<int32_t> &sizes) {
  std::vector<Part> parts;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    int64_t length = size - begin;
    if (desc.kind == TCGEMM_GROUPS_CONTIGUOUS)
      parts.push_back({begin, length, 0, desc.k});
    else if (desc.kind == TCGEMM_GROUPS_PADDED)
      parts.push_back({0, size, 0, desc.k});
    else
      parts.push_back({0, desc.m, begin, length});
    begin = size;
  }
  return parts;
}

class LibraryGroupKindsTest : public GroupedTest {
protected:
  static tcgemmGroupedDesc makeGroups(tcgemmGroupKind kind, int64_t groups) {
    tcgemmGroupedDesc desc;
    EXPECT_OK(tcgemmGroupedDescInit(&desc));
    desc.kind = kind;
    desc.typeA = desc.typeB = TCGEMM_F16;
    desc.typeD = TCGEMM_F32;
    desc.m = 70, desc.n = 24, desc.k = 40;
    desc.groups = groups;
    return desc;
  }
  /// Runs the product of matrices with gaps, and compares all of D's memory.
  void check(tcgemmGroupedDesc desc, const std::vector<int32_t> &sizes);
};

/// Returns whether each group has a bias of its own.
bool hasBiases(const tcgemmGroupedDesc &desc) {
  return std::strcmp(desc.epilogue, "groupbias") == 0;
}

/// D = op(A) · op(B), and 0.5 · C + bias, or the bias of the group, if the
/// descriptor has these.
void computeReference(const tcgemmGroupedDesc &desc,
                      const std::vector<int32_t> &sizes, Matrices &a,
                      Matrices &b, Matrices &c, Matrices &bias, Matrices &d) {
  bool hasC = desc.scaling == TCGEMM_ALPHA_BETA;
  for (auto [group, part] : llvm::enumerate(getParts(desc, sizes)))
    for (int64_t row = part.firstRow; row < part.firstRow + part.rows; ++row)
      for (int64_t column = 0; column != desc.n; ++column) {
        float sum = 0;
        for (int64_t i = 0; i < part.terms; ++i)
          sum += a.at(group, row, part.firstTerm + i, desc.transA) *
                 b.at(group, part.firstTerm + i, column, desc.transB);
        if (hasC)
          sum += 0.5F * c.at(group, row, column);
        if (hasC || hasBiases(desc))
          sum += bias.at(group, 0, column);
        d.at(group, row, column) = sum;
      }
}

void LibraryGroupKindsTest::check(tcgemmGroupedDesc desc,
                                  const std::vector<int32_t> &sizes) {
  SCOPED_TRACE("kind " + std::to_string(desc.kind) + ", transA " +
               std::to_string(desc.transA) + ", transB " +
               std::to_string(desc.transB) + ", k " + std::to_string(desc.k));
  bool isPadded = desc.kind == TCGEMM_GROUPS_PADDED;
  bool isAlongK = desc.kind == TCGEMM_GROUPS_ALONG_K;
  bool hasC = desc.scaling == TCGEMM_ALPHA_BETA;
  int64_t ofA = isPadded ? desc.groups : 0, ofB = isAlongK ? 0 : desc.groups,
          ofD = isPadded || isAlongK ? desc.groups : 0;
  Matrices a(desc.transA ? desc.k : desc.m, desc.transA ? desc.m : desc.k, ofA),
      b(desc.transB ? desc.n : desc.k, desc.transB ? desc.k : desc.n, ofB),
      c(desc.m, desc.n, ofD, 4), d(desc.m, desc.n, ofD, 12),
      bias(1, desc.n, hasBiases(desc) ? desc.groups : 0, 0);
  a.fill(0), b.fill(1), c.fill(2), bias.fill(3);
  desc.lda = a.ld, desc.ldb = b.ld, desc.ldc = c.ld, desc.ldd = d.ld;
  desc.strideA = ofA ? a.stride : TCGEMM_DENSE;
  desc.strideB = ofB ? b.stride : TCGEMM_DENSE;
  desc.strideC = ofD ? c.stride : TCGEMM_DENSE;
  desc.strideD = ofD ? d.stride : TCGEMM_DENSE;
  DeviceMemory onA(a.getHalves()), onB(b.getHalves()), onC(toBytes(c.values)),
      onBias(toBytes(bias.values)), onD(toBytes(d.values)),
      onSizes(toBytes(sizes));
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlanGrouped(handle, &desc, &plan));
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  // No run reads A and B if there are no terms.
  operands.a = desc.k ? onA.get() : nullptr;
  operands.b = desc.k ? onB.get() : nullptr;
  operands.d = onD.get();
  if (hasC)
    operands.c = onC.get(), operands.beta = 0.5;
  if (hasC || hasBiases(desc))
    operands.epilogue[0] = onBias.get();
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of offsets is null");
  operands.offsets = onSizes.get();
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  DeviceMemory workspace(bytes);
  EXPECT_OK(
      tcgemmRunOperands(plan, &operands, workspace.get(), bytes, nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  computeReference(desc, sizes, a, b, c, bias, d);
  EXPECT_EQ(onD.read(), toBytes(d.values));
}

TEST_F(LibraryGroupKindsTest, Padded) {
  for (tcgemmTranspose trans : {TCGEMM_N, TCGEMM_T}) {
    tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_PADDED, 3);
    desc.transB = trans;
    check(desc, {70, 0, 33}); // Two groups have rows left over.
  }
}

TEST_F(LibraryGroupKindsTest, AlongK) {
  for (tcgemmTranspose transA : {TCGEMM_N, TCGEMM_T})
    for (tcgemmTranspose transB : {TCGEMM_N, TCGEMM_T}) {
      tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_ALONG_K, 4);
      desc.m = 72; // Rows of a transposed A without a copy.
      desc.transA = transA, desc.transB = transB;
      check(desc, {3, 3, 21, 38}); // An empty group, and terms of none.
    }
}

/// The products are zero, and D is the epilogue of beta * C.
TEST_F(LibraryGroupKindsTest, NoTerms) {
  for (const auto &[kind, sizes] :
       {std::pair(TCGEMM_GROUPS_CONTIGUOUS, std::vector<int32_t>{30, 30, 66}),
        std::pair(TCGEMM_GROUPS_PADDED, std::vector<int32_t>{70, 0, 33}),
        std::pair(TCGEMM_GROUPS_ALONG_K, std::vector<int32_t>{0, 0, 0})})
    for (tcgemmScaling scaling : {TCGEMM_UNSCALED, TCGEMM_ALPHA_BETA}) {
      tcgemmGroupedDesc desc = makeGroups(kind, 3);
      desc.k = 0;
      desc.scaling = scaling;
      if (scaling)
        desc.epilogue = "bias";
      check(desc, sizes);
    }
}

TEST_F(LibraryGroupKindsTest, Epilogue) {
  for (const auto &[kind, sizes] :
       {std::pair(TCGEMM_GROUPS_CONTIGUOUS, std::vector<int32_t>{30, 30, 66}),
        std::pair(TCGEMM_GROUPS_PADDED, std::vector<int32_t>{70, 0, 33}),
        std::pair(TCGEMM_GROUPS_ALONG_K, std::vector<int32_t>{0, 17, 40})}) {
    tcgemmGroupedDesc desc = makeGroups(kind, 3);
    desc.scaling = TCGEMM_ALPHA_BETA;
    desc.epilogue = "bias";
    check(desc, sizes);
    desc.scaling = TCGEMM_UNSCALED;
    desc.epilogue = "groupbias";
    check(desc, sizes);
  }
}

/// All groups multiply the same rows, or by the same matrix.
TEST_F(LibraryGroupKindsTest, SharedMatrices) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_PADDED, 2);
  desc.strideA = desc.strideB = 0;
  Matrices a(desc.m, desc.k, 0, 0), b(desc.k, desc.n, 0, 0),
      d(desc.m, desc.n, 2, 0), none = d, expected = d;
  a.fill(0), b.fill(1);
  DeviceMemory onA(a.getHalves()), onB(b.getHalves()), onD(toBytes(d.values)),
      onSizes(toBytes(std::vector<int32_t>{70, 5}));
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlanGrouped(handle, &desc, &plan));
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  operands.a = onA.get(), operands.b = onB.get(), operands.d = onD.get();
  operands.offsets = onSizes.get();
  EXPECT_OK(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  computeReference(desc, {70, 5}, a, b, none, none, expected);
  EXPECT_EQ(onD.read(), toBytes(expected.values));
}

TEST_F(LibraryGroupKindsTest, Empty) {
  for (tcgemmGroupKind kind : {TCGEMM_GROUPS_PADDED, TCGEMM_GROUPS_ALONG_K})
    for (int64_t tcgemmGroupedDesc::*size :
         {&tcgemmGroupedDesc::m, &tcgemmGroupedDesc::n,
          &tcgemmGroupedDesc::groups}) {
      tcgemmGroupedDesc desc = makeGroups(kind, 3);
      desc.*size = 0;
      tcgemmPlan_t plan = nullptr;
      ASSERT_OK(tcgemmPlanGrouped(handle, &desc, &plan));
      EXPECT_OK(tcgemmRun(plan, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr));
      EXPECT_OK(tcgemmPlanDestroy(plan));
    }
}

/// Programs that were compiled before the kinds.
TEST_F(LibraryGroupKindsTest, SecondVersionOfTheStructure) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS, 2);
  desc.structSize = offsetof(tcgemmGroupedDesc, kind);
  std::memset(&desc.kind, 0x5a, sizeof desc - desc.structSize);
  EXPECT_OK(tcgemmPlanDestroy(makePlan(desc)));
}

TEST_F(LibraryGroupKindsTest, Errors) {
  tcgemmGroupedDesc desc = makeGroups(TCGEMM_GROUPS_PADDED, 2);
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  desc.kind = static_cast<tcgemmGroupKind>(3);
  expectRefused(desc, TCGEMM_INVALID_VALUE, "kind is 3, but it must be 0 to 2");
  desc = makeGroups(TCGEMM_GROUPS_ALONG_K, 2);
  desc.k = -1;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "k is -1, but it must be 0 to 2147483647");
  desc = makeGroups(TCGEMM_GROUPS_CONTIGUOUS, 2);
  desc.transA = TCGEMM_T;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "transA is TCGEMM_T, but it must be TCGEMM_N: with groups of "
                "the kind contiguous, k is innermost in A");
  desc.kind = TCGEMM_GROUPS_PADDED;
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  desc.transA = static_cast<tcgemmTranspose>(2);
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "transA is 2, but it must be 0 to 1");
  desc = makeGroups(TCGEMM_GROUPS_PADDED, 2);
  desc.lda = 39;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "lda is 39, but it must be 40 to 268435456");
  desc = makeGroups(TCGEMM_GROUPS_ALONG_K, 2);
  desc.typeA = desc.typeB = TCGEMM_F32;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "groups along k: the types must be those that wgmma "
                "multiplies, but are f32");
  desc = makeGroups(TCGEMM_GROUPS_PADDED, 2);
  desc.strideD = 70 * 24 - 1;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "strideD is 1679, but it must be 1680 to 72057594037927936");
  desc = makeGroups(TCGEMM_GROUPS_ALONG_K, 2);
  desc.config = "schedule=wgmma cta=64x64x64 warps=4x1x1 split_k=2";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlanGrouped(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("[groups-along-k]"), std::string::npos)
      << getMessage();
}

/// Matrices that are one for all groups have no stride.
TEST_F(LibraryGroupKindsTest, StridesThatAKindDoesNotHave) {
  struct Stride {
    tcgemmGroupKind kind;
    int64_t tcgemmGroupedDesc::*field;
    const char *kindName, *matrix;
  };
  const Stride strides[] = {
      {TCGEMM_GROUPS_CONTIGUOUS, &tcgemmGroupedDesc::strideA, "contiguous",
       "A"},
      {TCGEMM_GROUPS_CONTIGUOUS, &tcgemmGroupedDesc::strideC, "contiguous",
       "C"},
      {TCGEMM_GROUPS_CONTIGUOUS, &tcgemmGroupedDesc::strideD, "contiguous",
       "D"},
      {TCGEMM_GROUPS_ALONG_K, &tcgemmGroupedDesc::strideA, "ragged-k", "A"},
      {TCGEMM_GROUPS_ALONG_K, &tcgemmGroupedDesc::strideB, "ragged-k", "B"}};
  for (const Stride &each : strides) {
    tcgemmGroupedDesc desc = makeGroups(each.kind, 2);
    desc.*each.field = 4096;
    expectRefused(desc, TCGEMM_INVALID_VALUE,
                  llvm::formatv("stride{0} is 4096, but it must be "
                                "TCGEMM_DENSE: with groups of the kind {1}, "
                                "{0} is one matrix",
                                each.matrix, each.kindName)
                      .str());
  }
}

} // namespace
