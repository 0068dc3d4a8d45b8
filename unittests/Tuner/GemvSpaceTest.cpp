//===- GemvSpaceTest.cpp - The space of schedule gemv ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunerTestUtils.h"
#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Tuner/Space.h"
#include <set>

using namespace tcgemm;

namespace {

SearchSpace bind(int64_t m, int64_t n, int64_t k,
                 llvm::StringRef layout = "tn") {
  TuningProblem problem = makeProblem(m, n, k);
  llvm::cantFail(problem.kernel.setLayout(layout));
  return unwrap(SearchSpace::create(unwrap(readSpace("gemv")),
                                    *lookupChip("sm_90"), problem));
}

TEST(GemvSpace, FewRowsOrColumnsOnly) {
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{1, 6144, 4096},
        std::array<int64_t, 3>{4, 28672, 4096},
        std::array<int64_t, 3>{7680, 3, 2560},
        std::array<int64_t, 3>{64, 1, 1216}, std::array<int64_t, 3>{1, 1, 1}}) {
    SearchSpace space = bind(m, n, k);
    EXPECT_GE(space.getLegal().size(), 4u) << m << "x" << n << "x" << k;
    EXPECT_LE(space.getLegal().size(), 120u) << m << "x" << n << "x" << k;
  }
  EXPECT_TRUE(bind(5, 6144, 4096).getLegal().empty());
  EXPECT_TRUE(bind(1, 6144, 4096, "tt").getLegal().empty());
}

/// A space of its own has the large operands that are not contiguous along k.
TEST(GemvSpace, Across) {
  auto bindAcross = [](int64_t m, int64_t n, int64_t k, const char *layout) {
    TuningProblem problem = makeProblem(m, n, k);
    llvm::cantFail(problem.kernel.setLayout(layout));
    return unwrap(SearchSpace::create(unwrap(readSpace("gemv-across")),
                                      *lookupChip("sm_90"), problem));
  };
  for (auto [m, n, layout] :
       {std::tuple(1, 7680, "nt"), std::tuple(3, 64, "tt"),
        std::tuple(5124, 1, "nn")}) {
    SearchSpace space = bindAcross(m, n, 2560, layout);
    EXPECT_GE(space.getLegal().size(), 30u) << layout;
    for (uint64_t index : space.getLegal()) {
      KernelConfig config = space.getConfig(space.getPoint(index));
      EXPECT_EQ(config.swapAB, n == 1);
      EXPECT_EQ(config.cta[config.swapAB ? 0 : 1] % 16, 0);
      EXPECT_EQ(config.unaligned, UnalignedPath::Copy8);
    }
  }
  EXPECT_TRUE(bindAcross(5, 7680, 2560, "nt").getLegal().empty());
  EXPECT_TRUE(bindAcross(1, 7680, 2560, "tn").getLegal().empty());
  EXPECT_TRUE(bindAcross(1, 7680, 2560, "nn").getLegal().empty());
}

/// One row or column is gemv's in every layout, without records.
TEST(GemvSpace, DefaultsOfLayouts) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  DefaultConfigProvider provider;
  for (const char *layout : {"tn", "nn", "nt", "tt"})
    for (auto [m, n] : {std::pair(1, 5124), std::pair(5124, 1)}) {
      TuningProblem problem = makeProblem(m, n, 2048);
      llvm::cantFail(problem.kernel.setLayout(layout));
      auto config = provider.lookup({chip, problem.getInfo(), "kernel", ""});
      ASSERT_TRUE(config) << layout;
      EXPECT_EQ(config->schedule, Schedule::Gemv) << layout;
      EXPECT_EQ(config->swapAB, n == 1) << layout;
      EXPECT_EQ(config->cta[config->swapAB ? 1 : 0], 1) << layout;
    }
  // Few columns and many k are divided among CTAs.
  TuningProblem deep = makeProblem(1, 64, 1 << 18);
  llvm::cantFail(deep.kernel.setLayout("nt"));
  auto config = provider.lookup({chip, deep.getInfo(), "kernel", ""});
  ASSERT_TRUE(config);
  EXPECT_GT(config->splitK, 1);
}

/// The small operand's side decides which operand is the large one.
TEST(GemvSpace, Sides) {
  std::set<int64_t> rows;
  SearchSpace few = bind(3, 6144, 4096);
  for (uint64_t index : few.getLegal()) {
    KernelConfig config = few.getConfig(few.getPoint(index));
    EXPECT_FALSE(config.swapAB);
    EXPECT_EQ(config.cta[0], 3);
    rows.insert(config.cta[1] / config.warps[1]);
  }
  EXPECT_EQ(rows, (std::set<int64_t>{1, 2, 4}));
  SearchSpace columns = bind(7680, 4, 2560);
  for (uint64_t index : columns.getLegal()) {
    KernelConfig config = columns.getConfig(columns.getPoint(index));
    EXPECT_TRUE(config.swapAB);
    EXPECT_EQ(config.cta[1], 4);
    EXPECT_EQ(config.warps[1], 1);
  }
}

/// Vectors have more elements of narrow weights, which are the large operand.
/// Tensor cores take those of 4 bits, a quarter of a warp's lanes for a row.
TEST(GemvSpace, NarrowWeights) {
  for (auto [type, multiple] :
       {std::pair("bf16xs8", 512), std::pair("f16xu4", 1024)}) {
    TuningProblem problem = makeProblem(1, 6144, 4096);
    llvm::cantFail(problem.kernel.setOperandTypes(type));
    SearchSpace space = unwrap(SearchSpace::create(
        unwrap(readSpace("gemv-mixed")), *lookupChip("sm_90"), problem));
    EXPECT_GE(space.getLegal().size(), 40u) << type;
    int64_t inTensorCores = 0;
    for (uint64_t index : space.getLegal()) {
      KernelConfig config = space.getConfig(space.getPoint(index));
      bool isTensor = config.gemv.math == DotMath::Mma;
      inTensorCores += isTensor;
      EXPECT_EQ(config.cta[2] % (isTensor ? 128 : multiple), 0) << type;
    }
    EXPECT_EQ(inTensorCores > 0, llvm::StringRef(type) == "f16xu4");
  }
}

/// The default model's choice is near the limit of DRAM, and with more than
/// four rows it is slower than a tensor-core kernel.
TEST(GemvSpace, Estimates) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  SearchSpace space = bind(1, 6144, 4096);
  KernelConfig config = space.getConfig(space.getPoint(space.getLegal()[0]));
  ProblemInfo problem = space.getProblem().getInfo();
  double floor = 2.0 * 6144 * 4096 / chip.speed.dramGBs / 1000;
  DefaultConfigProvider provider;
  auto best = provider.lookup({chip, problem, "kernel", ""});
  ASSERT_TRUE(best);
  EXPECT_EQ(best->schedule, Schedule::Gemv);
  double time = estimateTime(*best, chip, problem);
  EXPECT_GT(time, floor);
  EXPECT_LT(time, floor + 4);
  EXPECT_LE(time, estimateTime(config, chip, problem));
  problem.m = 512;
  auto wide = provider.lookup({chip, problem, "kernel", ""});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->schedule, Schedule::Wgmma);
  EXPECT_GT(estimateTime(*best, chip, problem),
            4 * estimateTime(*wide, chip, problem));
}

} // namespace
