//===- LegalityWgmmaTest.cpp - Rules of the schedule wgmma ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"
#include "tcgemm/Config/Wgmma.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tcgemm;

namespace {

const LegalityCase cases[] = {
    {"chip", "schedule=mma_sync", "schedule=wgmma cta=64x64x64 warps=4x1x1",
     "chip sm_90 has no wgmma, which schedule wgmma needs: sm_90a has"},
    {"schedule", "schedule=wgmma cta=128x128x64 warps=8x1x1",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 unaligned=copy_8",
     "unaligned = copy_8, but schedule wgmma takes pack only", "sm_90a"},
    {"copy-width",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 copy_a=8 producer=cp_async",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 copy_a=8",
     "copy_a = 8, but with producer = tma it must be 16", "sm_90a"},
    {"copy-width",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 copy_b=2 producer=cp_async",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 copy_b=32 producer=cp_async",
     "copy_b = 32, but it must be 16, 8, 4 or 2 bytes", "sm_90a"},
    {"producer", "schedule=wgmma cta=128x128x64 warps=8x1x1 cluster=2x1x1",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 cluster=2x1x1 "
     "producer=cp_async",
     "producer = cp_async with cluster = [2, 1, 1], but cp.async copies for "
     "its own CTA alone: it takes 1 along M and N",
     "sm_90a"},
    // Slices of k share no copies.
    {"producer",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 cluster=1x1x2 "
     "producer=cp_async",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 cluster=1x2x1 "
     "producer=cp_async",
     "cluster = [1, 2, 1], but cp.async", "sm_90a"},
    {"schedule", "schedule=wgmma cta=128x128x64 warps=8x1x1",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 max_registers=128",
     "max_registers = 128, but schedule wgmma takes 0 only", "sm_90a"},
    {"warps", "schedule=wgmma cta=128x128x64 warps=8x1x1",
     "schedule=wgmma cta=128x128x64 warps=4x2x1",
     "warps = [4, 2, 1], but schedule wgmma has one to four warpgroups that "
     "multiply: [4, 1, 1], [8, 1, 1] or [12, 1, 1], and with parts of k "
     "[4, 1, 2], [8, 1, 2] or [4, 1, 4]",
     "sm_90a"},
    {"cta-k", "schedule=wgmma cta=64x64x32 warps=4x1x1",
     "schedule=wgmma cta=64x64x16 warps=4x1x1",
     "cta K = 16, but with schedule wgmma it must be 32, 64 or 128", "sm_90a"},
    {"stages", "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=12",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=13",
     "stages = 13, but it must be from 2 to 12", "sm_90a"},
    {"raster-group", "schedule=wgmma cta=64x64x64 warps=4x1x1",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 raster_group=0",
     "raster_group = 0, but it must be from 1 to 65535", "sm_90a"},
    {"split-k", "schedule=wgmma cta=64x64x64 warps=4x1x1 split_k=7",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 split_k=0",
     "split_k = 0, but it must be from 1 to 65535", "sm_90a"},
    {"epilogue-buffers",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma epilogue_buffers=8",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma epilogue_buffers=9",
     "epilogue_buffers = 9, but it must be from 1 to 8", "sm_90a"},
    {"l2-promotion", "schedule=wgmma cta=64x64x64 warps=4x1x1 l2_promotion=256",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 l2_promotion=32",
     "l2_promotion = 32, but TMA knows 0, 64, 128 and 256 bytes", "sm_90a"},
    {"stage-inputs",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma stage_inputs=true",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 stage_inputs=true",
     "stage_inputs = true with epilogue = direct, 1 slices of k and "
     "swap_ab = false, but it needs tma, 1 and false",
     "sm_90a"},
    {"stage-inputs",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma stage_inputs=true",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma stage_inputs=true "
     "split_k=2",
     "2 slices of k", "sm_90a"},
    {"stage-inputs",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma cluster=1x1x4",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma stage_inputs=true "
     "cluster=1x1x4",
     "4 slices of k", "sm_90a"},
    {"stage-inputs",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma swap_ab=true",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma swap_ab=true "
     "stage_inputs=true",
     "swap_ab = true", "sm_90a"},
    {"stage-inputs", "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma stage_inputs=true",
     "the epilogue reads no matrix of f16 or bf16 whose rows run along n",
     "sm_90a", true, true, true, true, /*stageableInputs=*/0},
    // Two inputs of 64 KiB for each of the two alternating warpgroups.
    {"shared-memory",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 stages=2 epilogue=tma "
     "persistent=true pingpong=true stage_inputs=true",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma "
     "persistent=true pingpong=true stage_inputs=true epilogue_buffers=3",
     "use 245856 bytes of shared memory", "sm_90a"},
    {"resident-threads", "schedule=wgmma cta=64x8x32 warps=4x1x1 min_ctas=4",
     "schedule=wgmma cta=64x8x32 warps=4x1x1 min_ctas=9",
     "min_ctas = 9, but it must be from 0 to 8", "sm_90a"},
    {"pingpong",
     "schedule=wgmma cta=64x128x64 warps=8x1x1 persistent=true pingpong=true",
     "schedule=wgmma cta=64x128x64 warps=4x1x1 persistent=true pingpong=true",
     "pingpong = true with warps = [4, 1, 1], persistent = true and split_k = "
     "1, but it needs [8, 1, 1], true and 1",
     "sm_90a"},
    {"pingpong",
     "schedule=wgmma cta=64x128x64 warps=8x1x1 persistent=true pingpong=true",
     "schedule=wgmma cta=64x128x64 warps=8x1x1 pingpong=true",
     "persistent = false", "sm_90a"},
    {"pingpong",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 persistent=true split_k=2",
     "schedule=wgmma cta=64x128x64 warps=8x1x1 persistent=true pingpong=true "
     "split_k=2",
     "split_k = 2", "sm_90a"},
    {"cluster", "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=4x2x1",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=4x4x1",
     "cluster = [4, 4, 1], but it must be powers of two, at most 8 CTAs in all",
     "sm_90a"},
    {"cluster", "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=1x4x1",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=3x1x1",
     "cluster = [3, 1, 1], but", "sm_90a"},
    {"cluster", "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=2x2x2",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=2x2x4",
     "cluster = [2, 2, 4], but it must be powers", "sm_90a"},
    {"cluster", "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=1x1x2",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=1x1x2 split_k=2",
     "cluster = [1, 1, 2] splits k, but with split_k = 2 and persistent = "
     "false; it needs 1 and false",
     "sm_90a"},
    {"cluster", "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=1x1x8",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 cluster=1x1x8 persistent=true",
     "split_k = 1 and persistent = true", "sm_90a"},
    {"cta-m", "schedule=wgmma cta=192x64x64 warps=12x1x1",
     "schedule=wgmma cta=128x64x64 warps=12x1x1",
     "cta M = 128, but it must be a multiple of 64 for each of the 3 "
     "warpgroups that share a tile: 192",
     "sm_90a"},
    {"cta-n", "schedule=wgmma cta=16x128x64 warps=8x1x1 swap_ab=true",
     "schedule=wgmma cta=16x192x64 warps=8x1x1 swap_ab=true",
     "cta N = 192, but it must be a multiple of 64 for each of the 2 "
     "warpgroups that share a tile: 128",
     "sm_90a"},
    {"cta-n", "schedule=wgmma cta=64x200x64 warps=4x1x1",
     "schedule=wgmma cta=64x204x64 warps=4x1x1",
     "cta N = 204, but it must be a multiple of 8 to 256", "sm_90a"},
    {"cta-n", "schedule=wgmma cta=64x256x64 warps=4x1x1 stages=2",
     "schedule=wgmma cta=64x264x64 warps=4x1x1 stages=2",
     "cta N = 264, but it must", "sm_90a"},
    {"cta-m", "schedule=wgmma cta=24x64x64 warps=4x1x1 swap_ab=true",
     "schedule=wgmma cta=20x64x64 warps=4x1x1 swap_ab=true",
     "cta M = 20, but it must be a multiple of 8 to 256", "sm_90a"},
    {"cta-n", "schedule=wgmma cta=64x192x64 warps=4x1x1",
     "schedule=wgmma cta=64x96x64 warps=4x1x1",
     "cta N = 96, but it must be a multiple of 64 to 256 where the operand is "
     "not contiguous along k",
     "sm_90a", true, /*bKContiguous=*/false},
    {"cta-m", "schedule=wgmma cta=64x64x64 warps=4x1x1 swap_ab=true",
     "schedule=wgmma cta=96x64x64 warps=4x1x1 swap_ab=true",
     "cta M = 96, but it must be a multiple of 64 to 256 where the operand is "
     "not contiguous along k",
     "sm_90a", /*aKContiguous=*/false},
    {"instruction",
     "schedule=wgmma cta=64x128x64 warps=4x1x1 instruction=64x128x16",
     "schedule=wgmma cta=64x128x64 warps=4x1x1 instruction=64x64x16",
     "instruction = [64, 64, 16], but for this tile it is [64, 128, 16]",
     "sm_90a"},
    // A row is half of the 128 bytes that a box starts at a multiple of.
    {"box", "schedule=wgmma cta=64x40x64 warps=4x1x1 cluster=8x1x1",
     "schedule=wgmma cta=64x40x32 warps=4x1x1 cluster=8x1x1",
     "cta N = 40 is copied in 8 boxes, but each must have a multiple of 2 to "
     "256 rows",
     "sm_90a"},
    {"box", "schedule=wgmma cta=64x40x32 warps=4x1x1 cluster=4x1x1",
     "schedule=wgmma cta=64x40x32 warps=4x1x1 cluster=8x1x1",
     "cta N = 40 is copied in 8 boxes, but", "sm_90a"},
    {"box", "schedule=wgmma cta=384x64x64 warps=12x1x1 cluster=1x2x1 stages=2",
     "schedule=wgmma cta=384x64x64 warps=12x1x1 stages=2",
     "cta M = 384 is copied in 1 boxes, but each must have a multiple of 1 to "
     "256 rows",
     "sm_90a"},
    {"epilogue", "schedule=wgmma cta=64x64x64 warps=4x1x1",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=staged",
     "epilogue = staged, but it can only store rows along n of f16, bf16, f32, "
     "s32 or elements of 8 bits",
     "sm_90a", true, true, /*tmaOutputs=*/false},
    {"epilogue", "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=staged",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=staged swap_ab=true",
     "epilogue = staged with swap_ab = true, but it can only turn 16-bit "
     "outputs",
     "sm_90a", true, true, true, /*outputBytes=*/4},
    // Rows of bytes are stored by 16, and are not turned.
    {"epilogue", "schedule=wgmma cta=64x48x64 warps=4x1x1 epilogue=tma",
     "schedule=wgmma cta=64x40x64 warps=4x1x1 epilogue=tma",
     "epilogue = tma, but a CTA stores rows of 40 elements of 8 bits: their "
     "number must be a multiple of 16",
     "sm_90a", true, true, true, /*outputBytes=*/1},
    {"epilogue",
     "schedule=wgmma cta=64x32x64 warps=4x1x1 cluster=1x1x2 epilogue=staged",
     "schedule=wgmma cta=64x32x64 warps=4x1x1 cluster=1x1x4 epilogue=staged",
     "a CTA stores rows of 8 elements of 8 bits", "sm_90a", true, true, true,
     /*outputBytes=*/1},
    {"epilogue", "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma swap_ab=true",
     "it can only turn 16-bit outputs", "sm_90a", true, true, true,
     /*outputBytes=*/1},
    // One staging tile, independent of their number for TMA.
    {"shared-memory",
     "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=4 epilogue=staged "
     "epilogue_buffers=8",
     "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=5 epilogue=staged",
     "5 stages and the staging tiles use 262224 bytes of shared memory; the "
     "limit of sm_90a is 232448",
     "sm_90a"},
    {"epilogue", "schedule=wgmma cta=64x64x64 warps=4x1x1",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma",
     "epilogue = tma, but it can only store rows along n of f16, bf16, f32, "
     "s32 or elements of 8 bits",
     "sm_90a", true, true, /*tmaOutputs=*/false},
    {"epilogue", "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 epilogue=tma swap_ab=true",
     "epilogue = tma with swap_ab = true, but it can only turn 16-bit outputs",
     "sm_90a", true, true, true, /*outputBytes=*/4},
    {"registers", "schedule=wgmma cta=128x208x64 warps=4x1x1",
     "schedule=wgmma cta=128x256x64 warps=4x1x1",
     "256 accumulators and about 32 other registers a thread are 288; the "
     "limit for 1 warpgroups that multiply is 255",
     "sm_90a"},
    {"registers", "schedule=wgmma cta=192x200x32 warps=12x1x1",
     "schedule=wgmma cta=192x208x32 warps=12x1x1",
     "an instruction of 208 columns takes 130 registers; the limit is what the "
     "512 threads start with: 128",
     "sm_90a"},
    {"registers", "schedule=wgmma cta=128x104x32 warps=8x1x1 min_ctas=2",
     "schedule=wgmma cta=128x112x32 warps=8x1x1 min_ctas=2",
     "what the 384 threads and min_ctas = 2 start with: 80", "sm_90a"},
    // Registers of the copying threads are not available to the others.
    {"registers",
     "schedule=wgmma cta=256x168x64 warps=8x1x1 stages=3 producer=cp_async "
     "copy_a=4 copy_b=4",
     "schedule=wgmma cta=256x176x64 warps=8x1x1 stages=3 producer=cp_async "
     "copy_a=4 copy_b=2",
     "176 accumulators and about 32 other registers a thread are 208; the "
     "limit for 2 warpgroups that multiply is 200",
     "sm_90a"},
    {"registers",
     "schedule=wgmma cta=64x64x64 warps=8x1x1 min_ctas=2 persistent=true "
     "pingpong=true stages=3 producer=cp_async copy_a=4",
     "schedule=wgmma cta=64x64x64 warps=8x1x1 min_ctas=2 persistent=true "
     "pingpong=true stages=3 producer=cp_async copy_a=2",
     "the threads that copy take 104 registers; the limit is what the 384 "
     "threads and min_ctas = 2 start with: 80",
     "sm_90a"},
    {"shared-memory",
     "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma",
     "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma "
     "epilogue_buffers=3",
     "4 stages and the staging tiles use 245824 bytes of shared memory; the "
     "limit of sm_90a is 232448",
     "sm_90a"},
    // 64 columns of bytes need half the memory of 16-bit columns.
    {"shared-memory",
     "schedule=wgmma cta=64x64x128 warps=4x1x1 stages=6 epilogue=tma "
     "epilogue_buffers=8",
     "schedule=wgmma cta=64x64x128 warps=4x1x1 stages=7 epilogue=tma "
     "epilogue_buffers=8",
     "7 stages and the staging tiles use 262256 bytes of shared memory",
     "sm_90a", true, true, true, /*outputBytes=*/1},
    // 32 columns of f32 need twice the memory of 16-bit columns.
    {"shared-memory",
     "schedule=wgmma cta=64x32x128 warps=4x1x1 stages=7 epilogue=tma "
     "epilogue_buffers=7",
     "schedule=wgmma cta=64x32x128 warps=4x1x1 stages=7 epilogue=tma "
     "epilogue_buffers=8",
     "7 stages and the staging tiles use 237680 bytes of shared memory",
     "sm_90a", true, true, true, /*outputBytes=*/4},
    // Three times 128 x 32 sums of the other CTAs, and a barrier.
    {"shared-memory",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 stages=6 cluster=1x1x2",
     "schedule=wgmma cta=128x128x64 warps=8x1x1 stages=6 cluster=1x1x4",
     "6 stages use 245872 bytes of shared memory", "sm_90a"},
    {"shared-memory", "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=4",
     "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=5",
     "5 stages use 245840 bytes of shared memory; the limit of sm_90a is "
     "232448",
     "sm_90a"},
    {"resident-shared",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=6 min_ctas=2",
     "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=8 min_ctas=2",
     "min_ctas = 2 blocks of 132224 bytes use 264448 bytes of shared memory; "
     "the limit of sm_90a is 233472 a multiprocessor",
     "sm_90a"},
};

TEST(LegalityWgmma, EachRuleHasAViolatingTwin) { checkLegalityTwins(cases); }

TEST(LegalityWgmma, ElementType) {
  ProblemInfo wide;
  wide.typeA = wide.typeB = ScalarType::F32;
  auto violations = findViolations(
      makeLegalityConfig("schedule=wgmma cta=64x64x64 warps=4x1x1"),
      cantFail(lookupChip("sm_90a")), wide);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "element-type");
  EXPECT_EQ(violations[0].message, "no wgmma multiplies elements of type "
                                   "f32 by f32");
}

TEST(LegalityWgmma, BytesHaveRulesOfTheirOwn) {
  ProblemInfo problem;
  problem.typeA = problem.typeB = ScalarType::I8;
  problem.accumulator = ScalarType::I32;
  problem.leastOutputBytes = problem.mostOutputBytes = 4;
  auto find = [&](const char *text) {
    return findViolations(makeLegalityConfig(text),
                          cantFail(lookupChip("sm_90a")), problem);
  };
  EXPECT_TRUE(find("schedule=wgmma cta=64x48x128 warps=4x1x1").empty());
  auto columns = find("schedule=wgmma cta=64x40x128 warps=4x1x1");
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].message,
            "cta N = 40, but it must be a multiple of 16 to 256");
  auto depth = find("schedule=wgmma cta=64x64x32 warps=4x1x1");
  ASSERT_EQ(depth.size(), 1u);
  EXPECT_EQ(depth[0].message, "cta K = 32, but with schedule wgmma it must be "
                              "64, 128 or 256");
  auto copies = find("schedule=wgmma cta=64x64x128 warps=4x1x1 "
                     "producer=cp_async copy_b=2");
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].message, "copy_b = 2, but elements of i8 have 8 bits: it "
                               "must be 16, 8 or 4");
}

// Roles that divide the depth of stages add their sums through shared memory.
TEST(LegalityWgmma, PartsOfDepthNeedRowsInRegisters) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  ProblemInfo problem;
  problem.typeA = ScalarType::BF16;
  problem.typeB = ScalarType::I8;
  auto find = [&](const char *text) {
    return findViolations(
        makeLegalityConfig(("schedule=wgmma " + StringRef(text)).str().c_str()),
        chip, problem);
  };
  auto expectOne = [&](const char *text, StringRef rule, StringRef message) {
    auto violations = find(text);
    ASSERT_EQ(violations.size(), 1u) << text;
    EXPECT_EQ(violations[0].rule, rule);
    EXPECT_EQ(violations[0].message, message);
  };
  for (const char *legal : {"cta=16x128x64 warps=8x1x2 swap_ab=true",
                            "cta=16x128x256 warps=8x1x2 swap_ab=true",
                            "cta=16x64x512 warps=4x1x4 swap_ab=true",
                            "cta=64x64x128 warps=4x1x2 swap_ab=true split_k=2"})
    EXPECT_TRUE(find(legal).empty()) << legal;
  expectOne("cta=16x128x32 warps=8x1x2 swap_ab=true", "cta-k",
            "cta K = 32, but with schedule wgmma it must be 64, 128 or 256");
  expectOne("cta=16x128x64 warps=8x1x2 swap_ab=true persistent=true", "warps-k",
            "warps K = 2 and persistent = true, but parts of k need false, and "
            "neither bands, groups along k nor scales of blocks");
  problem.typeB = ScalarType::BF16;
  expectOne("cta=16x128x64 warps=8x1x2 swap_ab=true", "warps-k",
            "warps K = 2, but B is multiplied from shared memory: only roles "
            "that load the instruction's rows to registers divide k");
  KernelConfig config =
      makeLegalityConfig("schedule=wgmma cta=16x64x128 warps=4x1x4 "
                         "swap_ab=true");
  EXPECT_EQ(config.getNumThreads(), 640);
  EXPECT_EQ(planSharedMemory(config, problem).exchange, 3 * 16 * 64 * 4);
}

// The narrow operand takes the instruction's rows, which registers hold.
TEST(LegalityWgmma, ConvertedOperandsHaveRulesOfTheirOwn) {
  auto find = [&](ScalarType a, ScalarType b, const char *text) {
    ProblemInfo problem;
    problem.typeA = a;
    problem.typeB = b;
    return findViolations(makeLegalityConfig(text),
                          cantFail(lookupChip("sm_90a")), problem);
  };
  using T = ScalarType;
  const char *swapped = "schedule=wgmma cta=16x64x64 warps=4x1x1 swap_ab=true";
  EXPECT_TRUE(find(T::BF16, T::I8, swapped).empty());
  EXPECT_TRUE(find(T::F16, T::U4, swapped).empty());
  const char *straight = "schedule=wgmma cta=64x16x64 warps=4x1x1";
  EXPECT_TRUE(find(T::E4M3, T::BF16, straight).empty());
  auto ofB = find(T::BF16, T::I8, straight);
  ASSERT_EQ(ofB.size(), 1u);
  EXPECT_EQ(ofB[0].rule, "swap-ab");
  EXPECT_EQ(ofB[0].message,
            "swap_ab = false, but B of i8 is converted in registers, which "
            "hold the instruction's rows: it must be true");
  auto ofA = find(T::E4M3, T::BF16, swapped);
  ASSERT_EQ(ofA.size(), 1u);
  EXPECT_EQ(ofA[0].message,
            "swap_ab = true, but A of f8E4M3FN is converted in registers, "
            "which hold the instruction's rows: it must be false");
  // One step is converted while another is multiplied.
  const char *shallow = "schedule=wgmma cta=16x64x32 warps=4x1x1 swap_ab=true";
  EXPECT_TRUE(find(T::BF16, T::I8, shallow).empty());
  auto depth = find(T::BF16, T::I4, shallow);
  ASSERT_EQ(depth.size(), 1u);
  EXPECT_EQ(depth[0].message, "cta K = 32, but with schedule wgmma it must be "
                              "64, 128 or 256");
  // Fragments take registers in addition to the sums.
  const char *wide = "schedule=wgmma cta=192x192x64 warps=12x1x1 swap_ab=true";
  EXPECT_TRUE(find(T::BF16, T::BF16, wide).empty());
  auto registers = find(T::BF16, T::I8, wide);
  ASSERT_EQ(registers.size(), 1u);
  EXPECT_EQ(registers[0].rule, "registers");
  EXPECT_EQ(registers[0].message,
            "96 accumulators, 36 of fragments and about 32 other registers a "
            "thread are 164; the limit for 3 warpgroups that multiply is 160");
}

TEST(LegalityWgmma, RoundedOperandsHaveRulesOfTheirOwn) {
  ProblemInfo problem;
  problem.typeA = problem.typeB = ScalarType::TF32;
  problem.leastOutputBytes = problem.mostOutputBytes = 4;
  auto find = [&](const char *text) {
    return findViolations(makeLegalityConfig(text),
                          cantFail(lookupChip("sm_90a")), problem);
  };
  EXPECT_TRUE(find("schedule=wgmma cta=64x40x32 warps=4x1x1").empty());
  EXPECT_TRUE(find("schedule=wgmma cta=64x40x32 warps=4x1x1 "
                   "instruction=64x40x8")
                  .empty());
  auto depth = find("schedule=wgmma cta=64x64x128 warps=4x1x1");
  ASSERT_EQ(depth.size(), 1u);
  EXPECT_EQ(depth[0].message, "cta K = 128, but with schedule wgmma it must be "
                              "16, 32 or 64");
  // cp.async does not round.
  const char *legal = "schedule=wgmma cta=64x64x32 warps=4x1x1 "
                      "producer=cp_async copy_a=4 copy_b=4";
  EXPECT_TRUE(find(legal).empty());
  auto copies = find("schedule=wgmma cta=64x64x32 warps=4x1x1 "
                     "producer=cp_async copy_a=4 copy_b=8");
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].message, "copy_b = 8, but threads copy tf32 by single "
                               "elements: it must be 4");
  EXPECT_EQ(getProducerRegisters(makeLegalityConfig(legal), problem), 104);
}

/// The number of a CTA's registers is that at its start. The consumers get the
/// registers that the producer releases.
TEST(LegalityWgmma, RegistersAreShared) {
  struct Shares {
    const char *text;
    int64_t consumer, producer;
  };
  for (auto [text, consumer, producer] :
       {Shares{"warps=4x1x1", 0, 24}, Shares{"warps=8x1x1", 240, 24},
        Shares{"warps=12x1x1", 160, 24},
        Shares{"warps=4x1x1 min_ctas=2", 232, 24},
        Shares{"warps=8x1x1 cluster=2x2x1", 232, 32},
        Shares{"warps=8x1x1 producer=cp_async copy_b=4", 232, 40},
        Shares{"warps=12x1x1 producer=cp_async copy_a=2", 136, 104}}) {
    KernelConfig config = makeLegalityConfig(text);
    config.schedule = Schedule::Wgmma;
    SCOPED_TRACE(text);
    ProblemInfo problem;
    EXPECT_EQ(getConsumerRegisters(config, problem), consumer);
    EXPECT_EQ(getProducerRegisters(config, problem), producer);
  }
}

TEST(LegalityWgmma, PromotedSumsAreFloats) {
  auto find = [](ScalarType type, ScalarType sum, const char *text) {
    ProblemInfo problem;
    problem.typeA = problem.typeB = type;
    problem.accumulator = sum;
    return findViolations(makeLegalityConfig(text),
                          cantFail(lookupChip("sm_90a")), problem);
  };
  const char *tile = "schedule=wgmma cta=128x128x128 warps=8x1x1 "
                     "promote_sums=true";
  EXPECT_TRUE(find(ScalarType::E4M3, ScalarType::F32, tile).empty());
  auto violations = find(ScalarType::I8, ScalarType::I32, tile);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].rule, "promote-sums");
  EXPECT_EQ(violations[0].message, "promote_sums = true, but sums of type i32 "
                                   "are exact: it is for f32");
  // There are twice the accumulators.
  violations = find(ScalarType::E4M3, ScalarType::F32,
                    "schedule=wgmma cta=128x256x128 warps=8x1x1 stages=3 "
                    "promote_sums=true");
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].rule, "registers");
}

/// The fragments of an operand whose elements pass a function need registers.
TEST(LegalityWgmma, FunctionsOfElements) {
  KernelConfig config = makeLegalityConfig(
      "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma "
      "persistent=true");
  ProblemInfo plain, mapped;
  cantFail(mapped.setTransforms("relu", "none"));
  EXPECT_EQ(estimateRegisters(config, mapped),
            estimateRegisters(config, plain) + 7 * 4);
  // B is packed with its function.
  cantFail(mapped.setTransforms("none", "relu"));
  EXPECT_EQ(estimateRegisters(config, mapped),
            estimateRegisters(config, plain));
  cantFail(mapped.setTransforms("relu", "none"));
  EXPECT_TRUE(
      findViolations(config, cantFail(lookupChip("sm_90a")), mapped).empty());
}

TEST(LegalityWgmma, BlockScales) {
  auto find = [](bool ofA, bool ofB, const char *text) {
    ProblemInfo problem;
    problem.typeA = problem.typeB = ScalarType::E4M3;
    problem.hasScalesA = ofA;
    problem.hasScalesB = ofB;
    return findViolations(makeLegalityConfig(text),
                          cantFail(lookupChip("sm_90a")), problem);
  };
  constexpr const char *legal[] = {
      "schedule=wgmma cta=128x128x128 warps=8x1x1 promote_sums=true",
      "schedule=wgmma cta=64x128x128 warps=8x1x1 promote_sums=true "
      "pingpong=true persistent=true",
      "schedule=wgmma cta=64x16x128 warps=4x1x1 promote_sums=true split_k=4",
      "schedule=wgmma cta=64x64x128 warps=4x1x1 promote_sums=true "
      "cluster=2x2x2",
      "schedule=wgmma cta=64x96x128 warps=4x1x1 promote_sums=true",
      "schedule=wgmma cta=192x128x128 warps=12x1x1 stages=3 "
      "promote_sums=true"};
  for (const char *text : legal)
    EXPECT_TRUE(find(true, true, text).empty()) << text;
  // Each 16 of 208 columns have a scale of B.
  const char *manyScales = "schedule=wgmma cta=128x208x128 warps=8x1x1 "
                           "stages=3 promote_sums=true";
  EXPECT_TRUE(find(false, false, manyScales).empty());
  auto ofColumns = find(false, true, manyScales);
  ASSERT_EQ(ofColumns.size(), 1U);
  EXPECT_EQ(ofColumns[0].rule, "registers");
  for (auto [text, message] :
       {std::pair("schedule=mma_sync cta=128x128x64 warps=2x2x1",
                  "schedule = mma_sync, but products with scales of blocks "
                  "need wgmma"),
        std::pair("schedule=wgmma cta=64x64x128 warps=4x1x1",
                  "promote_sums = false, but with scales of blocks it must be "
                  "true: the sums of each stage are scaled in registers"),
        std::pair("schedule=wgmma cta=64x64x64 warps=4x1x1 promote_sums=true",
                  "cta K = 64, but with scales of blocks it must be 128: a "
                  "stage is one block"),
        std::pair(
            "schedule=wgmma cta=64x64x128 warps=4x1x1 promote_sums=true "
            "swap_ab=true",
            "swap_ab = true, but with scales of blocks it must be false")}) {
    auto violations = find(true, true, text);
    ASSERT_EQ(violations.size(), 1U) << text;
    EXPECT_EQ(violations[0].rule, "block-scales");
    EXPECT_EQ(violations[0].message, message);
  }
}

/// If a gate and C do not fit together, only the gate is staged. A C alone and
/// two matrices that are always read are not left out.
TEST(LegalityWgmma, COnlyIfItFits) {
  KernelConfig config = makeLegalityConfig(
      "schedule=wgmma cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma "
      "persistent=true pingpong=true stage_inputs=true");
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  auto count = [&](int64_t stageable, bool hasBeta) {
    ProblemInfo problem;
    problem.stageableInputs = stageable;
    problem.hasBeta = hasBeta;
    bool isLegal = findViolations(config, chip, problem).empty();
    return std::pair(countStagedInputs(config, problem), isLegal);
  };
  EXPECT_EQ(count(1, false), std::pair(int64_t(1), true));
  EXPECT_EQ(count(1, true), std::pair(int64_t(1), true));
  EXPECT_EQ(count(2, true), std::pair(int64_t(1), true));
  EXPECT_EQ(count(2, false), std::pair(int64_t(2), false));
  EXPECT_EQ(count(3, true), std::pair(int64_t(2), false));
  // Two stages of 32 KiB less are room for C's two tiles.
  config.stages = 2;
  EXPECT_EQ(count(2, true), std::pair(int64_t(2), true));
  EXPECT_EQ(count(2, false), std::pair(int64_t(2), true));
  config.minCtas = 2;
  EXPECT_EQ(count(2, true).first, 1);
  config.minCtas = 0;
  config.stages = 5;
  config.wgmma.epilogueBuffers = 1;
  EXPECT_FALSE(count(1, true).second);
}

TEST(LegalityWgmma, Extremes) {
  for (const char *text :
       {"cta=1048576x1048576x128", "warps=1048576x1048576x1048576", "cta=0x0x0",
        "warps=0x0x0", "stages=1048576", "min_ctas=1048576",
        "cluster=1048576x1048576x1", "cluster=0x0x0",
        "epilogue_buffers=1048576", "instruction=0x0x0",
        "producer=cp_async copy_a=0 copy_b=0"})
    for (bool contiguous : {false, true}) {
      ProblemInfo problem;
      problem.aKContiguous = problem.bKContiguous = contiguous;
      std::string all = "schedule=wgmma cta=64x64x64 warps=4x1x1 ";
      EXPECT_FALSE(findViolations(makeLegalityConfig((all + text).c_str()),
                                  cantFail(lookupChip("sm_90a")), problem)
                       .empty())
          << text;
    }
}

} // namespace

ArrayRef<LegalityCase> tcgemm::getWgmmaLegalityCases() { return cases; }
