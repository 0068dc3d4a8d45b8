//===- LegalityGemvTest.cpp - The rules of schedule gemv ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"
#include "tcgemm/Config/ConfigProvider.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace tcgemm {
namespace {

#define GEMV "schedule=gemv cta=1x8x1024 warps=1x2x2 "
#define ACROSS "schedule=gemv cta=1x128x64 warps=1x2x2 "
#define TURNED "schedule=gemv swap_ab=true cta=64x1x64 warps=1x1x2 "
#define SWAPPED "schedule=gemv swap_ab=true cta=8x1x1024 warps=2x1x2 "

const LegalityCase cases[] = {
    {"cta-m", GEMV "cta=4x8x1024", GEMV "cta=5x8x1024",
     "cta M = 5, but it must be from 1 to 4"},
    {"cta-m", GEMV, GEMV "cta=0x8x1024",
     "cta M = 0, but it must be from 1 to 4"},
    {"cta-n", GEMV "cta=1x4x1024", GEMV "cta=1x6x1024",
     "cta N = 6, but it must be 1, 2 or 4 times the 2 warps along it"},
    {"cta-n", GEMV "cta=1x2x1024", GEMV "cta=1x16x1024",
     "cta N = 16, but it must be 1, 2 or 4 times the 2 warps along it"},
    {"cta-n", SWAPPED "cta=8x4x1024", SWAPPED "cta=8x8x1024",
     "cta N = 8, but it must be from 1 to 4"},
    {"cta-m", SWAPPED, SWAPPED "cta=6x1x1024",
     "cta M = 6, but it must be 1, 2 or 4 times the 2 warps along it"},
    {"cta-k", GEMV "cta=1x8x512", GEMV "cta=1x8x768",
     "cta K = 768, but it must be 256 x 2 warps = 512, or up to 8 times that"},
    {"cta-k", GEMV "cta=1x8x4096", GEMV "cta=1x8x4608",
     "cta K = 4608, but it must be 256 x 2 warps = 512, or up to 8 times that"},
    {"cta-k", GEMV, GEMV "cta=1x8x0", "cta K = 0, but"},
    {"warps", GEMV, GEMV "warps=2x2x2",
     "warps = [2, 2, 2], but with swap_ab = false they must be 1 along M and "
     "at least 1 along N and K"},
    {"warps", SWAPPED, SWAPPED "warps=2x2x2",
     "warps = [2, 2, 2], but with swap_ab = true they must be 1 along N and "
     "at least 1 along M and K"},
    {"warps", GEMV, GEMV "warps=1x0x2", "warps = [1, 0, 2], but"},
    {"threads", GEMV "cta=1x4x2048 warps=1x4x8",
     GEMV "cta=1x16x4096 warps=1x8x8",
     "warps = [1, 8, 8] make 64 warps, but sm_90 has at most 1024 threads = "
     "32 warps a block"},
    {"copy-width", GEMV "copy_a=2", GEMV "copy_b=1",
     "copy_b = 1, but it must be 16, 8, 4 or 2 bytes"},
    {"split-k", GEMV "split_k=4", GEMV "split_k=0",
     "split_k = 0, but it must be from 1 to 65535"},
    {"epilogue", GEMV "epilogue=direct", GEMV "epilogue=staged",
     "epilogue = staged, but schedule gemv has direct only"},
    {"dependent-launch", GEMV "dependent_launch=false",
     GEMV "dependent_launch=true",
     "dependent_launch = true, but chip sm_80 has compute capability 80, and "
     "kernels can wait for those before them from 90 on",
     "sm_80"},
    {"registers", GEMV "cta=4x8x2048", GEMV "cta=4x8x4096 unaligned=registers",
     "4 rows by 4 with 8 vectors ahead needs about 360 registers a thread; "
     "the limit of sm_90 for 128 threads is 255"},
    {"registers", GEMV "min_ctas=5", GEMV "min_ctas=8",
     "and min_ctas = 8 is 64"},
    {"resident-threads", GEMV "cta=1x1x2048 warps=1x1x8 min_ctas=4",
     GEMV "cta=1x1x2048 warps=1x1x8 min_ctas=9",
     "min_ctas = 9 blocks of 256 threads are 2304; the limit of sm_90 is 2048 "
     "a multiprocessor"},
    {"stages", GEMV "stages=3", GEMV "stages=4",
     "stages = 4, but with loads = registers nothing is staged: it must be 3"},
    {"loads", GEMV, GEMV "loads=shared",
     "loads = shared with math = fma, but only vectors for tensor cores are "
     "copied ahead: math must be mma, or loads must be registers"},
    {"schedule", GEMV "stage_a=true", GEMV "stage_a=false",
     "stage_a = false, but schedule gemv takes true only"},
    {"math", GEMV, GEMV "math=mma",
     "math = mma, but A or B is not contiguous along k: it must be fma",
     "sm_90", false},
    {"cta-n", ACROSS, ACROSS "cta=1x192x64",
     "cta N = 192, but the large operand is contiguous along it: it must be 8 "
     "elements x 2 warps = 16, times a power of two up to 32",
     "sm_90", true, false},
    {"cta-n", ACROSS "cta=1x512x8", ACROSS "cta=1x1024x8",
     "times a power of two up to 32", "sm_90", true, false},
    {"cta-n", ACROSS "cta=2x256x16", ACROSS "cta=4x256x16",
     "cta N = 256 by 4 rows, but each of the 128 threads finishes at most 4 "
     "elements",
     "sm_90", true, false},
    {"cta-m", TURNED "cta=64x1x64", TURNED "cta=64x2x64",
     "cta M = 64 by 2 rows, but each of the 64 threads finishes at most 1 "
     "elements",
     "sm_90", false},
    {"cta-k", ACROSS "cta=1x128x128", ACROSS "cta=1x128x136",
     "cta K = 136, but it must be 4 x 2 warps = 8, or up to 16 times that",
     "sm_90", true, false},
    {"copy-width", ACROSS, ACROSS "copy_a=8",
     "copy_a = 8, but beside a large operand that is not contiguous along k "
     "single elements are loaded: it must be 16",
     "sm_90", true, false},
    {"registers", ACROSS "min_ctas=2", ACROSS "min_ctas=8",
     "and min_ctas = 8 is 64", "sm_90", true, false},
    // The last one is of weights of 4 bits, which share bytes along k.
    {"layout", "schedule=mma_sync cta=64x64x64 fragment_buffers=1",
     GEMV "cta=1x256x64",
     "B is contiguous along n, but schedule gemv needs rows of elements of ui4 "
     "along k",
     "sm_90", true, false},
};

TEST(LegalityGemv, EachRuleHasAViolatingTwin) {
  checkLegalityTwins(ArrayRef(cases).drop_back());
  ProblemInfo packed;
  packed.typeB = ScalarType::U4;
  checkLegalityTwins(ArrayRef(cases).take_back(), packed);
}

/// Lanes that divide the rows of a large operand leave fewer along k.
TEST(LegalityGemv, SizesAcross) {
  ProblemInfo problem;
  problem.bKContiguous = false;
  GemvShape shape = getGemvShape(makeLegalityConfig(ACROSS), problem);
  EXPECT_EQ(shape.across, 8);
  EXPECT_EQ(shape.lanes, 4);
  EXPECT_EQ(shape.groupRows, 64);
  EXPECT_EQ(shape.unroll, 8);
  EXPECT_EQ(shape.columns, 1);
  EXPECT_EQ(
      getGemvShape(makeLegalityConfig(ACROSS "cta=2x256x16"), problem).columns,
      4);
  problem.bKContiguous = true;
  EXPECT_EQ(getGemvShape(makeLegalityConfig(GEMV), problem).across, 0);
}

TEST(LegalityGemv, ChipAndElementType) {
  ChipInfo old = cantFail(lookupChip("sm_80"));
  old.name = "sm_75";
  old.capability = 75;
  KernelConfig config = makeLegalityConfig(GEMV);
  auto violations = findViolations(config, old, ProblemInfo());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "chip");
  EXPECT_EQ(violations[0].message,
            "chip sm_75 has compute capability 75, but schedule gemv needs 80 "
            "or more");
  ProblemInfo narrow;
  narrow.typeA = narrow.typeB = ScalarType::E4M3;
  violations = findViolations(config, cantFail(lookupChip("sm_90")), narrow);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].rule, "element-type");
  EXPECT_EQ(violations[0].message,
            "schedule gemv does not multiply elements of f8E4M3FN by f8E4M3FN: "
            "it takes f16, bf16, f32 or f64 of both, 8-bit integers, and f16 "
            "or bf16 by 8 or 4 bits");
  narrow.typeA = ScalarType::BF16;
  violations = findViolations(config, cantFail(lookupChip("sm_86")), narrow);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message,
            "operands of f8E4M3FN are converted from compute capability 89 on, "
            "but chip sm_86 has 86");
  EXPECT_TRUE(
      findViolations(config, cantFail(lookupChip("sm_90")), narrow).empty());
}

/// A vector is 16 bytes of the narrower operand.
TEST(LegalityGemv, MixedElements) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90"));
  ProblemInfo mixed;
  auto find = [&](ScalarType narrow, const char *text) {
    mixed.typeB = narrow;
    return findViolations(makeLegalityConfig(text), chip, mixed);
  };
  EXPECT_TRUE(find(ScalarType::I8, GEMV "cta=1x8x1024").empty());
  EXPECT_EQ(getGemvShape(makeLegalityConfig(GEMV), mixed).unroll, 1);
  EXPECT_TRUE(find(ScalarType::U4, GEMV "cta=1x8x2048").empty());
  EXPECT_EQ(getGemvShape(makeLegalityConfig(GEMV "cta=1x8x2048"), mixed).vector,
            32);
  auto violations = find(ScalarType::U4, GEMV);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message,
            "cta K = 1024, but it must be 1024 x 2 warps = 2048, or up to 8 "
            "times that");
  violations = find(ScalarType::I8, GEMV "copy_b=2");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message,
            "copy_b = 2, but elements of i8 have 8 bits: it must be 16, 8 or "
            "4");
}

/// Single elements of the small operand are loaded beside a large one that is
/// read across its rows.
TEST(LegalityGemv, SmallOperandsThatShareBytes) {
  ProblemInfo problem;
  problem.bKContiguous = false;
  auto find = [&](ScalarType narrow) {
    problem.typeA = narrow;
    return findViolations(makeLegalityConfig(ACROSS),
                          cantFail(lookupChip("sm_90")), problem);
  };
  for (const Violation &violation : find(ScalarType::I8))
    EXPECT_NE(violation.rule, "layout");
  auto violations = find(ScalarType::I4);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].rule, "layout");
  EXPECT_EQ(violations[0].message,
            "elements of the small operand are i4 and share bytes, but beside "
            "a large operand that is not contiguous along k single elements "
            "are loaded");
}

TEST(LegalityGemv, GroupScales) {
  ProblemInfo groups;
  groups.typeB = ScalarType::I4;
  groups.groups.depth = 128;
  auto find = [&](const char *text) {
    return findViolations(makeLegalityConfig(text),
                          cantFail(lookupChip("sm_90")), groups);
  };
  // K may be anything.
  groups.k = 130;
  EXPECT_TRUE(find(GEMV "cta=1x8x2048").empty());
  auto violations = find(SWAPPED "cta=8x1x2048");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "group-scales");
  EXPECT_EQ(violations[0].message,
            "swap_ab = true, but B has scales of groups and must be the large "
            "operand: swap_ab must be false");
}

/// Tensor cores take 16 rows of 4-bit weights for each group of warps.
TEST(LegalityGemv, TensorCores) {
  ProblemInfo problem;
  problem.typeB = ScalarType::U4;
  problem.k = 130;
  auto find = [&](const std::string &text) {
    return findViolations(
        makeLegalityConfig(("schedule=gemv math=mma " + text).c_str()),
        cantFail(lookupChip("sm_90")), problem);
  };
  auto getMessage = [&](const std::string &text) {
    auto violations = find(text);
    return violations.empty() ? std::string() : violations[0].message;
  };
  EXPECT_TRUE(find("cta=16x16x1024 warps=1x1x8").empty());
  EXPECT_TRUE(find("cta=1x64x512 warps=1x2x4").empty());
  EXPECT_EQ(getMessage("cta=17x16x1024 warps=1x1x8"),
            "cta M = 17, but it must be from 1 to 16");
  EXPECT_EQ(getMessage("cta=1x24x512 warps=1x2x4"),
            "cta N = 24, but with math = mma it must be 16, 32 or 64 times "
            "the 2 warps along it");
  EXPECT_TRUE(find("cta=16x64x1024 warps=1x1x8").empty());
  EXPECT_EQ(getMessage("cta=16x64x512 warps=1x1x4"),
            "cta N = 64 by 16 rows, but each of the 128 threads finishes at "
            "most 4 elements");
  EXPECT_EQ(getMessage("cta=1x16x512 warps=1x1x8"),
            "cta K = 512, but it must be 128 x 8 warps = 1024, or up to 8 "
            "times that");
  EXPECT_EQ(getMessage("cta=1x16x1024 warps=1x1x8 copy_b=2"),
            "copy_a = 16, copy_b = 2 and unaligned = pack, but with math = mma "
            "loads must have at least 4 bytes");
  problem.groups.depth = 128;
  EXPECT_TRUE(find("cta=16x16x1024 warps=1x1x8").empty());
  problem.groups.depth = 64;
  EXPECT_EQ(getMessage("cta=16x16x1024 warps=1x1x8"),
            "math = mma adds the products of 128 elements along k before they "
            "are scaled, but a group has 64: it must be fma");
  problem.groups.depth = 0;
  problem.typeB = ScalarType::I8;
  auto violations = find("cta=16x16x512 warps=1x1x8");
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].rule, "math");
  EXPECT_EQ(violations[0].message,
            "math = mma with swap_ab = false and elements of bf16 and i8, but "
            "it takes 4 bits in the large operand, by f16 or bf16");
}

TEST(LegalityGemv, DefaultsOfNarrowWeights) {
  ProblemInfo problem;
  problem.m = 1;
  problem.n = problem.k = 4096;
  for (ScalarType type : {ScalarType::I8, ScalarType::E4M3, ScalarType::U4}) {
    problem.typeB = type;
    std::optional<KernelConfig> config = DefaultConfigProvider().lookup(
        {cantFail(lookupChip("sm_90")), problem, "kernel", ""});
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(config->schedule, Schedule::Gemv);
    bool isPacked = type == ScalarType::U4;
    EXPECT_EQ(config->gemv.math, isPacked ? DotMath::Mma : DotMath::Fma);
    EXPECT_EQ(config->cta[1] / config->warps[1], isPacked ? 16 : 4);
  }
}

/// Vectors that are copied ahead take shared memory: 16 rows of 256 bytes a
/// stage, and the sums of four warps.
TEST(LegalityGemv, CopiesAhead) {
  ProblemInfo problem;
  problem.typeB = ScalarType::U4;
  const ChipInfo &chip = cantFail(lookupChip("sm_90"));
  auto getMessage = [&](const char *text) -> std::string {
    auto violations = findViolations(makeLegalityConfig(text), chip, problem);
    return violations.empty() ? "" : violations[0].message;
  };
  constexpr const char *text = "schedule=gemv cta=1x16x512 warps=1x1x4 "
                               "math=mma loads=shared stages=8";
  EXPECT_EQ(getMessage(text), "");
  SharedMemoryPlan plan = planSharedMemory(makeLegalityConfig(text), problem);
  EXPECT_EQ(plan.ring, 8 * 16 * 256);
  EXPECT_EQ(plan.getTotal(), 8 * 16 * 256 + 4 * 16 * 4);
  EXPECT_EQ(getMessage("schedule=gemv cta=1x64x1024 warps=1x1x4 math=mma "
                       "loads=shared stages=8"),
            "vectors of 8 stages and the sums of warps use 263168 bytes of "
            "shared memory; the limit of sm_90 is 232448");
  EXPECT_EQ(getMessage("schedule=gemv cta=1x16x512 warps=1x1x4 math=mma "
                       "loads=shared stages=1"),
            "stages = 1, but it must be from 2 to 12");
}

/// Half as many elements of 32 bits are 16 bytes.
TEST(LegalityGemv, WideElements) {
  ProblemInfo wide;
  wide.typeA = wide.typeB = ScalarType::F32;
  const ChipInfo &chip = cantFail(lookupChip("sm_90"));
  EXPECT_TRUE(findViolations(makeLegalityConfig(GEMV), chip, wide).empty());
  EXPECT_EQ(getGemvShape(makeLegalityConfig(GEMV), wide).unroll, 4);
  auto violations =
      findViolations(makeLegalityConfig(GEMV "copy_a=2"), chip, wide);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message, "copy_a = 2, but elements have 4 bytes");
  violations = findViolations(makeLegalityConfig(GEMV "unaligned=registers"),
                              chip, wide);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message,
            "unaligned = registers loads 2 bytes, but elements have 4");
}

/// Extreme values are refused, not divided by or overflowed on.
TEST(LegalityGemv, Extremes) {
  for (const char *text :
       {"cta=1048576x1048576x1048576", "cta=0x0x0", "warps=0x0x0",
        "warps=1048576x1048576x1048576", "warps=1x1x1048576",
        "min_ctas=1048576", "copy_a=0 copy_b=0", "max_registers=1048576"})
    for (const char *base : {GEMV, SWAPPED}) {
      std::string all = std::string(base) + text;
      EXPECT_FALSE(findViolations(makeLegalityConfig(all.c_str()),
                                  cantFail(lookupChip("sm_90")), ProblemInfo())
                       .empty())
          << all;
    }
}

/// The large operand is read as it is; the small one may be packed.
TEST(LegalityGemv, FunctionsOfElements) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90"));
  for (auto [text, large, name] :
       {std::tuple(GEMV, 1U, "B"), std::tuple(SWAPPED, 0U, "A")}) {
    KernelConfig config = makeLegalityConfig(text);
    ProblemInfo problem;
    cantFail(large ? problem.setTransforms("relu", "none")
                   : problem.setTransforms("none", "relu"));
    EXPECT_TRUE(findViolations(config, chip, problem).empty()) << text;
    cantFail(problem.setTransforms("relu", "relu"));
    SmallVector<Violation> violations = findViolations(config, chip, problem);
    ASSERT_EQ(violations.size(), 1U) << text;
    EXPECT_EQ(StringRef(violations[0].rule), "element-functions");
    EXPECT_TRUE(StringRef(violations[0].message)
                    .starts_with(std::string("elements of ") + name))
        << violations[0].message;
  }
}

TEST(LegalityGemv, Sizes) {
  GemvShape shape = getGemvShape(
      makeLegalityConfig("schedule=gemv swap_ab=true cta=12x2x2048 "
                         "warps=3x1x4"),
      ProblemInfo());
  EXPECT_EQ(shape.fewRows, 2);
  EXPECT_EQ(shape.manyRows, 12);
  EXPECT_EQ(shape.groups, 3);
  EXPECT_EQ(shape.slices, 4);
  EXPECT_EQ(shape.groupRows, 4);
  EXPECT_EQ(shape.unroll, 2);
  // Four warps of three groups have 2 x 4 sums each.
  KernelConfig config = makeLegalityConfig(
      "schedule=gemv swap_ab=true cta=12x2x2048 warps=3x1x4");
  EXPECT_EQ(planSharedMemory(config, ProblemInfo()).getTotal(), 12 * 8 * 4);
}

} // namespace

ArrayRef<LegalityCase> getGemvLegalityCases() { return cases; }

} // namespace tcgemm
