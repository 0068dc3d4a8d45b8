//===- LegalityDoubleTest.cpp - The rules for f64 -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"
#include "tcgemm/Config/MmaSync.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace tcgemm {
namespace {

#define MMA "schedule=mma_sync cta=64x64x16 warps=2x2x1 "
#define SIMT "schedule=simt cta=64x64x16 threads=16x16x1 "

const LegalityCase mmaCases[] = {
    {"instruction", MMA "instruction=16x8x8", MMA "instruction=16x8x32",
     "instruction = [16, 8, 32], but schedule mma_sync has [16, 8, 16], [16, "
     "8, 8], [16, 8, 4], [8, 8, 4] only"},
    {"instruction", MMA "instruction=8x8x4", MMA "instruction=16x8x4",
     "instruction = [16, 8, 4] of f64 needs compute capability 90, but chip "
     "sm_80 has 80",
     "sm_80"},
    {"cta-k",
     "schedule=mma_sync cta=64x64x4 instruction=8x8x4 "
     "fragment_buffers=1 warps=2x2x1",
     "schedule=mma_sync cta=64x64x4 fragment_buffers=1 warps=2x2x1",
     "cta K = 4, but it must be a power of two from 16 to 128"},
    {"cta-k", MMA "instruction=8x8x4",
     "schedule=mma_sync cta=64x64x64 instruction=8x8x4 warps=2x2x1",
     "cta K = 64, but it must be a power of two from 4 to 32"},
    {"registers", MMA,
     "schedule=mma_sync cta=128x128x16 warps=2x2x1 fragment_buffers=1",
     "warp tile 64x64 with fragment_buffers = 1 needs about 424 registers"},
    {"registers",
     "schedule=mma_sync cta=128x128x16 warps=4x2x1 "
     "instruction=16x8x4",
     "schedule=mma_sync cta=128x128x16 warps=4x2x1",
     "warp tile 32x64 with fragment_buffers = 2 needs about 360 registers"},
    {"copy-width", MMA "copy_a=8", MMA "copy_a=4",
     "copy_a = 4, but elements have 8 bytes"},
    {"copy-width", MMA "unaligned=copy_8", MMA "unaligned=copy_4",
     "unaligned = copy_4 loads 4 bytes, but elements have 8"},
    {"copy-width", MMA "unaligned=pack", MMA "unaligned=registers",
     "unaligned = registers loads 2 bytes, but elements have 8"},
    {"k-split-buffer", "schedule=mma_sync cta=32x32x32 warps=1x1x2 stages=2",
     "schedule=mma_sync cta=64x32x16 warps=2x1x4 stages=2 "
     "instruction=8x8x4 fragment_buffers=1",
     "warps K = 4 sum through 49152 bytes of shared memory, but the ring has "
     "24576"},
    {"staging", MMA "epilogue=staged",
     "schedule=mma_sync cta=64x64x4 warps=4x1x1 instruction=8x8x4 "
     "fragment_buffers=1 epilogue=staged",
     "epilogue = staged goes through 33792 bytes of shared memory, but the "
     "ring has"},
};

/// B is numbers as blocks: a tile has half as many rows.
const LegalityCase numberCases[] = {
    {"representation", MMA, MMA "representation=packed",
     "representation = packed, but the kernel reads numbers as blocks"},
    {"representation", MMA, SIMT,
     "the product has a representation of numbers, which schedule simt does "
     "not compute: use schedule mma_sync"},
    {"shared-memory",
     "schedule=mma_sync cta=128x128x16 warps=4x2x1 instruction=16x8x4 "
     "stages=9",
     "schedule=mma_sync cta=128x128x16 warps=4x2x1 instruction=16x8x4 "
     "stages=10",
     "10 stages of 24576 bytes use 245760 bytes of shared memory"},
    {"copy-threads", MMA,
     "schedule=mma_sync cta=64x96x16 warps=2x2x1 shared=pad",
     "but they must divide the CTA's 128 threads", "sm_90", true, false},
};

const LegalityCase simtCases[] = {
    // The note's rules do not depend on the type.
    {"threads-k", SIMT, "schedule=simt cta=96x96x64 threads=12x8x1",
     "threads = [12, 8, 1] make 96, but they must be a multiple of cta K = 64"},
    {"copy-width", SIMT "copy_b=8", SIMT "copy_b=4",
     "copy_b = 4, but elements have 8 bytes"},
    {"copy-width", SIMT "unaligned=copy_8", SIMT "unaligned=copy_4",
     "unaligned = copy_4 loads 4 bytes, but elements have 8"},
    {"cta-k", SIMT "transpose_staging=false",
     "schedule=simt cta=64x64x1 threads=16x16x1 fragment_buffers=1 "
     "transpose_staging=false",
     "cta K = 1, but with transpose_staging = false it must be a multiple of "
     "2"},
    {"registers", "schedule=simt cta=128x128x8 threads=16x16x1",
     "schedule=simt cta=128x128x8 threads=8x8x1",
     "thread tile 16x16 with fragment_buffers = 2 needs about"},
};

ProblemInfo makeProblem() {
  ProblemInfo problem;
  problem.typeA = problem.typeB = problem.accumulator = problem.output =
      ScalarType::F64;
  return problem;
}

} // namespace

TEST(LegalityDouble, EachRuleHasAViolatingTwin) {
  checkLegalityTwins(mmaCases, makeProblem());
  checkLegalityTwins(simtCases, makeProblem());
}

TEST(LegalityDouble, NumbersHaveRules) {
  ProblemInfo problem = makeProblem();
  problem.representation = cantFail(Representation::get({1, 2, -2, 1}));
  checkLegalityTwins(numberCases, problem);
  EXPECT_EQ(getTileB(makeLegalityConfig(MMA), problem).rows, 32);
  problem.bKContiguous = false;
  EXPECT_EQ(getTileB(makeLegalityConfig(MMA), problem).rows, 8);
  EXPECT_EQ(getTileB(makeLegalityConfig(MMA), problem).columns, 64);
}

/// Without numbers, the parameter says that they are in memory as blocks.
TEST(LegalityDouble, RepresentationsMayBeInMemory) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  KernelConfig packed = makeLegalityConfig(MMA "representation=packed");
  EXPECT_TRUE(isLegal(packed, chip, makeProblem()));
  ProblemInfo single = makeProblem();
  single.typeA = single.typeB = ScalarType::TF32;
  single.accumulator = single.output = ScalarType::F32;
  SmallVector<Violation> violations = findViolations(packed, chip, single);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "representation");
  EXPECT_EQ(violations[0].message,
            "representation = packed, but elements are tf32, and only numbers "
            "of f64 have another form than packed");
}

TEST(LegalityDouble, ConfigurationsForNumbers) {
  EXPECT_TRUE(hasRepresentationConfig("sm_80", ""));
  EXPECT_TRUE(hasRepresentationConfig("sm_90a", "schedule=mma_sync"));
  EXPECT_FALSE(hasRepresentationConfig("sm_90a", "representation=packed"));
  EXPECT_FALSE(hasRepresentationConfig("sm_90a", "schedule=simt"));
  EXPECT_FALSE(hasRepresentationConfig("sm_1", ""));
}

TEST(LegalityDouble, TheDefaultInstructionIsTheChipsWidest) {
  auto find = [](const char *text, const char *chip) {
    return findMmaSync(makeLegalityConfig(text), cantFail(lookupChip(chip)),
                       makeProblem());
  };
  using Shape = std::array<int64_t, 3>;
  EXPECT_EQ(find("schedule=mma_sync", "sm_80")->getShape(), (Shape{8, 8, 4}));
  EXPECT_EQ(find("schedule=mma_sync", "sm_90a")->getShape(),
            (Shape{16, 8, 16}));
  EXPECT_EQ(find("instruction=16x8x4", "sm_120")->getShape(),
            (Shape{16, 8, 4}));
  EXPECT_EQ(find("instruction=16x8x4", "sm_89"), nullptr);
}

TEST(LegalityDouble, OtherSchedulesRefuse) {
  for (const char *text :
       {"schedule=wgmma warps=4x1x1 cta=64x64x64", "schedule=wmma"}) {
    bool found = false;
    for (const Violation &violation :
         findViolations(makeLegalityConfig(text),
                        cantFail(lookupChip("sm_90a")), makeProblem()))
      found |= violation.rule == "element-type";
    EXPECT_TRUE(found) << text;
  }
}

} // namespace tcgemm
