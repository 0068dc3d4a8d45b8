//===- LegalityWmmaTest.cpp - Rules of the schedule wmma -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"
#include "tcgemm/Config/Wmma.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tcgemm;

namespace {

const LegalityCase cases[] = {
    {"schedule", "schedule=wmma", "schedule=wmma split_k=2",
     "split_k = 2, but schedule wmma takes 1 only"},
    {"schedule", "schedule=wmma", "schedule=wmma producer=cp_async",
     "producer = cp_async, but schedule wmma takes tma only"},
    {"schedule", "tiles_per_cta=1", "tiles_per_cta=2",
     "tiles_per_cta = 2, but schedule mma_sync takes 1 only"},
    {"schedule", "stage_a=true", "stage_a=false",
     "stage_a = false, but schedule mma_sync takes true only"},
    {"raster", "schedule=wmma raster=diagonal", "raster=diagonal",
     "raster = diagonal, but schedule mma_sync has along_m and along_n"},
    {"raster", "schedule=wgmma cta=64x64x64 warps=4x1x1",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 raster=diagonal",
     "raster = diagonal, but schedule wgmma has along_m and along_n", "sm_90a"},
    {"epilogue", "schedule=wmma cta=64x64x16 epilogue=staged",
     "schedule=wmma cta=64x64x16 epilogue=tma",
     "epilogue = tma, but schedule wmma has direct and staged"},
    {"instruction", "schedule=wmma instruction=8x32x16",
     "schedule=wmma instruction=8x16x16",
     "instruction = [8, 16, 16], but schedule wmma has [16, 16, 16], "
     "[32, 8, 16], [8, 32, 16] for f16"},
    {"instruction", "schedule=wmma instruction=32x8x16",
     "schedule=wmma instruction=32x8x8", "instruction = [32, 8, 8], but"},
    {"instruction", "schedule=wmma instruction=32x8x16",
     "schedule=wmma instruction=8x32x16",
     "instruction M = 8, but A is contiguous along M, where fragments must "
     "start at multiples of 16 elements",
     "sm_90", /*aKContiguous=*/false, /*bKContiguous=*/true},
    {"instruction", "schedule=wmma instruction=8x32x16",
     "schedule=wmma instruction=32x8x16",
     "instruction N = 8, but B is contiguous along N", "sm_90",
     /*aKContiguous=*/true, /*bKContiguous=*/false},
    {"warps", "schedule=wmma warps=4x2x1", "schedule=wmma warps=2x2x2",
     "warps = [2, 2, 2], but with schedule wmma they must be at least 1 along "
     "M and N and 1 along K"},
    {"threads", "schedule=wmma cta=256x256x16 warps=8x4x1",
     "schedule=wmma cta=256x256x16 warps=16x4x1",
     "warps = [16, 4, 1] make 64 warps, but sm_90 has at most 1024 threads = "
     "32 warps a block"},
    {"cta-k", "schedule=wmma cta=96x96x48 warps=3x1x1",
     "schedule=wmma cta=96x96x40 warps=3x1x1",
     "cta K = 40, but it must be a multiple of 16 to 128"},
    {"stages", "schedule=wmma cta=64x64x16 stages=12",
     "schedule=wmma cta=64x64x16 stages=1",
     "stages = 1, but it must be from 2 to 12"},
    {"raster-group", "schedule=wmma", "schedule=wmma raster_group=0",
     "raster_group = 0, but it must be from 1 to 65535"},
    {"tiles-per-cta", "schedule=wmma tiles_per_cta=65535",
     "schedule=wmma tiles_per_cta=0",
     "tiles_per_cta = 0, but it must be from 1 to 65535"},
    {"tiles-per-cta", "schedule=wmma tiles_per_cta=2 tile_order=strided",
     "schedule=wmma tiles_per_cta=1 tile_order=strided",
     "tile_order = strided with tiles_per_cta = 1, but only several tiles of a "
     "CTA have an order"},
    {"max-registers", "schedule=wmma max_registers=128",
     "schedule=wmma max_registers=100",
     "max_registers = 100, but it must be 0 or a multiple of 8"},
    {"cta-m", "schedule=wmma cta=64x64x16 warps=2x1x1 instruction=32x8x16",
     "schedule=wmma cta=32x64x16 warps=2x1x1 instruction=32x8x16",
     "cta M = 32, but it must be a multiple of 32 x 2 warps = 64"},
    {"cta-n", "schedule=wmma cta=64x64x16 warps=1x2x1 instruction=8x32x16",
     "schedule=wmma cta=64x32x16 warps=1x2x1 instruction=8x32x16",
     "cta N = 32, but it must be a multiple of 32 x 2 warps = 64"},
    {"registers", "schedule=wmma cta=256x256x16 warps=4x2x1",
     "schedule=wmma cta=256x256x16 warps=2x2x1",
     "warp tile 128x128 has 512 accumulators a thread; the limit is 256"},
    {"copy-threads", "schedule=wmma cta=96x64x48 warps=3x1x1",
     "schedule=wmma cta=96x64x48 warps=2x1x1",
     "a row of A's tile (48 elements) is 6 copies of 16 bytes"},
    {"copy-rows", "schedule=wmma cta=128x64x16 warps=2x2x1",
     "schedule=wmma cta=192x64x16 warps=4x2x1",
     "A's tile has 192 rows, but 256 threads with copies of 16 bytes cover 128 "
     "at a time"},
    {"shared-memory",
     "schedule=wmma cta=256x192x16 warps=4x4x1 epilogue=staged",
     "schedule=wmma cta=256x256x16 warps=4x4x1 epilogue=staged",
     "3 stages and the epilogue use 270336 bytes of shared memory; the limit "
     "of "
     "sm_90 is 232448"},
    {"resident-threads", "schedule=wmma cta=64x64x16 warps=2x2x1 min_ctas=2",
     "schedule=wmma cta=256x256x16 warps=8x4x1 min_ctas=3",
     "min_ctas = 3 blocks of 1024 threads are 3072"},
};

ProblemInfo makeHalves() {
  ProblemInfo problem;
  problem.typeA = problem.typeB = ScalarType::F16;
  return problem;
}

TEST(LegalityWmma, EachRuleHasAViolatingTwin) {
  checkLegalityTwins(cases, makeHalves());
}

TEST(LegalityWmma, ElementType) {
  KernelConfig config = makeLegalityConfig("schedule=wmma");
  const ChipInfo &chip = cantFail(lookupChip("sm_80"));
  EXPECT_TRUE(findViolations(config, chip, makeHalves()).empty());
  ProblemInfo brain;
  auto violations = findViolations(config, chip, brain);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "element-type");
  EXPECT_EQ(violations[0].message,
            "elements of A and B are bf16 and bf16, but schedule wmma takes "
            "f16, f16acc16, i8, ui8, ui1 or tf32, the same for both");
}

TEST(LegalityWmma, OtherTypes) {
  auto find = [](const char *text, ScalarType a, ScalarType b,
                 ScalarType sum) -> std::string {
    ProblemInfo problem;
    problem.typeA = a;
    problem.typeB = b;
    problem.accumulator = sum;
    auto violations = findViolations(makeLegalityConfig(text),
                                     cantFail(lookupChip("sm_80")), problem);
    return violations.empty() ? "" : violations[0].message;
  };
  using T = ScalarType;
  for (T type : {T::I8, T::U8}) {
    EXPECT_EQ(find("schedule=wmma cta=64x64x32", type, type, T::I32), "");
    EXPECT_EQ(find("schedule=wmma cta=64x64x256", type, type, T::I32), "");
  }
  EXPECT_EQ(find("schedule=wmma cta=64x64x16", T::I8, T::U8, T::I32),
            "elements of A and B are i8 and ui8, but schedule wmma takes f16, "
            "f16acc16, i8, ui8, ui1 or tf32, the same for both");
  EXPECT_EQ(find("schedule=wmma cta=64x64x272", T::I8, T::I8, T::I32),
            "cta K = 272, but it must be a multiple of 16 to 256");
  EXPECT_EQ(find("schedule=wmma instruction=16x16x8 cta=64x64x8", T::TF32,
                 T::TF32, T::F32),
            "");
  EXPECT_EQ(find("schedule=wmma cta=64x64x8", T::TF32, T::TF32, T::F32),
            "instruction = [16, 16, 16], but schedule wmma has [16, 16, 8] for "
            "tf32");
  EXPECT_EQ(find("schedule=wmma instruction=32x8x16 cta=64x64x16 warps=2x2x1",
                 T::F16Acc16, T::F16Acc16, T::F32),
            "");
}

/// Sums of f16 are staged as such.
TEST(LegalityWmma, StagingHasTheSumsOfTheInstruction) {
  KernelConfig config =
      makeLegalityConfig("schedule=wmma cta=64x64x16 epilogue=staged");
  ProblemInfo problem = makeHalves();
  EXPECT_EQ(getWmmaStagingBytes(config, problem), 64 * 72 * 4);
  problem.typeA = problem.typeB = ScalarType::F16Acc16;
  EXPECT_EQ(getWmmaStagingBytes(config, problem), 64 * 72 * 2);
}

TEST(LegalityWmma, Chip) {
  ChipInfo turing = cantFail(lookupChip("sm_80"));
  turing.name = "sm_75";
  turing.capability = 75;
  auto violations =
      findViolations(makeLegalityConfig("schedule=wmma"), turing, makeHalves());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message,
            "chip sm_75 has compute capability 75, but schedule wmma needs 80 "
            "or more");
}

/// Table 3 of the thesis: WM, WN, TC, TR, TPC, BI, ST, WC, WR, FAS, FBS.
TEST(LegalityWmma, TheThesisWinnersAreLegal) {
  struct Winner {
    int wm, wn, tc, tr, tpc;
    const char *raster, *order;
    int wc, wr;
    const char *a, *b;
  } winners[] = {
      {16, 16, 128, 64, 1, "along_m", "sequential", 2, 4, "true", "false"},
      {8, 32, 128, 64, 1, "along_m", "sequential", 1, 8, "true", "false"},
      {16, 16, 64, 64, 1, "along_m", "sequential", 2, 2, "true", "false"},
      {16, 16, 128, 128, 4, "diagonal", "strided", 8, 2, "false", "true"},
      {8, 32, 128, 128, 1, "along_m", "sequential", 2, 8, "false", "false"},
  };
  for (const Winner &w : winners) {
    std::string text =
        formatv("schedule=wmma stages=2 raster_group=1 cta={0}x{1}x16 "
                "warps={2}x{3}x1 instruction={4}x{5}x16 tiles_per_cta={6} "
                "raster={7} tile_order={8} stage_a={9} stage_b={10}",
                w.tr, w.tc, w.tr / (w.wm * w.wr), w.tc / (w.wn * w.wc), w.wm,
                w.wn, w.tpc, w.raster, w.order, w.a, w.b);
    KernelConfig config = makeLegalityConfig(text.c_str());
    EXPECT_EQ(config.getNumThreads(), 128) << text;
    for (const char *chip : {"sm_80", "sm_86", "sm_89", "sm_90a"})
      for (const Violation &violation :
           findViolations(config, cantFail(lookupChip(chip)), makeHalves()))
        ADD_FAILURE() << text << ": " << violation.message;
  }
}

TEST(LegalityWmma, Extremes) {
  for (const char *text :
       {"cta=1048576x1048576x128", "warps=1048576x1048576x1048576", "cta=0x0x0",
        "warps=0x0x0", "stages=1048576", "min_ctas=1048576",
        "instruction=0x0x0", "tiles_per_cta=1048576"})
    for (bool contiguous : {false, true}) {
      ProblemInfo problem = makeHalves();
      problem.aKContiguous = problem.bKContiguous = contiguous;
      std::string all = "schedule=wmma cta=64x64x16 ";
      EXPECT_FALSE(findViolations(makeLegalityConfig((all + text).c_str()),
                                  cantFail(lookupChip("sm_90")), problem)
                       .empty())
          << text;
    }
}

} // namespace

ArrayRef<LegalityCase> tcgemm::getWmmaLegalityCases() { return cases; }
