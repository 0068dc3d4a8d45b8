//===- LegalitySimtTest.cpp - The rules of schedule simt ------------------===//
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

#define SIMT "schedule=simt "

const LegalityCase cases[] = {
    // The note's four rules.
    {"threads", SIMT "threads=32x32x1", SIMT "threads=32x64x1 cta=128x128x32",
     "threads = [32, 64, 1], but those along M and N must be at least 1, the "
     "groups along K 1, 2, 4 or 8, and their product at most 1024, the limit "
     "of "
     "sm_90"},
    {"threads-k", SIMT "cta=96x96x12 threads=12x8x1",
     SIMT "cta=96x96x64 threads=12x8x1",
     "threads = [12, 8, 1] make 96, but they must be a multiple of cta K = "
     "64, unless row_copies_a or row_copies_b is not 1"},
    {"cta-m", SIMT "cta=96x128x32", SIMT "cta=100x128x32",
     "cta M = 100, but it must be a multiple of the 16 threads along it"},
    {"cta-n", SIMT "cta=128x96x32", SIMT "cta=128x100x32",
     "cta N = 100, but it must be a multiple of the 16 threads along it"},

    {"threads", SIMT "threads=16x16x1", SIMT "threads=0x16x1",
     "threads = [0, 16, 1], but"},
    {"threads", SIMT "threads=16x16x2", SIMT "threads=16x16x3",
     "threads = [16, 16, 3], but"},
    // Groups of threads that split each k-tile.
    {"warps", SIMT "cta=32x32x32 threads=4x4x4",
     SIMT "cta=32x48x32 threads=4x6x4",
     "threads = [4, 6, 4] are groups of 24, but a group must have whole warps "
     "of 32 or divide one"},
    {"cta-k", SIMT "cta=32x32x8 threads=8x8x8",
     SIMT "cta=32x32x4 threads=8x8x8",
     "cta K = 4, but 8 groups of threads with steps of 1 need a multiple of "
     "8"},
    {"k-split-buffer", SIMT "cta=64x32x16 threads=8x8x8",
     SIMT "cta=64x64x16 threads=8x8x8",
     "threads K = 8 sum through 114688 bytes of shared memory; the limit of "
     "sm_86 is 101376",
     "sm_86"},
    {"fragment-buffers", SIMT "cta=32x32x16 threads=8x8x8 fragment_buffers=3",
     SIMT "cta=32x32x8 threads=8x8x8 fragment_buffers=3",
     "one less must not exceed the 1 k-steps of a thread"},
    // Operands in global memory, and copies of a row by fewer threads.
    {"staging", SIMT "stage_a=false", SIMT "stage_a=false stage_b=false",
     "stage_a = false and stage_b = false, but schedule simt copies at least "
     "one operand through shared memory"},
    {"row-copies", SIMT "row_copies_b=32", SIMT "row_copies_b=65",
     "row_copies_b = 65, but it must be from 0 to 64"},
    {"row-copies", SIMT "cta=36x48x64 threads=12x16x1 row_copies_a=3",
     SIMT "cta=36x48x64 threads=12x16x1 row_copies_a=2",
     "a row of A's tile (36 elements) is 9 copies of 16 bytes, which must be a "
     "multiple of a thread's 2",
     "sm_90", /*aKContiguous=*/false, /*bKContiguous=*/false},
    {"copy-threads", SIMT "cta=36x48x64 threads=12x16x1 row_copies_a=0",
     SIMT "cta=36x48x64 threads=12x16x1",
     "a row of A's tile (36 elements) is 9 copies of 16 bytes, but they must "
     "divide the CTA's 192 threads",
     "sm_90", /*aKContiguous=*/false, /*bKContiguous=*/false},
    {"copy-threads", SIMT "cta=60x48x64 threads=12x16x1 row_copies_a=5",
     SIMT "cta=80x48x64 threads=16x12x1 row_copies_a=4",
     "is 20 copies of 16 bytes by 5 threads, but they must divide the CTA's "
     "192 threads",
     "sm_90", /*aKContiguous=*/false, /*bKContiguous=*/false},
    {"threads-k", SIMT "cta=128x128x24 row_copies_a=3 row_copies_b=3",
     SIMT "cta=128x128x24", "a multiple of cta K = 24"},
    {"warps", SIMT "cta=96x96x6 threads=12x8x1",
     SIMT "cta=96x96x6 threads=12x12x1",
     "threads = [12, 12, 1] make 144, but they must be whole warps of 32"},
    {"cta-m", SIMT "cta=64x64x32", SIMT "cta=0x64x32", "cta M = 0, but"},
    {"cta-k", SIMT "cta=64x64x64", SIMT "cta=64x64x128",
     "cta K = 128, but it must be from 1 to 64"},
    {"cta-k", SIMT "cta=64x64x1 fragment_buffers=1", SIMT "cta=64x64x0",
     "cta K = 0, but"},
    {"cta-k", SIMT "cta=96x96x2 threads=12x8x1",
     SIMT "cta=96x96x2 threads=12x8x1 transpose_staging=false",
     "cta K = 2, but with transpose_staging = false it must be a multiple of "
     "4"},
    {"fragment-buffers", SIMT "cta=64x64x4 fragment_buffers=3",
     SIMT "cta=64x64x4 fragment_buffers=3 transpose_staging=false",
     "fragment_buffers = 3, but one less must not exceed the 1 k-steps of a "
     "thread"},
    {"fragment-buffers", SIMT "fragment_buffers=3", SIMT "fragment_buffers=0",
     "fragment_buffers = 0, but it must be from 1 to 3"},
    {"stages", SIMT "cta=64x64x8 stages=12", SIMT "cta=64x64x8 stages=13",
     "stages = 13, but it must be from 1 to 12"},
    {"stages", SIMT "stages=1", SIMT "stages=0",
     "stages = 0, but it must be from 1 to 12"},
    {"max-registers", SIMT "max_registers=128", SIMT "max_registers=100",
     "max_registers = 100, but"},
    {"copy-width", SIMT "copy_a=4", SIMT "copy_a=2",
     "copy_a = 2, but with schedule simt it must be 16, 8 or 4 bytes"},
    {"copy-width", SIMT "unaligned=copy_4", SIMT "unaligned=registers",
     "unaligned = registers, but schedule simt has pack, copy_8 and copy_4"},
    {"tile-row", SIMT "cta=20x64x32 threads=4x16x1",
     SIMT "cta=18x64x32 threads=2x16x1",
     "the rows of A's tile have 72 bytes, but schedule simt needs a multiple "
     "of 16"},
    {"copy-threads", SIMT "cta=96x96x4 copy_b=8", SIMT "cta=96x96x32 copy_b=8",
     "a row of B's tile (96 elements) is 48 copies of 8 bytes, but they must "
     "divide the CTA's 256 threads",
     "sm_90", true, /*bKContiguous=*/false},
    {"copy-threads", SIMT "cta=64x96x8 unaligned=pack",
     SIMT "cta=64x96x8 unaligned=copy_8", "copies of 8 bytes", "sm_90", true,
     /*bKContiguous=*/false},
    {"registers", SIMT "cta=192x192x8", SIMT "cta=256x256x8",
     "thread tile 16x16 with fragment_buffers = 2 needs about 346 registers a "
     "thread; the limit of sm_90 for 256 threads is 255"},
    {"registers", SIMT "cta=128x128x8 min_ctas=1",
     SIMT "cta=128x128x8 min_ctas=3", "and min_ctas = 3 is 80"},
    {"shared-memory", SIMT "stages=2", SIMT "stages=4",
     "4 stages of 33792 bytes use 135168 bytes of shared memory; the limit of "
     "sm_86 is 101376",
     "sm_86"},
    // If rows do not run along k there is no padding: 32768 bytes.
    {"shared-memory", SIMT "stages=3", SIMT "stages=4", "4 stages of 32768",
     "sm_86", /*aKContiguous=*/false, /*bKContiguous=*/false},
    {"resident-shared", SIMT "cta=64x64x32 stages=4 threads=8x8x1 min_ctas=3",
     SIMT "cta=64x64x32 stages=4 threads=8x8x1 min_ctas=4",
     "min_ctas = 4 blocks of 70656 bytes use 282624 bytes of shared memory"},
    {"schedule", SIMT "swap_ab=false", SIMT "swap_ab=true",
     "swap_ab = true, but schedule simt takes false only"},
    {"schedule", SIMT "warps=2x2x1", SIMT "warps=4x1x1",
     "warps = [4, 1, 1], but schedule simt takes [2, 2, 1] only"},
    {"epilogue", SIMT "epilogue=direct", SIMT "epilogue=staged",
     "epilogue = staged, but schedule simt has direct only"},
};

ProblemInfo makeProblem() {
  ProblemInfo problem;
  problem.typeA = problem.typeB = ScalarType::F32;
  return problem;
}

TEST(LegalitySimt, EachRuleHasAViolatingTwin) {
  checkLegalityTwins(cases, makeProblem());
}

TEST(LegalitySimt, ChipAndElementType) {
  ChipInfo old = cantFail(lookupChip("sm_80"));
  old.name = "sm_75";
  old.features.cpAsync = false;
  KernelConfig config = makeLegalityConfig("schedule=simt");
  auto violations = findViolations(config, old, makeProblem());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "chip");
  EXPECT_EQ(violations[0].message,
            "chip sm_75 has no cp.async, which schedule simt needs");
  violations =
      findViolations(config, cantFail(lookupChip("sm_80")), ProblemInfo());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "element-type");
  EXPECT_EQ(
      violations[0].message,
      "elements of A and B are bf16 and bf16, but schedule simt takes f32, "
      "f64, i32 or 8-bit integers");
}

// Reductions that round have one order: that of k.
TEST(LegalitySimt, OrderedReductions) {
  ProblemInfo problem = makeProblem();
  ChipInfo chip = cantFail(lookupChip("sm_90a"));
  KernelConfig config = makeLegalityConfig("schedule=simt split_k=2");
  problem.algebra = cantFail(Algebra::parse("plus-max"));
  auto violations = findViolations(config, chip, problem);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "algebra");
  EXPECT_EQ(violations[0].message,
            "split_k = 2 and threads = [16, 16, 1], but the reductions of "
            "plus-max of f32 round, and must be in the order of k: split_k and "
            "the groups of threads must be 1");
  config.splitK = 1;
  EXPECT_TRUE(findViolations(config, chip, problem).empty());
  // Groups of threads split each k-tile.
  KernelConfig groups = makeLegalityConfig("schedule=simt threads=16x8x2");
  violations = findViolations(groups, chip, problem);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "algebra");
  config.splitK = 2;
  problem.algebra = cantFail(Algebra::parse("max-times"));
  EXPECT_TRUE(findViolations(config, chip, problem).empty());
  problem.algebra = Algebra();
  EXPECT_TRUE(findViolations(config, chip, problem).empty());
}

// Other schedules than simt only multiply and add, and none of them proposes a
// default.
TEST(LegalitySimt, OtherAlgebras) {
  ProblemInfo problem = makeProblem();
  problem.algebra = cantFail(Algebra::parse("max-plus"));
  ChipInfo chip = cantFail(lookupChip("sm_90a"));
  EXPECT_TRUE(findViolations(makeLegalityConfig("schedule=simt"), chip, problem)
                  .empty());
  auto violations =
      findViolations(makeLegalityConfig("schedule=gemv"), chip, problem);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations.back().rule, "algebra");
  EXPECT_EQ(violations.back().message,
            "the product has another algebra, which schedule gemv "
            "does not compute: use schedule simt");
  DefaultConfigProvider provider;
  for (int64_t m : {1, 4096}) {
    problem.m = m;
    std::optional<KernelConfig> config =
        provider.lookup(ConfigRequest{chip, problem, "kernel", ""});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->schedule, Schedule::Simt);
  }
}

/// dp4a takes words of 4 neighbours along k, so that tiles are not transposed.
TEST(LegalitySimt, Bytes) {
  auto find = [&](const std::string &text, ScalarType b = ScalarType::U8) {
    ProblemInfo problem;
    problem.typeA = ScalarType::I8;
    problem.typeB = b;
    problem.accumulator = ScalarType::I32;
    // Packed before, so that its tile runs along k.
    problem.bKContiguous = false;
    return findViolations(makeLegalityConfig((SIMT + text).c_str()),
                          cantFail(lookupChip("sm_90")), problem);
  };
  EXPECT_TRUE(find("cta=64x64x16 transpose_staging=false").empty());
  EXPECT_TRUE(find("cta=64x64x64 transpose_staging=false").empty());
  for (auto [text, message] :
       {std::pair("cta=64x64x32",
                  "transpose_staging = true, but registers hold 4 neighbours "
                  "along k: with elements of i8 and ui8 it must be false"),
        std::pair("cta=64x64x8 transpose_staging=false",
                  "cta K = 8, but with transpose_staging = false it must be a "
                  "multiple of 16"),
        std::pair("cta=256x256x16 transpose_staging=false",
                  "thread tile 16x16 with fragment_buffers = 2 needs about 538 "
                  "registers a thread; the limit of sm_90 for 256 threads is "
                  "255")}) {
    auto violations = find(text);
    ASSERT_EQ(violations.size(), 1u) << text;
    EXPECT_EQ(violations[0].message, message);
  }
  auto violations = find("transpose_staging=false", ScalarType::I4);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].rule, "element-type");
}

/// Other schedules must not set the parameters of this schedule.
TEST(LegalitySimt, ParametersOfItsOwn) {
  for (const char *text :
       {"threads=8x8x1", "transpose_staging=false", "row_copies_a=2",
        "row_copies_b=2", "stage_a=false",
        "schedule=wgmma warps=8x1x1 cta=128x128x64 threads=8x8x1"}) {
    SCOPED_TRACE(text);
    auto violations =
        findViolations(makeLegalityConfig(text), cantFail(lookupChip("sm_90a")),
                       ProblemInfo());
    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(violations[0].rule, "schedule");
  }
}

/// Extreme values are refused, not divided by or overflowed on.
TEST(LegalitySimt, Extremes) {
  for (const char *text :
       {"cta=1048576x1048576x64", "cta=0x0x0", "threads=0x0x0",
        "threads=1048576x1048576x1048576", "threads=1024x1024x1",
        "threads=1x1x8", "row_copies_a=1048576",
        "cta=0x0x0 row_copies_a=0 row_copies_b=0", "stages=1048576",
        "min_ctas=1048576", "copy_a=0 copy_b=0", "fragment_buffers=0"})
    for (bool contiguous : {false, true})
      for (const char *staging : {"true", "false"}) {
        ProblemInfo problem = makeProblem();
        problem.aKContiguous = problem.bKContiguous = contiguous;
        std::string all =
            std::string(SIMT) + text + " transpose_staging=" + staging;
        EXPECT_FALSE(findViolations(makeLegalityConfig(all.c_str()),
                                    cantFail(lookupChip("sm_90")), problem)
                         .empty())
            << all;
      }
}

TEST(LegalitySimt, Sizes) {
  KernelConfig config = makeLegalityConfig(SIMT "cta=96x80x8 threads=16x8x1");
  ProblemInfo problem = makeProblem();
  problem.bKContiguous = false;
  // A is transposed, element by element; B is not.
  EXPECT_EQ(getCopyBytes(config, problem, 0), 4);
  EXPECT_EQ(getCopyBytes(config, problem, 1), 16);
  EXPECT_EQ(getTileA(config, problem).rows, 8);
  EXPECT_EQ(getTileA(config, problem).columns, 96);
  EXPECT_EQ(getSimtDepth(config, problem), 1);
  EXPECT_EQ(getSimtVector(config, problem, 0), 2); // 6 rows.
  EXPECT_EQ(getSimtVector(config, problem, 1), 2); // 10 columns.
  EXPECT_EQ(planSharedMemory(config, problem).ring, 3 * (3200 + 2560));
  config.simt.transposeStaging = false;
  EXPECT_EQ(getCopyBytes(config, problem, 0), 16);
  EXPECT_EQ(getTileA(config, problem).rows, 96);
  EXPECT_EQ(getTileA(config, problem).columns, 8);
  EXPECT_EQ(getSimtDepth(config, problem), 4);
  EXPECT_EQ(getSimtVector(config, problem, 0), 1);
  EXPECT_EQ(getSimtVector(config, problem, 1), 2);
  EXPECT_EQ(planSharedMemory(config, problem).ring, 3 * (96 * 48 + 2560));
  // A vector has 16 elements of 8 bits, and B is packed along k.
  config.cta[2] = 32;
  problem.typeA = problem.typeB = ScalarType::I8;
  problem.accumulator = ScalarType::I32;
  EXPECT_EQ(getSimtDepth(config, problem), 16);
  EXPECT_EQ(getTileB(config, problem).rows, 80);
  EXPECT_EQ(getTileB(config, problem).columns, 32);
  EXPECT_EQ(getSimtVector(config, problem, 1), 1);
  // Rows of 32 bytes and 16 of padding, in tiles of whole 128 bytes.
  EXPECT_EQ(planSharedMemory(config, problem).ring, 3 * (96 * 48 + 3840));
}

/// Copies of a row are as few as let all threads copy: 36 elements are nine
/// copies of 16 bytes or 36 of four, of which three and 12 threads have a row.
TEST(LegalitySimt, CopiesOfRows) {
  KernelConfig config = makeLegalityConfig(
      SIMT "cta=36x48x64 threads=12x16x1 row_copies_a=0 row_copies_b=2");
  ProblemInfo problem = makeProblem();
  problem.aKContiguous = problem.bKContiguous = false;
  EXPECT_EQ(getSimtRowCopies(config, problem, 0), 3);
  EXPECT_EQ(getSimtRowCopies(config, problem, 1), 2);
  config.copyA = 4;
  EXPECT_EQ(getSimtRowCopies(config, problem, 0), 3);
  config.simt.rowCopiesB = 0;
  EXPECT_EQ(getSimtRowCopies(config, problem, 1), 1);
  // A copy of each thread suffices for fewer k.
  config.copyA = 16;
  config.cta[2] = 16;
  EXPECT_EQ(getSimtRowCopies(config, problem, 0), 1);
  // Rows along k, of 24 single elements.
  problem.aKContiguous = true;
  config.cta[2] = 24;
  config.simt.threads = {16, 16, 1};
  config.cta[0] = 128;
  EXPECT_EQ(getSimtRowCopies(config, problem, 0), 3);
}

/// The sums of all groups but one lie where the ring was.
TEST(LegalitySimt, SumsOfGroups) {
  KernelConfig config =
      makeLegalityConfig(SIMT "cta=64x32x8 threads=8x8x4 stages=1");
  ProblemInfo problem = makeProblem();
  SharedMemoryPlan plan = planSharedMemory(config, problem);
  EXPECT_EQ(config.getNumThreads(), 256);
  EXPECT_EQ(config.getGroupThreads(), 64);
  EXPECT_EQ(plan.ring, 8 * (64 + 4 + 32 + 4) * 4);
  EXPECT_EQ(plan.staging, 3 * 64 * 32 * 4);
  EXPECT_EQ(plan.getTotal(), plan.staging);
  problem.typeA = problem.typeB = problem.accumulator = ScalarType::F64;
  EXPECT_EQ(planSharedMemory(config, problem).staging, 3 * 64 * 32 * 8);
}

/// An operand in global memory takes no shared memory less, because it may be
/// copied after all, but a register pair for each run.
TEST(LegalitySimt, OperandsInGlobalMemory) {
  KernelConfig config = makeLegalityConfig(SIMT "cta=64x64x8");
  ProblemInfo problem = makeProblem();
  int64_t registers = estimateRegisters(config, problem);
  int64_t bytes = planSharedMemory(config, problem).getTotal();
  config.stageB = false;
  EXPECT_FALSE(config.isStaged(1));
  EXPECT_EQ(estimateRegisters(config, problem), registers + 2);
  EXPECT_EQ(planSharedMemory(config, problem).getTotal(), bytes);
}

} // namespace

ArrayRef<LegalityCase> getSimtLegalityCases() { return cases; }

} // namespace tcgemm
