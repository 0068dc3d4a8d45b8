//===- SimtSpaceTest.cpp - The note's parameters and rules ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunerTestUtils.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace tcgemm;

namespace {

TuningProblem makeF32Problem(int64_t m, int64_t n, int64_t k,
                             llvm::StringRef layout) {
  TuningProblem problem = makeProblem(m, n, k);
  setTypes(problem, ScalarType::F32);
  llvm::cantFail(problem.kernel.setLayout(layout));
  return problem;
}

SearchSpace bind(llvm::StringRef name, const TuningProblem &problem) {
  return unwrap(SearchSpace::create(unwrap(readSpace(name)),
                                    *lookupChip("sm_90"), problem));
}

TEST(SimtSpace, LegalPointsKeepTheNotesRules) {
  for (const char *layout : {"tn", "nn"}) {
    SearchSpace space =
        bind("simt-full", makeF32Problem(4096, 4096, 4096, layout));
    std::set<bool> staging;
    std::set<std::string> tiles, threads;
    for (uint64_t index : space.getLegal()) {
      KernelConfig config = space.getConfig(space.getPoint(index));
      auto [bm, bn, bk] = config.cta;
      auto [ty, tx, one] = config.simt.threads;
      ASSERT_LE(tx * ty, 1024);
      ASSERT_EQ(tx * ty % bk, 0);
      ASSERT_EQ(bm % ty, 0);
      ASSERT_EQ(bn % tx, 0);
      ASSERT_EQ(one, 1);
      staging.insert(config.simt.transposeStaging);
      tiles.insert(config.get("cta"));
      threads.insert(config.get("threads"));
    }
    EXPECT_GT(space.getLegal().size(), 1000u) << layout;
    EXPECT_EQ(staging.size(), 2u);
    EXPECT_GT(tiles.size(), 20u);
    EXPECT_GT(threads.size(), 5u);
  }
}

TEST(SimtSpace, ExplainNamesTheNotesRules) {
  SearchSpace space = bind("simt-full", makeF32Problem(512, 512, 512, "tn"));
  auto rules = [&](llvm::StringRef text) {
    std::set<std::string> found;
    for (const SpaceViolation &violation : space.explain(
             makeConfig(("schedule=simt unaligned=copy_4 " + text).str())))
      found.insert(violation.rule);
    return found;
  };
  EXPECT_EQ(rules("cta=64x64x8 threads=8x8x1"), std::set<std::string>());
  EXPECT_TRUE(rules("cta=64x64x24 threads=8x4x1").count("threads-k"));
  EXPECT_TRUE(rules("cta=96x128x8 threads=32x16x1 stages=2").empty());
  EXPECT_TRUE(rules("cta=16x64x8 threads=32x8x1").count("cta-m"));
  EXPECT_TRUE(rules("cta=64x16x8 threads=8x32x1").count("cta-n"));
  EXPECT_TRUE(rules("cta=128x128x8 threads=32x64x1").count("threads"));
}

TEST(SimtSpace, QuickOneHasSomeForEverySize) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{4096, 4096, 4096},
                         std::array<int64_t, 3>{6144, 6016, 128},
                         std::array<int64_t, 3>{6144, 64, 64},
                         std::array<int64_t, 3>{33, 17, 5}}) {
    SearchSpace space = bind("simt-quick", makeF32Problem(m, n, k, "nn"));
    EXPECT_GT(space.getLegal().size(), 10u) << m << " " << n << " " << k;
  }
}

/// Spaces of tensor cores are empty for f32, and this space for other types.
TEST(SimtSpace, TypesDecide) {
  EXPECT_EQ(bind("mma_sync-quick", makeF32Problem(512, 512, 512, "tn"))
                .getLegal()
                .size(),
            0u);
  EXPECT_EQ(bind("simt-quick", makeProblem(512, 512, 512)).getLegal().size(),
            0u);
  auto getDefault = [](ScalarType a, ScalarType b) {
    MatmulKind kind;
    kind.typeA = a;
    kind.typeB = b;
    kind.accumulator = getAccumulatorTypes(a, b).front();
    return getDefaultSpaces(*lookupChip("sm_90a"), kind);
  };
  using T = ScalarType;
  using Names = std::vector<std::string>;
  EXPECT_EQ(getDefault(T::F32, T::F32), Names({"simt-quick"}));
  EXPECT_EQ(getDefault(T::I32, T::I32), Names({"simt-quick"}));
  EXPECT_EQ(getDefault(T::TF32, T::TF32),
            Names({"wgmma-tf32", "mma_sync-tf32"}));
  EXPECT_EQ(getDefault(T::BF16X6, T::BF16X6),
            Names({"wgmma-split", "mma_sync-quick"}));
  EXPECT_EQ(getDefault(T::BF16, T::BF16),
            Names({"wgmma-quick", "wgmma-waves", "wgmma-mid", "wgmma-clusters",
                   "wgmma-short", "mma_sync-quick", "gemv", "gemv-across"}));
  EXPECT_EQ(getDefault(T::E5M2, T::F16),
            Names({"wgmma-mixed", "mma_sync-mixed", "gemv-mixed"}));
  // wgmma converts to 16 bits only.
  EXPECT_EQ(getDefault(T::I8, T::I4), Names({"mma_sync-mixed", "gemv-mixed"}));
  EXPECT_EQ(getDefault(T::BF16, T::U4Interleaved), Names({"wgmma-mixed"}));
  // Tensor cores have sums of products only, but for bits.
  MatmulKind other;
  other.algebra = unwrap(Algebra::parse("or-and"));
  for (auto [type, names] : {std::pair(T::I32, Names({"simt-quick"})),
                             std::pair(T::U8, Names({"simt-8bit"})),
                             std::pair(T::F64, Names({"simt-f64"})),
                             std::pair(T::U1, Names({"wgmma-bits"}))}) {
    other.typeA = other.typeB = type;
    EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90a"), other), names);
  }
  MatmulKind scaled;
  scaled.typeA = scaled.typeB = T::E4M3;
  scaled.hasScalesB = true;
  EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90a"), scaled),
            Names({"wgmma-promoted"}));
  MatmulKind rows;
  rows.isGrouped = true;
  EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90a"), rows),
            Names({"wgmma-rows"}));
  scaled.isGrouped = true;
  EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90a"), scaled),
            Names({"wgmma-rows-promoted"}));
  MatmulKind narrow = rows;
  narrow.typeB = T::U4;
  narrow.groups.depth = 64;
  EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90a"), narrow),
            Names({"wgmma-rows-groups"}));
  for (T type : {T::I8, T::TF32X3, T::U1}) {
    rows.typeB = type;
    rows.typeA = type == T::I8 ? T::BF16 : type;
    EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90a"), rows),
              Names({"wgmma-rows-narrow"}));
  }
  MatmulKind grouped;
  grouped.typeB = T::I4;
  grouped.groups.depth = 128;
  EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90a"), grouped),
            Names({"wgmma-groups", "mma_sync-mixed", "gemv-mixed"}));
  EXPECT_EQ(getDefaultSpaces(*lookupChip("sm_90"), grouped),
            Names({"mma_sync-mixed", "gemv-mixed"}));
}

TEST(SimtSpace, PanelsAreTheNotes) {
  KernelSpec kernel;
  kernel.typeA = kernel.typeB = kernel.output = ScalarType::F32;
  auto problems = unwrap(readSuite("lu-panels", kernel));
  EXPECT_EQ(problems.size(), 48u);
  for (const TuningProblem &problem : problems) {
    const MatmulSizes &s = problem.sizes;
    EXPECT_TRUE(s.k == 64 || s.k == 128) << problem.str();
    EXPECT_TRUE(s.n == s.m - s.k || s.n == s.k) << problem.str();
    EXPECT_LE(s.m, 6144);
  }
}

} // namespace
