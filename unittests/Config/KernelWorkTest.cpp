//===- KernelWorkTest.cpp - Tests of KernelWork -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ScheduleFamily.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace tcgemm;

namespace {

ProblemInfo makeProblem(ScalarType type = ScalarType::BF16) {
  ProblemInfo problem;
  problem.m = problem.n = problem.k = 1024;
  problem.typeA = problem.typeB = type;
  return problem;
}

KernelWork describe(llvm::StringRef text, const ProblemInfo &problem) {
  KernelConfig config;
  EXPECT_FALSE(errorToBool(config.apply(text)));
  return describeWork(config, llvm::cantFail(lookupChip("sm_90a")), problem);
}

TEST(KernelWork, CountsAStage) {
  KernelWork work = describe("cta=128x64x32 warps=2x2x1", makeProblem());
  EXPECT_EQ(work.rowMacs, 128 * 32);
  EXPECT_EQ(work.columns, 64);
  EXPECT_EQ(work.stageBytes, 2 * (128 + 64) * 32);
  EXPECT_EQ(work.fragmentBytes, 2 * 4 * (64 + 32) * 32);
  EXPECT_EQ(work.iterations, 32);
  EXPECT_EQ(work.ctas, 8 * 16);
  EXPECT_EQ(work.reduceBytes, 0);
  EXPECT_EQ(work.inputBytes, 4.0 * 1024 * 1024);
}

TEST(KernelWork, OfWgmmaHasNoFragments) {
  KernelWork work = describe(
      "schedule=wgmma cta=32x128x64 warps=8x1x1 swap_ab=true", makeProblem());
  EXPECT_EQ(work.rowMacs, 128 * 64);
  EXPECT_EQ(work.columns, 32);
  EXPECT_EQ(work.fragmentBytes, 0);
}

TEST(KernelWork, CountsTheBytesOfEachOperand) {
  const char *config = "schedule=simt cta=64x64x16 threads=16x16x1";
  KernelWork wide = describe(config, makeProblem(ScalarType::F32));
  EXPECT_EQ(wide.stageBytes, 4 * (64 + 64) * 16);
  EXPECT_EQ(wide.fragmentBytes, 0);
  EXPECT_EQ(wide.inputBytes, 8.0 * 1024 * 1024);
  ProblemInfo mixed = makeProblem();
  mixed.typeB = ScalarType::I8;
  EXPECT_EQ(describe(config, mixed).stageBytes, (2 * 64 + 64) * 16);
}

TEST(KernelWork, SlicesAreAddedUp) {
  KernelWork work =
      describe("cta=128x64x32 warps=2x2x1 split_k=5", makeProblem());
  EXPECT_EQ(work.iterations, 7);
  EXPECT_EQ(work.ctas, 8 * 16 * 5);
  EXPECT_EQ(work.reduceBytes, 8.0 * 5 * 1024 * 1024);
}

TEST(KernelWork, SlicesReadPartsOfTheSameRows) {
  ProblemInfo problem = makeProblem();
  problem.m = 128;
  problem.n = 28672;
  problem.k = 4096;
  auto getReads = [&](const llvm::Twine &slices) {
    KernelWork work = describe(
        ("schedule=wgmma cta=128x128x64 warps=8x1x1 " + slices).str(), problem);
    return work.dramBytes - work.outputBytes;
  };
  // The columns exceed the L2 cache, and each is read once.
  double once = getReads("split_k=1");
  EXPECT_NEAR(once, 2.0 * (128 + 28672) * 4096, 0.02 * once);
  for (const char *slices :
       {"cluster=1x1x2", "cluster=1x1x4", "split_k=2",
        "split_k=4 slice_order=inner", "split_k=2 cluster=1x1x2"})
    EXPECT_NEAR(getReads(slices), once, 0.03 * once) << slices;
}

TEST(KernelWork, TheLastWaveHasTheRest) {
  KernelWork work;
  work.ctas = 25;
  work.residents = 2;
  work.processors = 5;
  std::vector<std::pair<double, double>> waves;
  double time = addWaves(3, work, 10, [&](double count, double active) {
    waves.emplace_back(count, active);
    return count;
  });
  // Two full waves, and five CTAs that have a processor each.
  EXPECT_EQ(time, 3 + 2 * 2 + 1);
  EXPECT_EQ(waves, (std::vector<std::pair<double, double>>{{2, 5}, {1, 5}}));
  work.ctas = 3;
  EXPECT_EQ(addWaves(0, work, 10, [](double, double active) { return active; }),
            3);
}

TEST(ScheduleFamily, OrdersHaveAllFamilies) {
  llvm::ArrayRef<const ScheduleFamily *> all = getFamilies();
  for (auto [index, family] : llvm::enumerate(all))
    EXPECT_EQ(family->getSchedule(), static_cast<Schedule>(index));
  llvm::ArrayRef<const ScheduleFamily *> preferred = getFamiliesByPreference();
  EXPECT_TRUE(std::is_permutation(all.begin(), all.end(), preferred.begin(),
                                  preferred.end()));
  std::vector<std::string> fitted;
  for (const ScheduleFamily *family : getFittedFamilies())
    fitted.push_back(getScheduleName(family->getSchedule()).str());
  EXPECT_EQ(fitted, (std::vector<std::string>{"wgmma", "mma_sync"}));
}

} // namespace
