//===- LegalityTest.cpp - Every rule and its violating twin -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"
#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tcgemm;

namespace {

const LegalityCase cases[] = {
    {"instruction", "instruction=16x8x16", "instruction=16x8x8",
     "instruction = [16, 8, 8], but schedule mma_sync has [16, 8, 16] only"},
    {"cta-m", "cta=96x96x32 warps=3x2x1", "cta=104x96x32 warps=3x2x1",
     "cta M = 104, but it must be a multiple of 16 x 3 warps = 48"},
    {"cta-n", "cta=128x96x32", "cta=128x104x32",
     "cta N = 104, but it must be a multiple of 16 x 2 warps = 32"},
    {"cta-m", "cta=32x128x32", "cta=0x128x32",
     "cta M = 0, but it must be a multiple of 16 x 2 warps = 32"},
    {"cta-k", "cta=128x128x64", "cta=128x128x48",
     "cta K = 48, but it must be a power of two from 16 to 128"},
    {"cta-k", "cta=128x128x16", "cta=128x128x8", "cta K = 8, but"},
    {"cta-k", "cta=64x64x128", "cta=64x64x256", "cta K = 256, but"},
    {"warps", "warps=2x2x1", "warps=2x0x1",
     "warps = [2, 0, 1], but each must be at least 1 and at most 32 together"},
    {"warps-k", "warps=2x2x2 stages=4", "warps=2x2x4 stages=4",
     "warps K = 4, but it must divide the 2 k-steps of cta K = 32"},
    {"threads", "cta=128x64x64 warps=8x4x1 stages=2",
     "cta=256x64x64 warps=16x4x1 stages=2",
     "warps = [16, 4, 1] make 64 warps, but sm_90 has at most 1024 threads = "
     "32 warps a block"},
    {"stages", "stages=2", "stages=1",
     "stages = 1, but it must be from 2 to 12"},
    {"stages", "cta=32x32x32 stages=12", "cta=32x32x32 stages=13",
     "stages = 13"},
    {"fragment-buffers", "fragment_buffers=1", "fragment_buffers=4",
     "fragment_buffers = 4, but it must be from 1 to 3"},
    {"fragment-buffers", "cta=64x64x32 fragment_buffers=3",
     "cta=64x64x16 fragment_buffers=3",
     "fragment_buffers = 3, but one less must not exceed the 1 k-steps"},
    {"raster-group", "raster_group=1", "raster_group=0",
     "raster_group = 0, but it must be from 1 to 65535"},
    {"split-k", "split_k=64", "split_k=0",
     "split_k = 0, but it must be from 1 to 65535"},
    {"split-k", "split_k=65535", "split_k=65536", "split_k = 65536"},
    {"max-registers", "max_registers=232", "max_registers=100",
     "max_registers = 100, but it must be 0 or a multiple of 8 from 24 to 255"},
    {"max-registers", "max_registers=24", "max_registers=16", "= 16, but"},
    {"max-registers", "warps=4x4x1 max_registers=128",
     "warps=4x4x1 max_registers=136",
     "max_registers = 136 for 512 threads make 69632 registers, but sm_90 has "
     "65536"},
    {"copy-width", "copy_a=8", "copy_a=32",
     "copy_a = 32, but it must be 16, 8, 4 or 2 bytes"},
    {"copy-width", "copy_b=4", "copy_b=0", "copy_b = 0, but"},
    {"tile-row", "cta=96x96x32 warps=3x2x1 shared=pad",
     "cta=96x96x32 warps=3x2x1 shared=xor",
     "the rows of A's tile have 192 bytes, but shared = xor needs a power of "
     "two from 32 to 1024",
     "sm_90", /*aKContiguous=*/false},
    {"tile-row", "cta=64x64x64 shared=sectors", "cta=64x64x32 shared=sectors",
     "the rows of A's tile have 64 bytes, but shared = sectors needs a power "
     "of two from 128 to 1024"},
    {"tile-row", "cta=64x64x32 shared=sectors", "cta=64x96x32 shared=sectors",
     "the rows of B's tile have 192 bytes, but shared = sectors needs a power "
     "of two from 32 to 1024",
     "sm_90", /*aKContiguous=*/false, /*bKContiguous=*/false},
    {"copy-threads", "cta=128x128x32 copy_b=2", "cta=128x256x32 copy_b=2",
     "a row of B's tile (256 elements) is 256 copies of 2 bytes, but they must "
     "divide the CTA's 128 threads or the tile (32 rows) must be one copy a "
     "thread",
     "sm_90", true, /*bKContiguous=*/false},
    {"copy-threads", "cta=128x128x32 unaligned=registers",
     "cta=128x256x32 unaligned=registers warps=2x2x1", "copies of 2 bytes",
     "sm_90", true, /*bKContiguous=*/false},
    {"copy-rows", "cta=96x64x64 warps=2x2x1", "cta=96x64x32 warps=2x4x1",
     "A's tile has 96 rows, but 256 threads with copies of 16 bytes cover 64 "
     "at a time, which must divide them"},
    {"registers", "cta=128x128x64 warps=2x2x1", "cta=256x128x32 warps=2x2x1",
     "warp tile 128x64 with fragment_buffers = 2 needs about 392 registers a "
     "thread; the limit of sm_90 for 128 threads is 255"},
    {"registers", "cta=128x128x32 warps=2x2x1 stages=2 min_ctas=2",
     "cta=128x128x32 warps=2x2x1 stages=2 min_ctas=3",
     "needs about 232 registers a thread; the limit of sm_90 for 128 threads "
     "and min_ctas = 3 is 168"},
    {"shared-memory", "cta=128x128x64 stages=3", "cta=128x128x64 stages=4",
     "4 stages of 32768 bytes use 131072 bytes of shared memory; the limit of "
     "sm_86 is 101376",
     "sm_86"},
    {"shared-memory", "cta=128x256x64 warps=2x4x1 stages=3 shared=pad",
     "cta=128x256x64 warps=2x4x1 stages=4 shared=pad",
     "4 stages of 55296 bytes use 221184 bytes of shared memory; the limit of "
     "sm_80 is 166912",
     "sm_80"},
    {"k-split-buffer", "cta=128x128x64 warps=2x2x2 stages=2",
     "cta=128x128x32 warps=2x2x2 stages=2",
     "warps K = 2 sum through 65536 bytes of shared memory, but the ring has "
     "32768"},
    {"staging", "cta=64x64x16 stages=3 epilogue=staged",
     "cta=64x64x16 stages=2 epilogue=staged",
     "epilogue = staged goes through 9216 bytes of shared memory, but the ring "
     "has 8192"},
    {"resident-shared", "cta=64x64x64 stages=4 min_ctas=3",
     "cta=64x64x64 stages=4 min_ctas=4",
     "min_ctas = 4 blocks of 66560 bytes use 266240 bytes of shared memory; "
     "the limit of sm_90 is 233472 a multiprocessor"},
    {"schedule", "producer=tma", "producer=cp_async",
     "producer = cp_async, but schedule mma_sync takes tma only"},
    {"schedule", "swap_ab=false", "swap_ab=true",
     "swap_ab = true, but schedule mma_sync takes false only"},
    {"epilogue", "epilogue=direct", "epilogue=tma",
     "epilogue = tma, but schedule mma_sync has direct and staged"},
    {"dependent-launch", "dependent_launch=false", "dependent_launch=true",
     "dependent_launch = true, but chip sm_89 has compute capability 89, and "
     "kernels can wait for those before them from 90 on",
     "sm_89"},
    {"dependent-launch", "dependent_steps=false", "dependent_steps=true",
     "dependent_steps = true, but chip sm_89 has compute capability 89, and "
     "kernels can wait for those before them from 90 on",
     "sm_89"},
    {"dependent-launch", "dependent_steps=true",
     "dependent_steps=true dependent_launch=true",
     "dependent_launch = true and dependent_steps = true, but the first "
     "includes the second: dependent_steps must be false",
     "sm_90"},
    {"early-inputs", "early_inputs=false", "early_inputs=true",
     "early_inputs = true, but the epilogue reads no matrix or vector"},
    {"persistent", "cta=64x64x32 warps=2x2x1 persistent=true",
     "cta=64x64x32 warps=2x2x1 persistent=true epilogue=staged",
     "persistent = true with epilogue = staged, but stages hold the next "
     "tile's operands then: it must be direct"},
    {"stream-epilogue", "cta=64x64x32 warps=2x2x1 stream_epilogue=true",
     "cta=64x64x32 warps=2x2x1 stream_epilogue=true epilogue=staged",
     "stream_epilogue = true with epilogue = staged, but it must be direct"},
    {"stream-epilogue", "cta=64x64x32 warps=2x2x1 stream_epilogue=true",
     "cta=64x64x32 warps=2x2x1 stream_epilogue=true split_k=2",
     "stream_epilogue = true with split_k = 2, but another kernel sums the "
     "slices then: it must be 1"},
    {"resident-threads", "cta=64x64x32 warps=4x4x1 stages=2 min_ctas=2",
     "cta=64x64x32 warps=4x4x1 stages=2 min_ctas=4",
     "min_ctas = 4 blocks of 512 threads are 2048; the limit of sm_86 is 1536 "
     "a multiprocessor",
     "sm_86"},
};

TEST(Legality, EachRuleHasAViolatingTwin) { checkLegalityTwins(cases); }

TEST(Legality, ChipAndElementType) {
  ChipInfo turing = cantFail(lookupChip("sm_80"));
  turing.name = "sm_75";
  turing.capability = 75;
  auto violations = findViolations(KernelConfig(), turing, ProblemInfo());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "chip");
  EXPECT_EQ(violations[0].message,
            "chip sm_75 has compute capability 75, but schedule mma_sync needs "
            "80 or more");
  ProblemInfo wide;
  wide.typeA = wide.typeB = ScalarType::F32;
  violations =
      findViolations(KernelConfig(), cantFail(lookupChip("sm_80")), wide);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "element-type");
}

// An operand of 8 bits has copies, tile rows and a capability of its own.
TEST(Legality, ConvertedOperandsHaveRulesOfTheirOwn) {
  ProblemInfo mixed;
  mixed.typeB = ScalarType::I8;
  auto find = [&](const char *text, const char *chip) {
    return findViolations(makeLegalityConfig(text), cantFail(lookupChip(chip)),
                          mixed);
  };
  for (const Violation &violation : find("", "sm_80"))
    ADD_FAILURE() << violation.message;
  auto violations = find("copy_b=2", "sm_80");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message, "copy_b = 2, but elements of i8 have 8 "
                                   "bits: it must be 16, 8 or 4");
  // 16 elements of B have 16 bytes.
  violations = find("cta=64x64x16", "sm_80");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message,
            "the rows of B's tile have 16 bytes, but shared = xor needs a "
            "power of two from 32 to 1024");
  mixed.typeB = ScalarType::E5M2;
  violations = find("", "sm_80");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message,
            "operands of f8E5M2 are converted from compute "
            "capability 89 on, but chip sm_80 has 80");
  EXPECT_TRUE(find("", "sm_89").empty());
}

TEST(Legality, RoundedOperandsHaveRulesOfTheirOwn) {
  ProblemInfo problem;
  problem.typeA = problem.typeB = ScalarType::TF32;
  auto find = [&](const char *text) {
    return findViolations(makeLegalityConfig(text),
                          cantFail(lookupChip("sm_80")), problem);
  };
  EXPECT_TRUE(find("cta=64x64x32 warps=2x2x1").empty());
  EXPECT_TRUE(find("cta=64x64x32 warps=2x2x1 instruction=16x8x8").empty());
  EXPECT_TRUE(find("cta=64x64x8 warps=2x2x1 instruction=16x8x4").empty());
  for (auto [text, message] :
       {std::pair("cta=64x64x128 warps=2x2x1",
                  "cta K = 128, but it must be a power of two from 8 to 64"),
        std::pair("cta=64x64x32 warps=2x2x1 instruction=16x8x32",
                  "instruction = [16, 8, 32], but schedule mma_sync has [16, "
                  "8, 8], [16, 8, 4] only"),
        std::pair("cta=64x64x32 warps=2x2x1 copy_a=2",
                  "copy_a = 2, but elements have 4 bytes"),
        std::pair("cta=64x64x32 warps=2x2x1 unaligned=registers",
                  "unaligned = registers loads 2 bytes, but elements have 4"),
        std::pair("schedule=simt", "elements of A and B are tf32 and tf32, but "
                                   "schedule simt takes f32, f64, i32 or "
                                   "8-bit integers"),
        std::pair("schedule=gemv cta=4x8x512 warps=1x1x4",
                  "schedule gemv does not multiply elements of tf32 by tf32: "
                  "it takes f16, bf16, f32 or f64 of both, 8-bit integers, and "
                  "f16 or bf16 by 8 or 4 bits")}) {
    auto violations = find(text);
    ASSERT_FALSE(violations.empty()) << text;
    EXPECT_EQ(violations[0].message, message) << text;
  }
}

TEST(Legality, GroupScales) {
  ProblemInfo problem;
  problem.typeB = ScalarType::U4;
  problem.groups.depth = 128;
  auto find = [&](const char *text, const char *chip = "sm_90a") {
    return findViolations(makeLegalityConfig(text), cantFail(lookupChip(chip)),
                          problem);
  };
  constexpr const char *small = "cta=16x64x128 warps=1x4x1";
  EXPECT_TRUE(find(small).empty());
  problem.k = 1280;
  EXPECT_TRUE(find(small).empty());
  problem.k = 1300;
  auto violations = find(small);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].rule, "group-scales");
  EXPECT_EQ(violations[0].message,
            "K = 1300, but with scales of groups it must be a multiple of 128, "
            "or the schedule gemv");
  problem.k = 1280;
  problem.groups.depth = 32;
  EXPECT_TRUE(find("cta=16x64x128 warps=1x1x4").empty());
  violations = find("cta=16x64x128 warps=1x2x2");
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].message,
            "cta K = 128 for 2 warps along it, but with scales of groups of 32 "
            "elements a warp must have 32");
}

TEST(Legality, GroupScalesOfWgmma) {
  ProblemInfo problem;
  problem.typeB = ScalarType::U4;
  problem.groups.depth = 32;
  auto find = [&](const std::string &text) {
    return findViolations(
        makeLegalityConfig(("schedule=wgmma swap_ab=true " + text).c_str()),
        cantFail(lookupChip("sm_90a")), problem);
  };
  auto isLegal = [&](const std::string &text) {
    return find(text + " promote_sums=true").empty();
  };
  // Tiles that K does not divide end with zeros.
  problem.k = 1300;
  EXPECT_TRUE(isLegal("cta=64x64x64 warps=4x1x1"));
  EXPECT_TRUE(isLegal("cta=64x64x128 warps=4x1x1"));
  auto violations = find("cta=64x64x256 warps=4x1x1");
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(violations[0].rule, "group-scales");
  EXPECT_EQ(violations[0].message,
            "promote_sums = false, but with scales of groups it must be true: "
            "the sums of each group are scaled in registers");
  EXPECT_EQ(violations[1].message,
            "cta K = 256, but with scales of groups of 32 elements it must be "
            "at most 128: four groups");
  problem.groups.depth = 64;
  EXPECT_TRUE(isLegal("cta=64x64x256 warps=4x1x1"));
  // The sums of a group and the total, 2 x 64 registers, and two for each row
  // and kind of value.
  EXPECT_TRUE(isLegal("cta=128x128x128 warps=8x1x1"));
  problem.groups.zeroPoints = ScalarType::U8;
  EXPECT_TRUE(isLegal("cta=120x128x128 warps=8x1x1"));
  violations = find("cta=128x128x128 warps=8x1x1 promote_sums=true");
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].rule, "registers");
}

/// By default a warp of mma_sync has a whole group of a stage. gemv is for one
/// row, in tensor cores if they can scale the groups. wgmma multiplies more
/// rows where there is one.
TEST(Legality, DefaultsOfGroupScales) {
  ProblemInfo problem;
  problem.typeB = ScalarType::U4;
  problem.n = problem.k = 4096;
  for (const char *chip : {"sm_80", "sm_90a"})
    for (int64_t depth : {32, 64, 128})
      for (int64_t m : {1, 16, 1024}) {
        problem.m = m;
        problem.groups.depth = depth;
        std::optional<KernelConfig> config = DefaultConfigProvider().lookup(
            {cantFail(lookupChip(chip)), problem, "kernel", ""});
        ASSERT_TRUE(config.has_value());
        if (m > 1 && StringRef(chip) == "sm_90a") {
          EXPECT_EQ(config->schedule, Schedule::Wgmma);
          EXPECT_TRUE(config->wgmma.promoteSums);
          continue;
        }
        if (m == 1) {
          EXPECT_EQ(config->schedule, Schedule::Gemv);
          EXPECT_EQ(config->gemv.math,
                    depth == 128 ? DotMath::Mma : DotMath::Fma);
          continue;
        }
        EXPECT_EQ(config->schedule, Schedule::MmaSync);
        EXPECT_EQ(config->cta[2] / config->warps[2] % depth, 0) << depth;
      }
}

TEST(Legality, GroupsOfRows) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  ProblemInfo problem;
  problem.isGrouped = true;
  problem.m = 4096;
  problem.n = 14336;
  problem.k = 4096;
  problem.batch = 256;
  DefaultConfigProvider provider;
  std::optional<KernelConfig> config = provider.lookup({chip, problem, "", ""});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->schedule, Schedule::Wgmma);
  EXPECT_TRUE(config->persistent);
  EXPECT_NE(config->epilogue, EpilogueKind::Tma);
  // A group has 16 rows.
  EXPECT_LE(config->cta[0], 64);
  EXPECT_TRUE(findViolations(*config, chip, problem).empty());
  auto expectViolation = [&](KernelConfig broken) {
    SmallVector<Violation> violations = findViolations(broken, chip, problem);
    EXPECT_TRUE(llvm::any_of(violations, [](const Violation &violation) {
      return violation.rule == "groups-of-rows";
    }));
  };
  KernelConfig broken = *config;
  broken.persistent = false;
  expectViolation(broken);
  broken = *config;
  broken.splitK = 2;
  expectViolation(broken);
  broken = *config;
  broken.epilogue = EpilogueKind::Tma;
  expectViolation(broken);
  expectViolation(makeLegalityConfig(""));
  problem.batch = 1;
  problem.isGrouped = false;
  EXPECT_TRUE(findViolations(*config, chip, problem).empty());
}

TEST(Legality, GroupsAlongK) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  ProblemInfo problem;
  problem.isGrouped = true;
  problem.groupKind = GroupKind::RaggedK;
  problem.aKContiguous = problem.bKContiguous = false;
  problem.m = problem.n = 4096;
  problem.k = 16384;
  problem.batch = 64;
  DefaultConfigProvider provider;
  std::optional<KernelConfig> config = provider.lookup({chip, problem, "", ""});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->schedule, Schedule::Wgmma);
  // All rows of a tile are of one result.
  EXPECT_EQ(config->epilogue, EpilogueKind::Tma);
  EXPECT_FALSE(config->wgmma.pingpong);
  EXPECT_TRUE(findViolations(*config, chip, problem).empty());
  auto expectViolation = [&](auto change) {
    KernelConfig broken = *config;
    change(broken);
    SmallVector<Violation> violations = findViolations(broken, chip, problem);
    EXPECT_TRUE(llvm::any_of(violations, [](const Violation &violation) {
      return violation.rule == "groups-along-k";
    }));
  };
  expectViolation([](KernelConfig &c) { c.splitK = 2; });
  expectViolation([](KernelConfig &c) { c.wgmma.cluster[2] = 2; });
  expectViolation([](KernelConfig &c) { c.wgmma.pingpong = true; });
  expectViolation(
      [](KernelConfig &c) { c.wgmma.producer = ProducerKind::CpAsync; });
  expectViolation([](KernelConfig &c) { c = makeLegalityConfig(""); });
}

/// A group has all rows of a padded matrix, and a part of others.
TEST(Legality, PaddedGroups) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  ProblemInfo problem;
  problem.isGrouped = true;
  problem.groupKind = GroupKind::Padded;
  problem.m = 512;
  problem.n = problem.k = 4096;
  problem.batch = 64;
  DefaultConfigProvider provider;
  std::optional<KernelConfig> config = provider.lookup({chip, problem, "", ""});
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->persistent);
  EXPECT_NE(config->epilogue, EpilogueKind::Tma);
  EXPECT_TRUE(findViolations(*config, chip, problem).empty());
  config->persistent = false;
  EXPECT_FALSE(findViolations(*config, chip, problem).empty());
}

TEST(Legality, Dual) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  ProblemInfo problem;
  problem.m = 2048;
  problem.n = 11008;
  problem.k = 4096;
  problem.dual = DualKind::SiluMul;
  problem.countBothProducts();
  EXPECT_EQ(problem.n, 22016);
  EXPECT_EQ(problem.epilogueBytes, 1);
  DefaultConfigProvider provider;
  std::optional<KernelConfig> config = provider.lookup({chip, problem, "", ""});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->schedule, Schedule::Wgmma);
  EXPECT_TRUE(findViolations(*config, chip, problem).empty());
  auto countViolations = [&](const KernelConfig &changed) {
    return llvm::count_if(
        findViolations(changed, chip, problem),
        [](const Violation &violation) { return violation.rule == "dual"; });
  };
  auto change = [&](auto &&set) {
    KernelConfig changed = *config;
    set(changed);
    return countViolations(changed);
  };
  EXPECT_EQ(change([](KernelConfig &c) { c.swapAB = true; }), 1);
  EXPECT_EQ(change([](KernelConfig &c) { c.splitK = 2; }), 1);
  EXPECT_EQ(change([](KernelConfig &c) { c.wgmma.cluster = {1, 1, 2}; }), 1);
  EXPECT_EQ(
      change([](KernelConfig &c) { c.wgmma.producer = ProducerKind::CpAsync; }),
      1);
  EXPECT_EQ(change([](KernelConfig &c) { c.cta[1] = 40; }), 1);
  EXPECT_EQ(change([](KernelConfig &c) { c.cta[1] = 48; }), 0);
  EXPECT_EQ(countViolations(makeLegalityConfig("")), 1);
  problem.bKContiguous = false;
  EXPECT_EQ(change([](KernelConfig &c) { c.cta[1] = 192; }), 1);
  EXPECT_EQ(change([](KernelConfig &c) { c.cta[1] = 256; }), 0);
}

TEST(Legality, DualConfigs) {
  EXPECT_TRUE(hasDualConfig("sm_90a", ""));
  EXPECT_TRUE(hasDualConfig("sm_90a", "cta=64x128x64 warps=4x1x1"));
  EXPECT_FALSE(hasDualConfig("sm_90", ""));
  EXPECT_FALSE(hasDualConfig("sm_99", ""));
  EXPECT_FALSE(hasDualConfig("sm_90a", "schedule=mma_sync"));
  EXPECT_FALSE(hasDualConfig("sm_90a", "split_k=2"));
  EXPECT_FALSE(hasDualConfig("sm_90a", "no text"));
}

/// The number of broken rules on bands and symmetric results.
size_t countStructure(const KernelConfig &config, const ProblemInfo &problem) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  return llvm::count_if(
      findViolations(config, chip, problem),
      [](const Violation &violation) { return violation.rule == "structure"; });
}

ProblemInfo makeSquareProblem() {
  ProblemInfo problem;
  problem.m = problem.n = problem.k = 8192;
  return problem;
}

KernelConfig getDefaultConfig(const ProblemInfo &problem) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  std::optional<KernelConfig> config =
      DefaultConfigProvider().lookup({chip, problem, "", ""});
  return config.value_or(KernelConfig());
}

TEST(Legality, Bands) {
  ProblemInfo problem = makeSquareProblem();
  KernelConfig dense = getDefaultConfig(problem);
  problem.bands[1] = Band{0, std::nullopt};
  KernelConfig config = getDefaultConfig(problem);
  EXPECT_EQ(config.schedule, Schedule::Wgmma);
  EXPECT_EQ(config.raster, RasterOrder::AlongN);
  EXPECT_EQ(countStructure(config, problem), 0U);
  config.splitK = 2;
  EXPECT_EQ(countStructure(config, problem), 1U);
  config.splitK = 1;
  config.wgmma.cluster = {1, 1, 2};
  EXPECT_EQ(countStructure(config, problem), 1U);
  config.wgmma.cluster = {1, 1, 1};
  config.wgmma.pingpong = true;
  EXPECT_EQ(countStructure(config, problem), 1U);
  EXPECT_EQ(countStructure(makeLegalityConfig(""), problem), 1U);
  // The configuration of the dense product, as records have it.
  dense.wgmma.pingpong = true;
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  KernelConfig adapted =
      getFamily(dense.schedule).adapt(dense, /*isSplit=*/false, chip, problem);
  EXPECT_EQ(adapted.raster, RasterOrder::AlongN);
  EXPECT_EQ(countStructure(adapted, problem), 0U);
}

TEST(Legality, EarlyInputs) {
  ProblemInfo problem;
  problem.readsInputs = true;
  problem.epilogueBytes = 4;
  checkLegalityTwins(
      {{"early-inputs", "early_inputs=true cta=64x64x32 warps=2x2x1",
        "early_inputs=true cta=64x64x32 warps=2x2x1 split_k=2",
        "early_inputs = true with 2 slices of k and 1 parts of k in a CTA, but "
        "both must be 1"},
       {"early-inputs", "early_inputs=true cta=64x64x32 warps=2x2x1",
        "early_inputs=true cta=64x64x32 warps=2x2x2 stages=4",
        "early_inputs = true with 1 slices of k and 2 parts of k in a CTA"},
       {"registers", "cta=128x128x32 warps=2x2x1 stages=2 min_ctas=2",
        "cta=128x128x32 warps=2x2x1 stages=2 min_ctas=2 early_inputs=true",
        "needs about 304 registers a thread"}},
      problem);
  ASSERT_FALSE(problem.setOperandTypes("f32"));
  checkLegalityTwins(
      {{"early-inputs", "schedule=simt cta=64x64x8 stages=2 early_inputs=true",
        "schedule=simt cta=64x64x8 stages=1 early_inputs=true",
        "early_inputs = true with stages = 1, but it must be at "
        "least 2"}},
      problem);
}

TEST(Legality, PersistentThreads) {
  checkLegalityTwins(
      {{"persistent", "persistent=true cta=64x64x32 warps=2x2x1",
        "persistent=true cta=64x64x32 warps=2x2x1 split_k=2",
        "persistent = true with 2 slices of k and 1 parts of k in a CTA, but "
        "both must be 1"},
       {"persistent", "persistent=true cta=64x64x32 warps=2x2x1",
        "persistent=true cta=64x64x32 warps=2x2x2 stages=4",
        "persistent = true with 1 slices of k and 2 parts of k in a CTA"},
       {"persistent",
        "persistent=true tile_order=strided cta=64x64x32 warps=2x2x1",
        "tile_order=strided cta=64x64x32 warps=2x2x1",
        "tile_order = strided and persistent = false, but only persistent CTAs "
        "have several tiles"}},
      ProblemInfo());
  ProblemInfo problem;
  ASSERT_FALSE(problem.setOperandTypes("f32"));
  checkLegalityTwins(
      {{"persistent", "schedule=simt cta=64x64x8 stages=2 persistent=true",
        "schedule=simt cta=64x64x8 stages=1 persistent=true",
        "persistent = true with stages = 1, but it must be at least 2"}},
      problem);
}

/// A record's parameter is left out where a product is split.
TEST(Legality, PersistentThreadsOfRecords) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  KernelConfig config = makeLegalityConfig("persistent=true");
  auto adapt = [&](int64_t slices) {
    KernelConfig recorded = config;
    recorded.splitK = slices;
    return getFamily(config.schedule)
        .adapt(recorded, /*isSplit=*/slices > 1, chip, ProblemInfo())
        .persistent;
  };
  EXPECT_TRUE(adapt(1));
  EXPECT_FALSE(adapt(2));
}

/// A record's parameter is left out where a product reads nothing.
TEST(Legality, EarlyInputsOfRecords) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  KernelConfig config = makeLegalityConfig("early_inputs=true");
  auto adapt = [&](bool readsInputs, int64_t slices) {
    ProblemInfo problem;
    problem.readsInputs = readsInputs;
    KernelConfig recorded = config;
    recorded.splitK = slices;
    return getFamily(config.schedule)
        .adapt(recorded, /*isSplit=*/slices > 1, chip, problem)
        .earlyInputs;
  };
  EXPECT_TRUE(adapt(/*readsInputs=*/true, 1));
  EXPECT_FALSE(adapt(/*readsInputs=*/true, 2));
  EXPECT_FALSE(adapt(/*readsInputs=*/false, 1));
}

/// A prediction may give a record slices, which these parameters do not take.
TEST(Legality, PersistentAndStreamedRecordsWithSlices) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  KernelConfig config = makeLegalityConfig(
      "persistent=true tile_order=strided stream_epilogue=true");
  const ScheduleFamily &family = getFamily(config.schedule);
  auto adapt = [&](int64_t slices) {
    KernelConfig recorded = config;
    recorded.splitK = slices;
    return family.adapt(recorded, /*isSplit=*/slices > 1, chip, ProblemInfo());
  };
  EXPECT_TRUE(adapt(1) == config);
  KernelConfig split = adapt(2);
  EXPECT_FALSE(split.persistent);
  EXPECT_FALSE(split.streamEpilogue);
  EXPECT_EQ(split.tileOrder, TileOrder::Sequential);
}

TEST(Legality, RingsThatStoresNeed) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  KernelConfig config = makeLegalityConfig(
      "schedule=wgmma cta=128x128x64 warps=8x1x1 instruction=64x128x16 "
      "stages=6 epilogue=tma persistent=true pingpong=true");
  auto adapt = [&](int64_t batch, int64_t m, int64_t n, int64_t k) {
    ProblemInfo problem = makeSquareProblem();
    problem.batch = batch;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    return getFamily(config.schedule)
        .adapt(config, /*isSplit=*/false, chip, problem)
        .stages;
  };
  EXPECT_EQ(adapt(512, 2048, 2048, 128), 3); // 4.3 GB of D.
  EXPECT_EQ(adapt(512, 2048, 2048, 192), 4);
  EXPECT_EQ(adapt(512, 2048, 2048, 64), 3);
  EXPECT_EQ(adapt(512, 2048, 2048, 1024), 6); // More of A and B.
  EXPECT_EQ(adapt(16, 2048, 2048, 128), 6);   // D fits the L2 almost.
  EXPECT_EQ(adapt(512, 128, 2048, 128), 6);   // B is as large as D.
}

TEST(Legality, StagesOfSplitOperands) {
  struct Case {
    ScalarType type;
    int64_t depths[2];
    int64_t stageBytes[2]; // of 128 rows and 128 columns
  };
  using T = ScalarType;
  for (const Case &c : {Case{T::TF32X3, {48, 96}, {32768, 65536}},
                        Case{T::BF16X3, {96, 192}, {32768, 65536}},
                        Case{T::BF16X6, {192, 384}, {49152, 98304}}}) {
    ProblemInfo problem = makeSquareProblem();
    problem.typeA = problem.typeB = c.type;
    problem.output = T::F32;
    for (int64_t depth : {32, 48, 64, 96, 128, 192, 256, 384}) {
      KernelConfig config = makeLegalityConfig(
          "schedule=wgmma warps=8x1x1 instruction=64x128x16 stages=2 "
          "epilogue=direct promote_sums=true");
      config.cta = {128, 128, depth};
      const int64_t *found = llvm::find(c.depths, depth);
      bool isLegal = found != std::end(c.depths);
      EXPECT_EQ(findViolations(config, cantFail(lookupChip("sm_90a")), problem)
                    .empty(),
                isLegal)
          << getTypeName(c.type).str() << ' ' << depth;
      if (isLegal) {
        int64_t bytes = c.stageBytes[found - c.depths];
        EXPECT_EQ(
            getFamily(config.schedule).planSharedMemory(config, problem).ring,
            2 * (bytes + 16));
      }
    }
  }
}

TEST(Legality, SymmetricResults) {
  ProblemInfo problem = makeSquareProblem();
  problem.isSymmetric = true;
  KernelConfig config = getDefaultConfig(problem);
  EXPECT_EQ(config.schedule, Schedule::Wgmma);
  EXPECT_EQ(config.epilogue, EpilogueKind::Tma);
  EXPECT_EQ(countStructure(config, problem), 0U);
  auto change = [&](auto &&set) {
    KernelConfig changed = config;
    set(changed);
    return countStructure(changed, problem);
  };
  EXPECT_EQ(change([](KernelConfig &c) { c.splitK = 2; }), 1U);
  EXPECT_EQ(change([](KernelConfig &c) { c.swapAB = true; }), 1U);
  EXPECT_EQ(change([](KernelConfig &c) { c.cta = {128, 192, 64}; }), 1U);
  EXPECT_EQ(change([](KernelConfig &c) {
              c.cta = {128, 192, 64};
              c.wgmma.cluster = {3, 2, 1};
            }),
            0U);
  EXPECT_EQ(change([](KernelConfig &c) { c.epilogue = EpilogueKind::Staged; }),
            1U);
  EXPECT_EQ(change([](KernelConfig &c) { c.epilogue = EpilogueKind::Direct; }),
            0U);
  EXPECT_EQ(countStructure(makeLegalityConfig(""), problem), 1U);
  problem.leastOutputBytes = problem.mostOutputBytes = 4;
  EXPECT_EQ(countStructure(config, problem), 1U);
  EXPECT_EQ(getDefaultConfig(problem).epilogue, EpilogueKind::Direct);
}

TEST(Legality, StructuredConfigs) {
  EXPECT_TRUE(hasStructuredConfig("sm_90a", ""));
  EXPECT_FALSE(hasStructuredConfig("sm_90a", "split_k=2"));
  EXPECT_FALSE(hasStructuredConfig("sm_90", ""));
  EXPECT_FALSE(hasStructuredConfig("sm_99", ""));
  EXPECT_FALSE(hasStructuredConfig("sm_90a", "schedule=mma_sync"));
  EXPECT_FALSE(hasStructuredConfig("sm_90a", "no text"));
}

/// A product whose features exclude each other has no kernel.
TEST(Legality, Features) {
  ProblemInfo problem;
  problem.dual = DualKind::Other;
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  auto count = [&] {
    return count_if(
        findViolations(makeLegalityConfig(""), chip, problem),
        [](const Violation &found) { return found.rule == "features"; });
  };
  EXPECT_EQ(count(), 0);
  problem.summedValues = 4;
  EXPECT_EQ(count(), 1);
  EXPECT_FALSE(DefaultConfigProvider()
                   .lookup({chip, problem, /*kernel=*/"", /*overrides=*/""})
                   .has_value());
}

TEST(Legality, EveryRuleIsTested) {
  // Some rules are tested with the narrow types.
  StringSet<> tested{"chip",           "element-type",   "promote-sums",
                     "block-scales",   "swap-ab",        "element-functions",
                     "group-scales",   "algebra",        "math",
                     "groups-of-rows", "groups-along-k", "dual",
                     "coefficients",   "structure",      "features"};
  for (ArrayRef<LegalityCase> list :
       {ArrayRef(cases), getWgmmaLegalityCases(), getWmmaLegalityCases(),
        getSimtLegalityCases(), getGemvLegalityCases()})
    for (const LegalityCase &test : list)
      tested.insert(test.rule);
  for (StringRef rule : getRuleNames())
    EXPECT_TRUE(tested.contains(rule)) << rule.str();
}

TEST(Legality, ErrorNamesAllBrokenRules) {
  KernelConfig config = makeLegalityConfig("stages=1 split_k=0");
  Error error =
      checkConfig(config, cantFail(lookupChip("sm_90")), ProblemInfo());
  EXPECT_EQ(toString(std::move(error)),
            "stages = 1, but it must be from 2 to 12 [stages]; split_k = 0, "
            "but it must be from 1 to 65535 [split-k]");
  EXPECT_FALSE(bool(checkConfig(KernelConfig(), cantFail(lookupChip("sm_86")),
                                ProblemInfo())));
}

/// Extreme values are refused, not divided by or overflowed on.
TEST(Legality, Extremes) {
  for (const char *text :
       {"cta=1048576x1048576x128", "warps=1048576x1048576x1048576", "cta=0x0x0",
        "warps=0x0x0", "stages=1048576", "min_ctas=1048576",
        "copy_a=0 copy_b=0", "instruction=0x0x0", "fragment_buffers=0"})
    for (bool contiguous : {false, true}) {
      ProblemInfo problem;
      problem.aKContiguous = problem.bKContiguous = contiguous;
      EXPECT_FALSE(findViolations(makeLegalityConfig(text),
                                  cantFail(lookupChip("sm_90")), problem)
                       .empty())
          << text;
    }
}

TEST(Legality, WhatFormulasDivideByIsComputableOnly) {
  for (const char *legal :
       {"", "schedule=wgmma warps=8x1x1", "schedule=gemv cta=1x8x512",
        "min_ctas=2", "max_registers=128", "l2_promotion=0"}) {
    KernelConfig config;
    cantFail(config.apply(legal));
    EXPECT_TRUE(isComputable(config)) << legal;
  }
  for (const char *illegal :
       {"cta=0x128x32", "cta=128x0x32", "cta=128x128x0", "warps=0x1x1",
        "warps=1x1x0", "threads=0x1x1", "cluster=0x1x1", "stages=0",
        "split_k=0", "copy_a=0", "copy_b=0", "raster_group=0",
        "tiles_per_cta=0", "instruction=16x8x0", "schedule=wgmma warps=2x4x1",
        "cta=1048576x128x32", "warps=1048576x1048576x1048576"}) {
    KernelConfig config;
    cantFail(config.apply(illegal));
    EXPECT_FALSE(isComputable(config)) << illegal;
  }
}

} // namespace
