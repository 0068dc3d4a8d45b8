//===- LibraryFeaturesTest.cpp - Scales, reductions and algebras ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All elements and scales are small integers or powers of two, so that sums of
// f32 are exact, and results are compared by equality.
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"
#include "Values.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace tcgemm;

namespace {

class LibraryFeaturesTest : public LibraryTest {
protected:
  void run(const tcgemmMatmulDesc &desc, const tcgemmOperands &operands) {
    runProduct(handle, desc, operands);
  }
};

int64_t divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===----------------------------------------------------------------------===//
// Scales of blocks
//===----------------------------------------------------------------------===//

TEST_F(LibraryFeaturesTest, BlockScales) {
  constexpr int64_t m = 136, n = 200, k = 272, batch = 2;
  const int64_t depth = divide(k, 128), blocks = divide(n, 128);
  for (bool isShared : {false, true})
    for (int which : {1, 2, 3}) {
      SCOPED_TRACE(which);
      tcgemmMatmulDesc desc = makeDesc(m, n, k);
      desc.batch = batch;
      desc.typeA = desc.typeB = TCGEMM_E4M3;
      desc.typeD = TCGEMM_F32;
      desc.transB = TCGEMM_T;
      desc.hasBlockScalesA = which & 1;
      desc.hasBlockScalesB = which >> 1;
      if (isShared)
        desc.strideB = 0;
      Values a = draw(batch * m * k, 1, -2, 2),
             b = draw(batch * n * k, 2, -1, 2),
             scaleA = drawScales(batch * depth * m, 3),
             scaleB = drawScales(batch * blocks * depth, 4);
      Values expected(batch * m * n);
      for (int64_t p = 0; p != batch; ++p)
        for (int64_t i = 0; i != m; ++i)
          for (int64_t j = 0; j != n; ++j) {
            double sum = 0;
            int64_t ofB = isShared ? 0 : p;
            for (int64_t l = 0; l != k; ++l) {
              double value = a[(p * m + i) * k + l] * b[(ofB * n + j) * k + l];
              if (desc.hasBlockScalesA)
                value *= scaleA[(p * depth + l / 128) * m + i];
              if (desc.hasBlockScalesB)
                value *= scaleB[(ofB * blocks + j / 128) * depth + l / 128];
              sum += value;
            }
            expected[(p * m + i) * n + j] = sum;
          }
      DeviceMemory onA(store(ScalarType::E4M3, a)),
          onB(store(ScalarType::E4M3, b)), onD(batch * m * n * 4),
          onScaleA(store(ScalarType::F32, scaleA)),
          onScaleB(store(ScalarType::F32, scaleB));
      tcgemmOperands operands;
      ASSERT_OK(tcgemmOperandsInit(&operands));
      operands.a = onA.get(), operands.b = onB.get(), operands.d = onD.get();
      if (desc.hasBlockScalesA)
        operands.scaleA = onScaleA.get();
      if (desc.hasBlockScalesB)
        operands.scaleB = onScaleB.get();
      run(desc, operands);
      EXPECT_EQ(load(ScalarType::F32, onD.read()), expected);
    }
}

/// Without terms, nothing but D has an address.
TEST_F(LibraryFeaturesTest, ScalesWithoutTerms) {
  tcgemmMatmulDesc blocks = makeDesc(16, 16, 0), groups = makeDesc(16, 16, 0);
  blocks.typeA = blocks.typeB = TCGEMM_E4M3;
  blocks.hasBlockScalesA = blocks.hasBlockScalesB = 1;
  groups.typeB = TCGEMM_S4;
  groups.groupSize = 64;
  groups.zeroPointType = TCGEMM_S8;
  for (tcgemmMatmulDesc *desc : {&blocks, &groups}) {
    desc->transB = TCGEMM_T;
    DeviceMemory d(std::vector<uint8_t>(16 * 16 * 2, 77));
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.d = d.get();
    run(*desc, operands);
    EXPECT_EQ(d.read(), std::vector<uint8_t>(16 * 16 * 2));
  }
}

TEST_F(LibraryFeaturesTest, WrongBlockScales) {
  tcgemmMatmulDesc desc = makeDesc(16, 16, 128);
  desc.hasBlockScalesA = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "hasBlockScalesA is 2, but it must be 0 to 1");
  desc.hasBlockScalesA = 1;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "block scales: A and B are of bf16, but only e4m3 and e5m2 "
                "have them");
  desc.typeA = desc.typeB = TCGEMM_E4M3;
  desc.transB = TCGEMM_T;
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  DeviceMemory memory(std::vector<uint8_t>(4096)), d(512);
  EXPECT_EQ(tcgemmRun(plan, memory.get(), memory.get(), nullptr, d.get(),
                      nullptr, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of scaleA is null");
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  operands.a = operands.b = memory.get(), operands.d = d.get();
  operands.scaleA = memory.get(2);
  EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr),
            TCGEMM_MISALIGNED);
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

//===----------------------------------------------------------------------===//
// Elements of 4 bits
//===----------------------------------------------------------------------===//

/// The operand of 4 bits with its scales, and its partner.
struct NarrowCase {
  const char *name;
  tcgemmType narrow;
  bool isA;
  int64_t groupSize;
  tcgemmType scales, zeroPoints;
  int64_t k, gap, batch;
};

const NarrowCase kNarrowCases[] = {
    {"plain", TCGEMM_S4, false, 0, TCGEMM_F32, TCGEMM_NO_TYPE, 272, 0, 1},
    {"pitch", TCGEMM_U4, false, 0, TCGEMM_F32, TCGEMM_NO_TYPE, 272, 16, 2},
    {"of A", TCGEMM_S4, true, 0, TCGEMM_F32, TCGEMM_NO_TYPE, 272, 16, 1},
    {"odd pitch", TCGEMM_S4, false, 0, TCGEMM_F32, TCGEMM_NO_TYPE, 72, 3, 1},
    {"groups", TCGEMM_S4, false, 128, TCGEMM_F32, TCGEMM_NO_TYPE, 256, 0, 1},
    {"zero points", TCGEMM_U4, false, 64, TCGEMM_F16, TCGEMM_U8, 256, 16, 2},
    {"groups of A", TCGEMM_S4, true, 128, TCGEMM_BF16, TCGEMM_S8, 256, 0, 2},
    {"interleaved", TCGEMM_U4_INTERLEAVED, false, 128, TCGEMM_F16, TCGEMM_U8,
     256, 16, 2},
    {"interleaved A", TCGEMM_S4_INTERLEAVED, true, 0, TCGEMM_F32,
     TCGEMM_NO_TYPE, 96, 0, 1},
};

TEST_F(LibraryFeaturesTest, ElementsOf4Bits) {
  constexpr int64_t m = 40, n = 72;
  for (const NarrowCase &each : kNarrowCases) {
    SCOPED_TRACE(each.name);
    bool isSigned =
        each.narrow == TCGEMM_S4 || each.narrow == TCGEMM_S4_INTERLEAVED;
    bool isInterleaved = each.narrow == TCGEMM_S4_INTERLEAVED ||
                         each.narrow == TCGEMM_U4_INTERLEAVED;
    int64_t k = each.k, batch = each.batch, rows = each.isA ? m : n,
            others = each.isA ? n : m;
    int64_t size = each.groupSize ? each.groupSize : k, depth = divide(k, size);
    tcgemmMatmulDesc desc = makeDesc(m, n, k);
    desc.batch = batch;
    (each.isA ? desc.typeA : desc.typeB) = each.narrow;
    (each.isA ? desc.typeB : desc.typeA) = TCGEMM_BF16;
    desc.transB = TCGEMM_T;
    desc.typeD = TCGEMM_F32;
    desc.groupSize = each.groupSize;
    desc.groupScaleType = each.scales;
    desc.zeroPointType = each.zeroPoints;
    (each.isA ? desc.lda : desc.ldb) = k / 2 + each.gap;
    Values narrow =
               draw(batch * rows * k, 1, isSigned ? -8 : 0, isSigned ? 7 : 15),
           wide = draw(batch * others * k, 2, -1, 1),
           scales = drawScales(batch * rows * depth, 3),
           zeros = draw(batch * rows * depth, 4, isSigned ? -3 : 0, 5);
    // The scales of A have m innermost, those of B have k.
    auto find = [&](int64_t p, int64_t row, int64_t l) {
      int64_t block = l / size;
      return each.isA ? (p * depth + block) * rows + row
                      : (p * rows + row) * depth + block;
    };
    Values expected(batch * m * n);
    for (int64_t p = 0; p != batch; ++p)
      for (int64_t row = 0; row != rows; ++row)
        for (int64_t other = 0; other != others; ++other) {
          double sum = 0;
          for (int64_t l = 0; l != k; ++l) {
            double value = narrow[(p * rows + row) * k + l];
            if (each.zeroPoints != TCGEMM_NO_TYPE)
              value -= zeros[find(p, row, l)];
            if (each.groupSize)
              value *= scales[find(p, row, l)];
            sum += value * wide[(p * others + other) * k + l];
          }
          int64_t i = each.isA ? row : other, j = each.isA ? other : row;
          expected[(p * m + i) * n + j] = sum;
        }
    std::vector<uint8_t> bytes = packPairs(narrow, k, each.gap);
    int64_t pitch = k / 2 + each.gap;
    if (isInterleaved)
      ASSERT_OK(tcgemmInterleave(batch * rows, k, bytes.data(), pitch,
                                 bytes.data(), pitch));
    DeviceMemory onNarrow(bytes), onWide(store(ScalarType::BF16, wide)),
        onD(batch * m * n * 4),
        onScales(store(getScalarType(each.scales), scales)),
        onZeros(storeBytes(zeros));
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = (each.isA ? onNarrow : onWide).get();
    operands.b = (each.isA ? onWide : onNarrow).get();
    operands.d = onD.get();
    if (each.groupSize)
      (each.isA ? operands.scaleA : operands.scaleB) = onScales.get();
    if (each.zeroPoints != TCGEMM_NO_TYPE)
      operands.zeroPoints = onZeros.get();
    run(desc, operands);
    EXPECT_EQ(load(ScalarType::F32, onD.read()), expected);
  }
}

TEST_F(LibraryFeaturesTest, WrongElementsOf4Bits) {
  tcgemmMatmulDesc desc = makeDesc(16, 16, 64);
  desc.typeB = TCGEMM_S4;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "transB is TCGEMM_N, but k must be innermost in B, whose "
                "elements of 4 bits share bytes along it");
  desc.transB = TCGEMM_T;
  desc.k = 63;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "k is 63, but it must be even: elements of B have 4 bits, and "
                "share bytes along k");
  desc.k = 64;
  desc.ldb = 31;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "ldb is 31, but it must be 32 to 268435456");
  desc.ldb = TCGEMM_DENSE;
  desc.typeD = TCGEMM_U4;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "type of D: 'u4' is none of bf16, f16, f32, e4m3, e5m2");
  desc.typeD = TCGEMM_BF16;
  desc.groupSize = 48;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "groupSize is 48, but it must be 0, 32, 64, 128 or 256");
  desc.groupSize = 32;
  desc.groupScaleType = TCGEMM_F64;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "groupScaleType is 4, but it must be the type of one of f32, "
                "f16, bf16");
  desc.groupScaleType = TCGEMM_F32;
  desc.zeroPointType = TCGEMM_F16;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "zeroPointType is 1, but it must be the type of one of s8, u8");
  desc.zeroPointType = TCGEMM_U8;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "zero points: u8, but those of s4 must be s8: their difference "
                "might have more bits than bf16");
  desc.zeroPointType = TCGEMM_S8;
  desc.groupSize = 0;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "zeroPointType is 7, but groupSize is 0: zero points are those "
                "of groups");
  desc = makeDesc(16, 16, 64);
  desc.groupSize = 32;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "group scales: A and B are of bf16, but only s4 and u4 by f16, "
                "bf16, e4m3 or e5m2 have them");
  desc = makeDesc(16, 16, 64);
  desc.typeA = TCGEMM_F32;
  desc.typeB = TCGEMM_S4;
  desc.transB = TCGEMM_T;
  // wgmma multiplies few rows, too, where the last group has fewer elements.
  desc.n = 72, desc.k = 272;
  desc.typeA = TCGEMM_BF16;
  desc.typeD = TCGEMM_F32;
  desc.groupSize = 32;
  for (int64_t m : {20, 40}) {
    desc.m = m;
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &plan)) << m;
    ASSERT_OK(tcgemmPlanDestroy(plan)) << m;
  }
  desc.typeA = TCGEMM_F32;
  desc.groupSize = 0;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "types of A and B: no instruction multiplies f32 by s4");
}

TEST_F(LibraryFeaturesTest, Interleave) {
  // Element k of a row is k modulo 16.
  std::vector<uint8_t> from, to(2 * 40, 0xee), expected(2 * 40, 0xee);
  for (int64_t row = 0; row != 2; ++row)
    for (int64_t k = 0; k != 64; ++k) {
      if (k % 2 == 0)
        from.push_back(static_cast<uint8_t>(k % 16 | (k + 1) % 16 << 4));
      int64_t place = getInterleavedPlace(k);
      uint8_t &byte = expected[row * 40 + place / 2];
      int64_t bit = place % 2 * 4;
      byte = static_cast<uint8_t>((byte & ~(15 << bit)) | k % 16 << bit);
    }
  ASSERT_OK(tcgemmInterleave(2, 64, from.data(), TCGEMM_DENSE, to.data(), 40));
  EXPECT_EQ(to, expected);
  EXPECT_OK(tcgemmInterleave(0, 64, nullptr, TCGEMM_DENSE, nullptr, 32));
  auto expectFails = [&](int64_t rows, int64_t k, int64_t ldTo,
                         const std::string &message) {
    EXPECT_EQ(tcgemmInterleave(rows, k, from.data(), TCGEMM_DENSE,
                               ldTo ? to.data() : nullptr, ldTo ? ldTo : 32),
              TCGEMM_INVALID_VALUE);
    EXPECT_EQ(getMessage(), message);
  };
  expectFails(-1, 64, 32, "rows is -1, but it must be 0 to 2147483647");
  expectFails(1, 48, 32, "k is 48, but it must be a multiple of 32");
  expectFails(1, 64, 31, "ldTo is 31, but it must be 32 to 268435456");
  expectFails(1, 64, 0, "the address of to is null");
}

TEST_F(LibraryFeaturesTest, WrongInterleavedElements) {
  tcgemmMatmulDesc desc = makeDesc(16, 16, 48);
  desc.typeB = TCGEMM_U4_INTERLEAVED;
  desc.transB = TCGEMM_T;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "k is 48, but it must be a multiple of 32: so many elements of "
                "B are interleaved along k");
  desc.k = 64;
  desc.typeA = TCGEMM_E4M3;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "types of A and B: no instruction multiplies e4m3 by u4i");
}

/// Only products of matrices and of groups of rows have them.
TEST_F(LibraryFeaturesTest, ElementsOf4BitsOfOtherProducts) {
  tcgemmPlan_t plan = nullptr;
  tcgemmContractionDesc contraction;
  ASSERT_OK(tcgemmContractionDescInit(&contraction));
  contraction.indices = "mk,nk->mn";
  contraction.typeB = TCGEMM_S4;
  EXPECT_EQ(tcgemmPlanContraction(handle, &contraction, &plan),
            TCGEMM_NOT_SUPPORTED);
  EXPECT_EQ(getMessage(),
            "types of A and B: only tcgemmPlan and tcgemmPlanGrouped have "
            "operands of 4 bits, but one is s4");
  tcgemmGroupedDesc grouped;
  ASSERT_OK(tcgemmGroupedDescInit(&grouped));
  grouped.kind = TCGEMM_GROUPS_ALONG_K;
  grouped.m = grouped.n = grouped.k = 64;
  grouped.groups = 2;
  grouped.typeB = TCGEMM_S4;
  grouped.transB = TCGEMM_T;
  EXPECT_EQ(tcgemmPlanGrouped(handle, &grouped, &plan), TCGEMM_NOT_SUPPORTED);
  EXPECT_EQ(getMessage(), "groups along k: the elements must have 8 bits or "
                          "more, but the types are bf16xs4");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

constexpr int64_t kM = 72, kN = 136, kK = 32, kBatch = 2;

/// A product of f16 with a bias, whose sums are exact, and its reductions.
class ReducedProduct {
public:
  ReducedProduct(tcgemmType typeD, int64_t batch)
      : batch(batch), a(draw(batch * kM * kK, 1, -2, 2)),
        b(draw(batch * kK * kN, 2, -1, 2)), bias(draw(kN, 3, -3, 3)),
        sums(batch * kM * kN), typeD(typeD) {
    for (int64_t p = 0; p != batch; ++p)
      for (int64_t i = 0; i != kM; ++i)
        for (int64_t j = 0; j != kN; ++j) {
          double sum = bias[j];
          for (int64_t l = 0; l != kK; ++l)
            sum += a[(p * kM + i) * kK + l] * b[(p * kK + l) * kN + j];
          sums[(p * kM + i) * kN + j] = sum;
        }
  }

  /// Combines the sums of each row (0) or column (1).
  Values combine(unsigned axis, double first,
                 const std::function<double(double, double)> &f) const {
    int64_t length = axis ? kN : kM;
    Values result(batch * length, first);
    for (int64_t p = 0; p != batch; ++p)
      for (int64_t i = 0; i != kM; ++i)
        for (int64_t j = 0; j != kN; ++j) {
          double &value = result[p * length + (axis ? j : i)];
          value = f(value, sums[(p * kM + i) * kN + j]);
        }
    return result;
  }

  const int64_t batch;
  const Values a, b, bias;
  Values sums;
  const tcgemmType typeD;
};

TEST_F(LibraryFeaturesTest, Reductions) {
  for (int64_t batch : {int64_t(1), kBatch}) {
    ReducedProduct product(TCGEMM_F32, batch);
    tcgemmMatmulDesc desc = makeDesc(kM, kN, kK);
    desc.batch = batch;
    desc.typeA = desc.typeB = TCGEMM_F16;
    desc.typeD = TCGEMM_F32;
    desc.epilogue = "bias";
    desc.reductions = "row-max_column-sum_amax_row-argmax_argmax";
    DeviceMemory onA(store(ScalarType::F16, product.a)),
        onB(store(ScalarType::F16, product.b)),
        onBias(store(ScalarType::F32, product.bias)), onD(batch * kM * kN * 4),
        onMaxima(batch * kM * 4), onSums(batch * kN * 4), onAmax(4),
        onIndices(batch * kM * 4), onIndex(batch * 8);
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = onA.get(), operands.b = onB.get(), operands.d = onD.get();
    operands.epilogue[0] = onBias.get();
    unsigned next = 0;
    for (const DeviceMemory *each :
         {&onMaxima, &onSums, &onAmax, &onIndices, &onIndex})
      operands.reductions[next++] = each->get();
    run(desc, operands);
    EXPECT_EQ(load(ScalarType::F32, onD.read()), product.sums);
    auto greater = [](double x, double y) { return std::max(x, y); };
    const double least = -std::numeric_limits<double>::infinity();
    Values maxima = product.combine(0, least, greater);
    EXPECT_EQ(load(ScalarType::F32, onMaxima.read()), maxima);
    EXPECT_EQ(load(ScalarType::F32, onSums.read()),
              product.combine(1, 0, std::plus<double>()));
    double amax = 0;
    for (double sum : product.sums)
      amax = std::max(amax, std::abs(sum));
    EXPECT_EQ(load(ScalarType::F32, onAmax.read()), Values{amax});
    // The first one of several equal values.
    Values indices(batch * kM), index(batch);
    for (int64_t p = 0; p != batch; ++p) {
      auto *first = &product.sums[p * kM * kN];
      index[p] = std::max_element(first, first + kM * kN) - first;
      for (int64_t i = 0; i != kM; ++i) {
        auto *row = first + i * kN;
        indices[p * kM + i] = std::max_element(row, row + kN) - row;
      }
    }
    EXPECT_EQ(load(ScalarType::I32, onIndices.read()), indices);
    std::vector<uint8_t> bytes = onIndex.read();
    for (int64_t p = 0; p != batch; ++p) {
      int64_t found = 0;
      std::memcpy(&found, bytes.data() + p * 8, 8);
      EXPECT_EQ(found, static_cast<int64_t>(index[p]));
    }
  }
}

/// Sums of integers are reduced as such if D has them.
TEST_F(LibraryFeaturesTest, ReductionsOfIntegers) {
  tcgemmMatmulDesc desc = makeDesc(kM, kN, kK);
  desc.typeA = desc.typeB = TCGEMM_S8;
  desc.typeD = TCGEMM_S32;
  desc.reductions = "row-sum";
  Values a = draw(kM * kK, 1, -9, 9), b = draw(kK * kN, 2, -9, 9), sums(kM);
  for (int64_t i = 0; i != kM; ++i)
    for (int64_t j = 0; j != kN; ++j)
      for (int64_t l = 0; l != kK; ++l)
        sums[i] += a[i * kK + l] * b[l * kN + j];
  DeviceMemory onA(store(ScalarType::I8, a)), onB(store(ScalarType::I8, b)),
      onD(kM * kN * 4), onSums(kM * 4);
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  operands.a = onA.get(), operands.b = onB.get(), operands.d = onD.get();
  operands.reductions[0] = onSums.get();
  run(desc, operands);
  EXPECT_EQ(load(ScalarType::I32, onSums.read()), sums);
}

TEST_F(LibraryFeaturesTest, WrongReductions) {
  tcgemmMatmulDesc desc = makeDesc(16, 16, 16);
  desc.reductions = "row-median";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("row-median"), std::string::npos) << getMessage();
  desc.reductions = "amax_amax_amax_amax_amax_amax_amax_amax_amax";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "reductions: 'amax_amax_amax_amax_amax_amax_amax_amax_amax' "
                "are 9, but there may be 8 at most");
  desc.reductions = "amax";
  desc.n = 0;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "reductions: D is 16x0 with batch 1, but it must have elements "
                "that are reduced");
  desc.n = 16;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  DeviceMemory memory(std::vector<uint8_t>(4096));
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  operands.a = operands.b = memory.get(), operands.d = memory.get(1024);
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  DeviceMemory workspace(bytes);
  auto runPlan = [&] {
    return tcgemmRunOperands(plan, &operands, workspace.get(), bytes, nullptr);
  };
  EXPECT_EQ(runPlan(), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of reductions[0] is null");
  // Two results must not share memory.
  operands.reductions[0] = memory.get(1024 + 64);
  EXPECT_EQ(runPlan(), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage().find("D at 0x"), 0u) << getMessage();
  EXPECT_NE(getMessage().find(" and reductions[0] at 0x"), std::string::npos);
  operands.reductions[0] = memory.get(2048);
  EXPECT_OK(runPlan());
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

//===----------------------------------------------------------------------===//
// Algebras
//===----------------------------------------------------------------------===//

TEST_F(LibraryFeaturesTest, Algebras) {
  for (const char *algebra : {"max-plus", "min-max"}) {
    SCOPED_TRACE(algebra);
    bool isMaxPlus = algebra == std::string("max-plus");
    tcgemmMatmulDesc desc = makeDesc(kM, kN, kK);
    desc.typeA = desc.typeB = desc.typeD = TCGEMM_F32;
    desc.algebra = algebra;
    Values a = draw(kM * kK, 1, -9, 9), b = draw(kK * kN, 2, -9, 9),
           expected(kM * kN);
    for (int64_t i = 0; i != kM; ++i)
      for (int64_t j = 0; j != kN; ++j) {
        double value = isMaxPlus ? -1e9 : 1e9;
        for (int64_t l = 0; l != kK; ++l) {
          double x = a[i * kK + l], y = b[l * kN + j];
          value = isMaxPlus ? std::max(value, x + y)
                            : std::min(value, std::max(x, y));
        }
        expected[i * kN + j] = value;
      }
    DeviceMemory onA(store(ScalarType::F32, a)), onB(store(ScalarType::F32, b)),
        onD(kM * kN * 4);
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = onA.get(), operands.b = onB.get(), operands.d = onD.get();
    run(desc, operands);
    EXPECT_EQ(load(ScalarType::F32, onD.read()), expected);
  }
}

/// B and D are copied, and A and B may change places.
TEST_F(LibraryFeaturesTest, AlgebraOfAContraction) {
  constexpr int64_t m = 40, n = 24, k = 72, batch = 3;
  for (bool isSwapped : {false, true}) {
    tcgemmContractionDesc desc;
    ASSERT_OK(tcgemmContractionDescInit(&desc));
    desc.indices = isSwapped ? "knb,bmk->mnb" : "bmk,knb->mnb";
    desc.typeA = desc.typeB = desc.typeD = TCGEMM_F32;
    desc.algebra = "max-plus";
    const int64_t sizesA[] = {batch, m, k}, sizesB[] = {k, n, batch};
    std::memcpy(desc.sizesA, isSwapped ? sizesB : sizesA, sizeof sizesA);
    std::memcpy(desc.sizesB, isSwapped ? sizesA : sizesB, sizeof sizesB);
    Values a = draw(batch * m * k, 1, -9, 9), b = draw(k * n * batch, 2, -9, 9),
           expected(m * n * batch, -1e9);
    for (int64_t p = 0; p != batch; ++p)
      for (int64_t i = 0; i != m; ++i)
        for (int64_t j = 0; j != n; ++j)
          for (int64_t l = 0; l != k; ++l) {
            double &value = expected[(i * n + j) * batch + p];
            value = std::max(value, a[(p * m + i) * k + l] +
                                        b[(l * n + j) * batch + p]);
          }
    DeviceMemory onA(store(ScalarType::F32, a)), onB(store(ScalarType::F32, b)),
        onD(m * n * batch * 4);
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
    size_t bytes = 0;
    ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
    DeviceMemory workspace(bytes + 256);
    EXPECT_OK(tcgemmRun(plan, (isSwapped ? onB : onA).get(),
                        (isSwapped ? onA : onB).get(), nullptr, onD.get(),
                        workspace.get(), nullptr));
    EXPECT_OK(tcgemmPlanDestroy(plan));
    EXPECT_EQ(load(ScalarType::F32, onD.read()), expected);
  }
}

TEST_F(LibraryFeaturesTest, WrongAlgebraOfAContraction) {
  tcgemmContractionDesc desc;
  // A program of a header without the field.
  ASSERT_OK(tcgemmContractionDescInitSized(
      &desc, offsetof(tcgemmContractionDesc, algebra)));
  desc.indices = "mk,kn->mn";
  desc.algebra = "nothing";
  tcgemmPlan_t plan = nullptr;
  EXPECT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  ASSERT_OK(tcgemmContractionDescInit(&desc));
  desc.indices = "mk,kn->mn";
  desc.algebra = "complex";
  EXPECT_EQ(tcgemmPlanContraction(handle, &desc, &plan), TCGEMM_NOT_SUPPORTED);
  EXPECT_EQ(getMessage(),
            "algebra complex: only tcgemmPlan has numbers with components");
  desc.algebra = "max-plus";
  EXPECT_EQ(tcgemmPlanContraction(handle, &desc, &plan), TCGEMM_NOT_SUPPORTED);
  EXPECT_EQ(getMessage(), "algebra: A and B are of bf16, but only f32, f64 and "
                          "s32 have max-plus");
}

TEST_F(LibraryFeaturesTest, WrongAlgebras) {
  tcgemmMatmulDesc desc = makeDesc(16, 16, 16);
  desc.algebra = "max-div";
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), TCGEMM_INVALID_VALUE);
  EXPECT_NE(getMessage().find("max-div"), std::string::npos) << getMessage();
  desc.algebra = "max-plus";
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "algebra: A and B are of bf16, but only f32, f64 and s32 have "
                "max-plus");
}

} // namespace
