//===- RegistersTest.cpp - Estimates against ptxas ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers that ptxas of CUDA 13.0 reports for the main program of
// kernels for sm_90a, M = N = K = 512, layout TN, none of which spills:
//
//   tcgemm-run --m=512 --n=512 --k=512 --chip=sm_90a --type=TYPE \\
//     --algebra=ALGEBRA --reduce=REDUCE --config=CONFIG --plan
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"

#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Sizes.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

constexpr const char *kSimt128 =
    "schedule=simt cta=128x128x8 threads=16x16x1 stages=4 unaligned=copy_4";
constexpr const char *kSimt64 =
    "schedule=simt cta=64x64x8 threads=16x16x1 stages=4 unaligned=copy_4";
constexpr const char *kMma64 =
    "schedule=mma_sync cta=64x64x32 warps=2x2x1 stages=4";
constexpr const char *kMma128 =
    "schedule=mma_sync cta=128x128x32 warps=2x2x1 stages=4";
constexpr const char *kBytes64 = "schedule=simt cta=64x64x16 threads=16x16x1 "
                                 "stages=4 transpose_staging=false";
constexpr const char *kBytes128 =
    "schedule=simt cta=128x128x16 threads=16x16x1 stages=4 "
    "transpose_staging=false";
constexpr const char *kWide64 =
    "schedule=simt cta=64x64x8 threads=16x16x1 stages=4 unaligned=copy_8";
constexpr const char *kWide128 =
    "schedule=simt cta=128x128x8 threads=16x16x1 stages=3 unaligned=copy_8";

constexpr const char *kBlocks128 =
    "schedule=wgmma cta=64x128x64 warps=4x1x1 stages=3 epilogue=staged "
    "swap_ab=true";
constexpr const char *kBlocks192 =
    "schedule=wgmma cta=64x192x64 warps=4x1x1 stages=3 epilogue=staged "
    "swap_ab=true";
constexpr const char *kBlocks256 =
    "schedule=wgmma cta=64x256x64 warps=4x1x1 stages=3 epilogue=staged "
    "swap_ab=true";

constexpr const char *kDirect160 =
    "schedule=wgmma cta=128x160x64 warps=8x1x1 stages=3 persistent=true";
constexpr const char *kDirect168 =
    "schedule=wgmma cta=128x168x64 warps=8x1x1 stages=3 persistent=true";
constexpr const char *kDirect192 =
    "schedule=wgmma cta=128x192x64 warps=8x1x1 stages=5 persistent=true";

struct Measured {
  const char *config;
  ScalarType type;
  const char *algebra, *reduce;
  int64_t registers;
};

const Measured kMeasured[] = {
    {kSimt128, ScalarType::F32, "plus-times", "none", 128},
    {kSimt128, ScalarType::F32, "plus-times", "row-sum", 128},
    {kSimt128, ScalarType::F32, "plus-times", "row-mean_row-variance", 130},
    {kSimt128, ScalarType::F32, "plus-times", "row-argmax", 128},
    {kSimt128, ScalarType::F32, "plus-times", "column-sum", 128},
    {kSimt128, ScalarType::F32, "plus-times", "column-mean_column-variance",
     158},
    {kSimt128, ScalarType::F32, "plus-times", "column-argmax", 128},
    {kSimt128, ScalarType::F32, "plus-times", "sumexp", 128},
    {kSimt128, ScalarType::F32, "plus-times", "row-sumexp", 128},
    {kSimt128, ScalarType::F32, "plus-times", "mean", 149},
    {kSimt64, ScalarType::F32, "plus-times", "none", 63},
    {kSimt64, ScalarType::F32, "plus-times", "row-sum", 64},
    {kSimt64, ScalarType::F32, "plus-times", "row-mean_row-variance", 59},
    {kSimt64, ScalarType::F32, "plus-times", "row-argmax", 59},
    {kSimt64, ScalarType::F32, "plus-times", "column-sum", 64},
    {kSimt64, ScalarType::F32, "plus-times", "column-mean_column-variance", 66},
    {kSimt64, ScalarType::F32, "plus-times", "column-argmax", 59},
    {kSimt64, ScalarType::F32, "plus-times", "sumexp", 59},
    {kSimt64, ScalarType::F32, "plus-times", "row-sumexp", 59},
    {kSimt64, ScalarType::F32, "plus-times", "mean", 62},
    {kMma64, ScalarType::BF16, "plus-times", "none", 90},
    {kMma64, ScalarType::BF16, "plus-times", "row-sum", 90},
    {kMma64, ScalarType::BF16, "plus-times", "row-mean_row-variance", 109},
    {kMma64, ScalarType::BF16, "plus-times", "row-argmax", 96},
    {kMma64, ScalarType::BF16, "plus-times", "column-sum", 90},
    {kMma64, ScalarType::BF16, "plus-times", "column-mean_column-variance",
     158},
    {kMma64, ScalarType::BF16, "plus-times", "column-argmax", 92},
    {kMma64, ScalarType::BF16, "plus-times", "mean", 96},
    {kMma128, ScalarType::BF16, "plus-times", "none", 237},
    {kMma128, ScalarType::BF16, "plus-times", "row-sum", 235},
    {kMma128, ScalarType::BF16, "plus-times", "row-mean_row-variance", 240},
    {kMma128, ScalarType::BF16, "plus-times", "row-argmax", 236},
    {kMma128, ScalarType::BF16, "plus-times", "column-sum", 235},
    {kMma128, ScalarType::BF16, "plus-times", "column-argmax", 236},
    {kMma128, ScalarType::BF16, "plus-times", "mean", 255},
    {kBlocks128, ScalarType::BF16, "plus-times", "row-sum", 96},
    {kBlocks128, ScalarType::BF16, "plus-times", "row-argmax", 136},
    {kBlocks128, ScalarType::BF16, "plus-times", "row-mean", 146},
    {kBlocks128, ScalarType::BF16, "plus-times", "row-mean_row-variance", 217},
    {kBlocks192, ScalarType::BF16, "plus-times", "row-sum", 127},
    {kBlocks192, ScalarType::BF16, "plus-times", "row-argmax", 164},
    {kBlocks192, ScalarType::BF16, "plus-times", "row-mean", 206},
    {kBlocks256, ScalarType::BF16, "plus-times", "row-sum", 165},
    {kBlocks256, ScalarType::BF16, "plus-times", "row-argmax", 202},
    {kBlocks256, ScalarType::BF16, "plus-times", "row-mean", 249},
    {kBytes64, ScalarType::I8, "plus-times", "none", 92},
    {kBytes128, ScalarType::I8, "plus-times", "none", 204},
    {kSimt64, ScalarType::I32, "max-plus", "none", 57},
    {kSimt128, ScalarType::I32, "max-plus", "none", 128},
    {kSimt64, ScalarType::I32, "min-plus", "none", 57},
    {kSimt128, ScalarType::I32, "min-plus", "none", 128},
    {kBytes64, ScalarType::I8, "or-and", "none", 95},
    {kBytes128, ScalarType::I8, "or-and", "none", 255},
    {kSimt64, ScalarType::I32, "or-and", "none", 78},
    {kSimt128, ScalarType::I32, "or-and", "none", 212},
    {kBytes64, ScalarType::I8, "plus-min", "none", 78},
    {kBytes128, ScalarType::I8, "plus-min", "none", 166},
    {kSimt64, ScalarType::I32, "plus-min", "none", 70},
    {kSimt128, ScalarType::I32, "plus-min", "none", 173},
    {kSimt128, ScalarType::F32, "max-plus", "none", 126},
    {kSimt128, ScalarType::F32, "min-max", "none", 130},
    {kSimt128, ScalarType::F32, "maxnum-plus", "none", 126},
    {kSimt64, ScalarType::I32, "max-min", "none", 59},
    {kSimt128, ScalarType::I32, "max-min", "none", 130},
    {kSimt64, ScalarType::I32, "xor-and", "none", 78},
    {kSimt128, ScalarType::I32, "xor-and", "none", 212},
    {kSimt64, ScalarType::I32, "and-or", "none", 74},
    {kSimt128, ScalarType::I32, "and-or", "none", 214},
    {kSimt64, ScalarType::I32, "max-times", "none", 63},
    {kSimt128, ScalarType::I32, "max-times", "none", 133},
    {kSimt64, ScalarType::I32, "maxu-and", "none", 63},
    {kSimt128, ScalarType::I32, "maxu-and", "none", 134},
    {kSimt64, ScalarType::I32, "plus-max", "none", 70},
    {kSimt128, ScalarType::I32, "plus-max", "none", 173},
    {kBytes64, ScalarType::I8, "xor-and", "none", 95},
    {kBytes128, ScalarType::I8, "xor-and", "none", 255},
    {kBytes64, ScalarType::I8, "plus-max", "none", 78},
    {kBytes128, ScalarType::I8, "plus-max", "none", 166},
    {kWide64, ScalarType::F64, "max-plus", "none", 128},
    {kWide128, ScalarType::F64, "max-plus", "none", 254},
    {kWide64, ScalarType::F64, "plus-times", "none", 84},
    {kWide128, ScalarType::F64, "plus-times", "none", 222},
    {kWide64, ScalarType::F64, "plus-min", "none", 104},
    {kSimt64, ScalarType::F32, "plus-min", "none", 63},
    {kSimt128, ScalarType::F32, "plus-min", "none", 133},
    {kSimt64, ScalarType::F32, "max-times", "none", 63},
    {kSimt128, ScalarType::F32, "max-times", "none", 133},
};

ProblemInfo makeProblem(const Measured &row) {
  ProblemInfo problem;
  problem.typeA = problem.typeB = row.type;
  problem.accumulator = row.type == ScalarType::BF16 ? ScalarType::F32
                        : row.type == ScalarType::I8 ? ScalarType::I32
                                                     : row.type;
  if (std::string(row.algebra) != "plus-times")
    problem.algebra = llvm::cantFail(Algebra::parse(row.algebra));
  problem.reductions = llvm::cantFail(NamedReductions::parse(row.reduce));
  return problem;
}

std::string describe(const Measured &row) {
  return std::string(row.config) + " " + row.algebra + " " + row.reduce;
}

// No estimate is more than a tenth too low.
TEST(Registers, EstimatesAreNotTooLow) {
  for (const Measured &row : kMeasured) {
    int64_t estimate =
        estimateRegisters(makeLegalityConfig(row.config), makeProblem(row));
    EXPECT_GE(estimate * 10, row.registers * 9) << describe(row);
  }
}

// Configurations that ptxas has compiled without spills are legal.
TEST(Registers, EstimatesForbidNoneOfThese) {
  for (const Measured &row : kMeasured)
    EXPECT_LE(
        estimateRegisters(makeLegalityConfig(row.config), makeProblem(row)),
        255)
        << describe(row);
}

// All of these spill: the moments of columns, or of rows of the swapped
// product.
TEST(Registers, StatesOfColumnsAreForbidden) {
  for (auto [config, reduce] :
       {std::pair(kMma128, "column-mean_column-variance"),
        std::pair(kBlocks192, "row-mean_row-variance"),
        std::pair(kBlocks256, "row-mean_row-variance")}) {
    Measured row = {config, ScalarType::BF16, "plus-times", reduce, 0};
    EXPECT_GT(
        estimateRegisters(makeLegalityConfig(row.config), makeProblem(row)),
        255)
        << describe(row);
  }
}

// With two warpgroups that multiply, a thread has 240 registers. For two
// results of columns ptxas spills with 168 columns or more, and not with 160.
TEST(Registers, SeveralStatesOfColumnsFitOrAreForbidden) {
  auto estimate = [](const char *config, const char *reduce) {
    Measured row = {config, ScalarType::BF16, "plus-times", reduce, 0};
    return estimateRegisters(makeLegalityConfig(config), makeProblem(row));
  };
  constexpr int64_t limit = 240;
  for (const char *both :
       {"column-mean_column-variance", "column-variance_column-sumexp",
        "column-variance_column-argmax", "column-sumexp_column-argmax"}) {
    EXPECT_LE(estimate(kDirect160, both), limit) << both;
    EXPECT_GT(estimate(kDirect168, both), limit) << both;
    EXPECT_GT(estimate(kDirect192, both), limit) << both;
  }
  // One alone fits, also beside a value.
  for (const char *one : {"column-mean", "column-variance", "column-sumexp",
                          "column-variance_column-sum"})
    EXPECT_LE(estimate(kDirect192, one), limit) << one;
}

// With two warpgroups that multiply, a thread has 240 registers. Measured with
// ptxas 13.0 for bf16 by u4: which numbers of columns fit beside groups of
// scales, by the depth of a stage and of a group.
TEST(Registers, GroupsOfAStageFitOrAreForbidden) {
  struct Case {
    int64_t depth, group;
    bool zeroPoints;
    int64_t fits, spills; // columns
  };
  constexpr int64_t limit = 240;
  for (const Case &c :
       {Case{128, 32, false, 80, 88}, Case{128, 32, true, 72, 80},
        Case{128, 64, false, 128, 0}, Case{128, 64, true, 120, 128},
        Case{256, 64, false, 80, 88}, Case{256, 64, true, 64, 80},
        Case{64, 32, false, 128, 0}}) {
    auto estimate = [&](int64_t columns) {
      ProblemInfo problem;
      problem.typeA = ScalarType::BF16;
      problem.typeB = ScalarType::U4;
      problem.groups.depth = c.group;
      if (c.zeroPoints)
        problem.groups.zeroPoints = ScalarType::U8;
      std::string text = llvm::formatv(
          "schedule=wgmma cta={0}x128x{1} warps=8x1x1 epilogue=tma "
          "swap_ab=true promote_sums=true",
          columns, c.depth);
      return estimateRegisters(makeLegalityConfig(text.c_str()), problem);
    };
    EXPECT_LE(estimate(c.fits), limit) << c.depth << " " << c.group;
    if (c.spills)
      EXPECT_GT(estimate(c.spills), limit) << c.depth << " " << c.group;
  }
}

// Where less registers are to be had, ptxas computes combinations one by one.
TEST(Registers, CombinationsTakeWhatIsLeft) {
  Measured row = {kSimt128, ScalarType::I32, "or-and", "none", 0};
  KernelConfig config = makeLegalityConfig(row.config);
  int64_t free = estimateRegisters(config, makeProblem(row));
  config.minCtas = 2;
  EXPECT_GT(free, 128);
  EXPECT_EQ(estimateRegisters(config, makeProblem(row)), 128);
}

} // namespace
