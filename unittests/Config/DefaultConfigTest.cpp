//===- DefaultConfigTest.cpp - The model without records --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ConfigProvider.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tcgemm;

namespace {

TEST(DefaultConfig, TakesTheLargestSizes) {
  // The products of these sizes are beyond 64 bits.
  DefaultConfigProvider provider;
  for (const char *name : {"sm_80", "sm_90", "sm_90a"})
    for (int64_t size : {int64_t(1) << 31, int64_t(1) << 32, int64_t(1) << 40})
      for (int64_t batch : {int64_t(1), size})
        for (ScalarType type : {ScalarType::BF16, ScalarType::F32}) {
          const ChipInfo &chip = llvm::cantFail(lookupChip(name));
          ProblemInfo problem;
          problem.m = problem.n = problem.k = size;
          problem.batch = batch;
          problem.typeA = problem.typeB = type;
          std::optional<KernelConfig> config =
              provider.lookup({chip, problem, "matmul", ""});
          ASSERT_TRUE(config.has_value()) << name << " " << size;
          EXPECT_EQ(config->splitK, 1) << name << " " << size;
          double time = estimateTime(*config, chip, problem);
          EXPECT_TRUE(std::isfinite(time) && time > 1e6) << time;
        }
}

ProblemInfo makeSquare(ScalarType a, ScalarType b, ScalarType accumulator) {
  ProblemInfo problem;
  problem.m = problem.n = problem.k = 4096;
  problem.typeA = a;
  problem.typeB = b;
  problem.accumulator = accumulator;
  return problem;
}

TEST(DefaultConfig, StructuredProductsTakeHalfOfTheTime) {
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  ProblemInfo dense;
  dense.m = dense.n = dense.k = 8192;
  std::optional<KernelConfig> config =
      DefaultConfigProvider().lookup({chip, dense, "", ""});
  ASSERT_TRUE(config);
  double whole = estimateTime(*config, chip, dense);
  auto getPart = [&](auto &&change) {
    ProblemInfo problem = dense;
    change(problem);
    return estimateTime(*config, chip, problem) / whole;
  };
  double lower = getPart(
      [](ProblemInfo &problem) { problem.bands[0] = Band{std::nullopt, 0}; });
  EXPECT_GT(lower, 0.45);
  EXPECT_LT(lower, 0.58);
  // An upper triangle with k along the rows of B leaves as much.
  EXPECT_NEAR(getPart([](ProblemInfo &problem) {
                problem.bKContiguous = false;
                problem.bands[1] = Band{0, std::nullopt};
              }),
              lower, 0.03);
  EXPECT_LT(
      getPart([](ProblemInfo &problem) { problem.bands[0] = Band{-64, 64}; }),
      0.15);
  double symmetric =
      getPart([](ProblemInfo &problem) { problem.isSymmetric = true; });
  // Of tiles that are not square, more are on the diagonal.
  EXPECT_GT(symmetric, 0.45);
  EXPECT_LT(symmetric, 0.6);
}

TEST(DefaultConfig, TypesOf8BitsAreFaster) {
  using T = ScalarType;
  DefaultConfigProvider provider;
  for (auto [name, schedule] : {std::pair("sm_80", Schedule::MmaSync),
                                std::pair("sm_90a", Schedule::Wgmma)}) {
    const ChipInfo &chip = llvm::cantFail(lookupChip(name));
    auto getTime = [&, schedule = schedule](const ProblemInfo &problem) {
      std::optional<KernelConfig> config =
          provider.lookup({chip, problem, "matmul", ""});
      if (!config || config->schedule != schedule)
        return std::nan("");
      EXPECT_TRUE(findViolations(*config, chip, problem).empty());
      return estimateTime(*config, chip, problem);
    };
    double wide = getTime(makeSquare(T::F16, T::F16, T::F32));
    double narrow = getTime(makeSquare(T::I8, T::U8, T::I32));
    EXPECT_LT(narrow, 0.7 * wide) << name;
    EXPECT_GT(narrow, 0.4 * wide) << name;
    double rounded = getTime(makeSquare(T::TF32, T::TF32, T::F32));
    EXPECT_GT(rounded, 1.4 * wide) << name;
    EXPECT_LT(rounded, 2.5 * wide) << name;
  }
}

// wgmma converts the operand with the instruction's rows.
TEST(DefaultConfig, ConvertedOperandsTakeTheRows) {
  using T = ScalarType;
  DefaultConfigProvider provider;
  auto find = [&](T a, T b, int64_t m, int64_t n, const char *overrides,
                  const char *chip) {
    ProblemInfo problem = makeSquare(a, b, T::F32);
    problem.m = m;
    problem.n = n;
    std::optional<KernelConfig> config = provider.lookup(
        {llvm::cantFail(lookupChip(chip)), problem, "matmul", overrides});
    EXPECT_TRUE(config.has_value());
    return config.value_or(KernelConfig());
  };
  for (T narrow : {T::I8, T::E4M3, T::I4, T::U4})
    for (int64_t rows : {64, 1024}) {
      KernelConfig ofB = find(T::BF16, narrow, rows, 14336, "", "sm_90a");
      EXPECT_EQ(ofB.schedule, Schedule::Wgmma) << rows;
      EXPECT_TRUE(ofB.swapAB) << rows;
      KernelConfig ofA = find(narrow, T::F16, 14336, rows, "", "sm_90a");
      EXPECT_EQ(ofA.schedule, Schedule::Wgmma) << rows;
      EXPECT_FALSE(ofA.swapAB) << rows;
      EXPECT_EQ(find(T::BF16, narrow, rows, 14336, "", "sm_90").schedule,
                Schedule::MmaSync);
    }
}

// With up to 32 columns, wgmma is the default where its tiles of 128 rows fill
// most of the chip, if need be by two slices of k. The ring takes half of the
// shared memory.
TEST(DefaultConfig, ConvertedOperandsWithFewColumns) {
  using T = ScalarType;
  DefaultConfigProvider provider;
  auto find = [&](T a, T b, int64_t m, int64_t n, int64_t k,
                  const char *overrides = "") {
    ProblemInfo problem = makeSquare(a, b, T::F32);
    problem.m = m;
    problem.n = n;
    problem.k = k;
    std::optional<KernelConfig> config = provider.lookup(
        {llvm::cantFail(lookupChip("sm_90a")), problem, "matmul", overrides});
    EXPECT_TRUE(config.has_value());
    return config.value_or(KernelConfig());
  };
  using Sizes = std::array<int64_t, 3>;
  for (auto [narrow, depth, stages] :
       {std::tuple(T::I8, 256, 4), {T::E4M3, 256, 4}, {T::U4, 512, 3}}) {
    KernelConfig ofB = find(T::BF16, narrow, 16, 14336, 4096);
    EXPECT_EQ(ofB.schedule, Schedule::Wgmma);
    EXPECT_EQ(ofB.cta, (Sizes{16, 128, depth}));
    EXPECT_EQ(ofB.warps, (Sizes{8, 1, 2}));
    EXPECT_EQ(ofB.stages, stages);
    EXPECT_EQ(ofB.wgmma.cluster, (Sizes{1, 1, 1}));
    EXPECT_TRUE(ofB.swapAB);
    EXPECT_FALSE(ofB.persistent);
    KernelConfig ofA = find(narrow, T::F16, 6144, 21, 4096);
    EXPECT_EQ(ofA.schedule, Schedule::Wgmma);
    EXPECT_EQ(ofA.cta[0], 128);
    EXPECT_EQ(ofA.cta[1], 24);
    EXPECT_EQ(ofA.wgmma.cluster, (Sizes{1, 1, 2}));
    EXPECT_FALSE(ofA.swapAB);
    EXPECT_FALSE(find(T::BF16, narrow, 4, 28672, 8192).persistent);
    EXPECT_TRUE(find(T::BF16, narrow, 4, 57344, 8192).persistent);
    // Slices of tiles of one warpgroup fill the chip.
    KernelConfig narrowTiles = find(T::BF16, narrow, 16, 4096, 14336);
    EXPECT_EQ(narrowTiles.cta, (Sizes{16, 64, depth}));
    EXPECT_EQ(narrowTiles.warps, (Sizes{4, 1, 2}));
    EXPECT_EQ(narrowTiles.wgmma.cluster, (Sizes{1, 1, 2}));
    // The tiles fill half of the chip only, or a slice has too little depth.
    for (auto [n, k] : {std::pair(2048, 14336), {6144, 2016}, {14336, 1984}})
      EXPECT_EQ(find(T::BF16, narrow, 16, n, k).schedule, Schedule::MmaSync)
          << n;
    // Two rows are products of vectors.
    EXPECT_NE(find(T::BF16, narrow, 2, 14336, 4096).schedule, Schedule::Wgmma);
    EXPECT_EQ(find(T::BF16, narrow, 33, 4096, 14336).schedule, Schedule::Wgmma);
  }
  // These have no other schedule.
  KernelConfig interleaved = find(T::BF16, T::U4Interleaved, 1, 14336, 4096);
  EXPECT_EQ(interleaved.cta, (Sizes{8, 128, 512}));
  EXPECT_EQ(find(T::BF16, T::U4Interleaved, 16, 2048, 1024).schedule,
            Schedule::Wgmma);
  KernelConfig ofBytes = find(T::E4M3, T::U4, 16, 14336, 4096);
  EXPECT_EQ(ofBytes.cta, (Sizes{16, 128, 256}));
  EXPECT_EQ(ofBytes.warps, (Sizes{8, 1, 1}));
  // The default keeps the parameters that the user fixes.
  EXPECT_EQ(find(T::BF16, T::I8, 16, 14336, 4096, "schedule=mma_sync").schedule,
            Schedule::MmaSync);
  EXPECT_EQ(find(T::BF16, T::I8, 16, 14336, 4096, "stages=3").stages, 3);
  EXPECT_EQ(find(T::BF16, T::I8, 16, 4096, 14336, "schedule=wgmma").schedule,
            Schedule::Wgmma);
}

// mma_sync needs whole groups of scales, and wgmma does not.
TEST(DefaultConfig, LastGroupsWithFewerElements) {
  DefaultConfigProvider provider;
  ProblemInfo problem =
      makeSquare(ScalarType::BF16, ScalarType::U4, ScalarType::F32);
  problem.m = 16;
  problem.n = 64;
  problem.groups.depth = 32;
  for (auto [k, schedule] :
       {std::pair(256, Schedule::MmaSync), {272, Schedule::Wgmma}}) {
    problem.k = k;
    ConfigRequest request{llvm::cantFail(lookupChip("sm_90a")), problem,
                          "matmul", ""};
    std::optional<KernelConfig> config = provider.lookup(request);
    ASSERT_TRUE(config.has_value()) << k;
    EXPECT_EQ(config->schedule, schedule) << k;
    EXPECT_TRUE(isLegal(*config, request.chip, problem)) << k;
  }
}

TEST(DefaultConfig, ChipsWithoutTheTypeHaveNone) {
  using T = ScalarType;
  DefaultConfigProvider provider;
  ProblemInfo problem = makeSquare(T::E4M3, T::E5M2, T::F32);
  auto find = [&](llvm::StringRef name) {
    return provider.lookup(
        {llvm::cantFail(lookupChip(name)), problem, "matmul", ""});
  };
  EXPECT_FALSE(find("sm_80"));
  EXPECT_TRUE(find("sm_89"));
  EXPECT_TRUE(find("sm_90a"));
}

// mma.sync of f64 is fast where the chip is made for it.
TEST(DefaultConfig, DoubleTakesTensorCoresWhereTheyAreFaster) {
  using T = ScalarType;
  DefaultConfigProvider provider;
  for (auto [name, schedule] : {std::pair("sm_80", Schedule::MmaSync),
                                std::pair("sm_90", Schedule::MmaSync),
                                std::pair("sm_90a", Schedule::MmaSync),
                                std::pair("sm_89", Schedule::Simt)})
    for (int64_t size : {1, 50, 512, 4096}) {
      const ChipInfo &chip = llvm::cantFail(lookupChip(name));
      ProblemInfo problem = makeSquare(T::F64, T::F64, T::F64);
      problem.m = size;
      std::optional<KernelConfig> config =
          provider.lookup({chip, problem, "matmul", ""});
      ASSERT_TRUE(config) << name << " " << size;
      EXPECT_EQ(config->schedule, schedule) << name << " " << size;
      EXPECT_TRUE(findViolations(*config, chip, problem).empty());
      config = provider.lookup({chip, problem, "matmul", "schedule=simt"});
      ASSERT_TRUE(config && config->schedule == Schedule::Simt);
    }
}

// C - A B of f64 with a small K is as fast as memory: small CTAs store
// directly.
TEST(DefaultConfig, PanelsOfDoubleTakeSmallTiles) {
  using T = ScalarType;
  DefaultConfigProvider provider;
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  ProblemInfo problem = makeSquare(T::F64, T::F64, T::F64);
  problem.k = 64;
  problem.epilogueBytes = 16;
  problem.readsInputs = true;
  auto propose = [&](int64_t size, llvm::StringRef overrides = "") {
    problem.m = problem.n = size;
    std::optional<KernelConfig> config =
        provider.lookup({chip, problem, "matmul", overrides.str()});
    EXPECT_TRUE(config && findViolations(*config, chip, problem).empty());
    return config.value_or(KernelConfig());
  };
  using Tile = std::array<int64_t, 3>;
  EXPECT_EQ(propose(1024).cta, (Tile{32, 64, 16}));
  EXPECT_EQ(propose(1024).epilogue, EpilogueKind::Direct);
  // C does not fit into the L2.
  EXPECT_EQ(propose(6144).cta, (Tile{64, 64, 16}));
  EXPECT_EQ(propose(6144).minCtas, 3);
  EXPECT_EQ(propose(6144, "stages=3").stages, 3);
  EXPECT_TRUE(propose(6144).streamEpilogue);
  EXPECT_FALSE(propose(1024).streamEpilogue);
  // Too few tiles, no C, and a large K.
  EXPECT_EQ(propose(480).epilogue, EpilogueKind::Direct);
  EXPECT_TRUE(propose(480).earlyInputs);
  EXPECT_EQ(propose(480, "epilogue=staged").epilogue, EpilogueKind::Staged);
  EXPECT_FALSE(propose(480, "split_k=2").earlyInputs);
  problem.epilogueBytes = 8;
  problem.readsInputs = false;
  EXPECT_EQ(propose(6144).minCtas, 0);
  EXPECT_EQ(propose(480).epilogue, EpilogueKind::Staged);
  problem.epilogueBytes = 16;
  problem.readsInputs = true;
  problem.k = 4096;
  EXPECT_EQ(propose(6144).minCtas, 0);
  EXPECT_EQ(propose(480).epilogue, EpilogueKind::Staged);
}

} // namespace
