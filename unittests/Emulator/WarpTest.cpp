//===- WarpTest.cpp - Warps, matrices and atomics, and their findings -----===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ReferenceTest.cpp compares the results of instructions with a GPU. This file
// tests behaviour that a GPU does not show.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"
#include "RunPtx.h"

#include "llvm/ADT/bit.h"

using namespace tcgemm::emu;

namespace {

using Words = std::vector<uint32_t>;

/// `body` gets the lane in %t and the output's address, a word a lane, in %x.
std::string makeWarpEntry(const std::string &body) {
  return makeEntry(1, ".reg .u32 %t, %a, %b, %d, %r<8>; .reg .u64 %x, %y;\n"
                      ".reg .pred %p, %q;\n"
                      "mov.u32 %t, %tid.x; ld.param.u64 %y, [p0];\n"
                      "mad.wide.u32 %x, %t, 4, %y;\n" +
                          body);
}

std::vector<Finding> runWarp(const std::string &body, Words &output) {
  return runPtx(makeWarpEntry(body), {}, output);
}

void expectFinding(const std::string &body, FindingKind kind,
                   const std::string &part) {
  Words output(32);
  std::vector<Finding> findings = runWarp(body, output);
  ASSERT_EQ(findings.size(), 1u) << body;
  EXPECT_EQ(findings[0].kind, kind) << toString(findings[0]);
  EXPECT_NE(findings[0].message.find(part), std::string::npos)
      << findings[0].message;
}

void expectNoFinding(const std::string &body) {
  Words output(32);
  for (const Finding &finding : runWarp(body, output))
    ADD_FAILURE() << toString(finding);
}

//===----------------------------------------------------------------------===//
// Participating lanes
//===----------------------------------------------------------------------===//

TEST(WarpTest, MembersMissing) {
  expectFinding("setp.ge.u32 %p, %t, 30;\n"
                "@%p bra L;\n"
                "shfl.sync.bfly.b32 %d, %t, 1, 31, -1;\n"
                "L:\n",
                FindingKind::BarrierDivergence,
                "0xffffffff names lane 30 and 31");
  expectFinding("vote.sync.ballot.b32 %d, 1, 0x7fff0fff;\n",
                FindingKind::BarrierDivergence,
                "0x7fff0fff does not name lane 12-15 and 31");
}

TEST(WarpTest, MembersThatHaveExited) {
  expectNoFinding("setp.ge.u32 %p, %t, 16;\n"
                  "@%p exit;\n"
                  "vote.sync.ballot.b32 %d, 1, -1;\n");
}

TEST(WarpTest, GroupsAtOneInstruction) {
  Words output(32);
  auto findings = runWarp("and.b32 %a, %t, 3;\n"
                          "match.any.sync.b32 %b, %a, -1;\n"
                          "redux.sync.add.u32 %d, %t, %b;\n"
                          "st.global.u32 [%x], %d;\n",
                          output);
  EXPECT_TRUE(findings.empty());
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(output[lane], 112 + 8 * (lane % 4));
}

TEST(WarpTest, PartOfAWarpMultiplies) {
  std::string body = "mov.u32 %a, 0;\n"
                     "setp.ge.u32 %p, %t, 24;\n"
                     "@%p bra L;\n"
                     "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
                     "{%r0, %r1}, {%a}, {%a}, {%a, %a};\n"
                     "L:\n";
  expectFinding(body, FindingKind::BarrierDivergence,
                "mma.sync by only 24 of the warp's 32 threads: lanes 24-31 "
                "are elsewhere");
}

//===----------------------------------------------------------------------===//
// Undefined values
//===----------------------------------------------------------------------===//

TEST(WarpTest, ShuffleFromALaneThatIsElsewhere) {
  std::string start = "setp.ge.u32 %p, %t, 16;\n"
                      "@%p bra L;\n"
                      "shfl.sync.down.b32 %d, %t, 8, 31, 0xffff;\n";
  // The result of lanes 8 to 15 is undefined but not used.
  expectNoFinding(start + "setp.lt.u32 %q, %t, 8;\n"
                          "@%q st.global.u32 [%x], %d;\n"
                          "L:\n");
  expectFinding(start + "add.u32 %d, %d, 1;\n"
                        "L:\n",
                FindingKind::UninitialisedRegister, "'%d'");
}

TEST(WarpTest, ShuffleOfUndefinedLanes) {
  // Only the lanes 0 to 15 have a value.
  std::string start = "setp.ge.u32 %p, %t, 16;\n"
                      "@%p bra L;\n"
                      "mov.u32 %a, 42;\n"
                      "L: bar.warp.sync -1;\n";
  Words output(32);
  auto findings = runWarp(start + "shfl.sync.idx.b32 %d, %a, 7, 31, -1;\n"
                                  "st.global.u32 [%x], %d;\n",
                          output);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(output, Words(32, 42));
  // Source and target are the same register; the other lanes' results are not
  // used.
  expectNoFinding(start + "shfl.sync.bfly.b32 %a, %a, 16, 31, -1;\n"
                          "@%p st.global.u32 [%x], %a;\n");
  expectFinding(
      start + "shfl.sync.bfly.b32 %a, %a, 16, 31, -1;\n"
              "@!%p st.global.u32 [%x], %a;\n"
              "@!%p add.u32 %d, %a, 1;\n",
      FindingKind::UninitialisedRegister,
      "'%a' is used, which line 13 got from a lane that has no value");
  // The lane operand differs between lanes.
  expectFinding(start + "shfl.sync.idx.b32 %d, %t, %a, 31, -1;\n",
                FindingKind::UninitialisedRegister, "'%a'");
  expectFinding(start + "shfl.sync.idx.b32 %d, %a, %a, 31, -1;\n",
                FindingKind::UninitialisedRegister, "'%a'");
}

/// Writes all of 1024 shared bytes but the word at `hole`.
std::string fillShared(unsigned hole) {
  return ".shared .align 16 .b8 s[1024];\n" +
         llvm::formatv("mov.u32 %a, s; mov.u32 %b, 0;\n"
                       "F: mad.lo.u32 %r0, %b, 32, %t; mad.lo.u32 %r1, %r0, 4, "
                       "%a;\n"
                       "setp.ne.u32 %p, %r0, {0};\n"
                       "@%p st.shared.u32 [%r1], %r0;\n"
                       "add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 8; @%p bra F;\n"
                       "bar.warp.sync -1;\n"
                       "mad.lo.u32 %a, %t, 16, %a;\n",
                       hole / 4)
             .str();
}

TEST(WarpTest, UndefinedWordOfAMatrix) {
  // Word 2 of row 11, the second matrix's row 3: lane 14 of %r3.
  std::string load = fillShared(11 * 16 + 8) +
                     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%r2, %r3, %r4, %r5}, [%a];\n";
  expectNoFinding(load + "add.u32 %d, %r2, %r4; add.u32 %d, %d, %r5;\n"
                         "setp.ne.u32 %p, %t, 14; @%p add.u32 %d, %d, %r3;\n");
  expectFinding(load + "setp.eq.u32 %p, %t, 14; @%p add.u32 %d, %r3, 1;\n",
                FindingKind::UninitialisedShared, "'%r3'");
  // Transposed, it is row 3 of columns 4 and 5: lanes 17 and 21.
  std::string transposed = fillShared(11 * 16 + 8) +
                           "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                           "{%r2, %r3, %r4, %r5}, [%a];\n";
  expectNoFinding(transposed +
                  "add.u32 %d, %r2, %r4; add.u32 %d, %d, %r5;\n"
                  "setp.ne.u32 %p, %t, 17; setp.ne.and.u32 %p, %t, 21, %p;\n"
                  "@%p add.u32 %d, %d, %r3;\n");
  expectFinding(transposed +
                    "setp.eq.u32 %p, %t, 21; @%p add.u32 %d, %r3, 1;\n",
                FindingKind::UninitialisedShared, "'%r3'");
}

TEST(WarpTest, MisalignedRow) {
  expectFinding(fillShared(4096) +
                    "add.u32 %a, %a, 8;\n"
                    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%a];\n",
                FindingKind::Misaligned, "16");
}

TEST(WarpTest, AtomicOnUndefinedMemory) {
  std::string start = ".shared .align 4 .b8 s[128];\n"
                      "mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a;\n";
  expectFinding(start + "red.shared.add.u32 [%a], 1;\n",
                FindingKind::UninitialisedShared, "was never written");
  expectNoFinding(start + "atom.shared.exch.b32 %d, [%a], 1;\n"
                          "red.shared.add.u32 [%a], 1;\n");
  expectFinding(start + "atom.shared.exch.b32 %d, [%a], 1;\n"
                        "add.u32 %d, %d, 1;\n",
                FindingKind::UninitialisedShared, "'%d'");
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

TEST(AtomicTest, BlocksOnSeveralThreads) {
  Words output(32, 0);
  output[4] = 0xffffffff;
  auto findings =
      runPtx(makeWarpEntry("red.global.add.u32 [%y], 1;\n"
                           "red.global.add.f32 [%y+4], 0f3F800000;\n"
                           "atom.global.inc.u32 %d, [%y+8], 99;\n"
                           "mov.u32 %a, 0x3c004000;\n"
                           "red.global.max.noftz.f16x2 [%y+12], %a;\n"
                           "red.global.and.b32 [%y+16], 0xffff;\n"
                           "red.relaxed.gpu.global.add.v2.f32 [%y+24], "
                           "{0f3F800000, 0f40000000};\n"),
             {}, output, 32, 400);
  for (const Finding &finding : findings)
    ADD_FAILURE() << toString(finding);
  EXPECT_EQ(output[0], 12800u);
  EXPECT_EQ(output[1], bitCast<uint32_t>(12800.0f));
  EXPECT_EQ(output[2], 0u);
  EXPECT_EQ(output[3], 0x3c004000u);
  EXPECT_EQ(output[4], 0xffffu);
  EXPECT_EQ(output[6], bitCast<uint32_t>(12800.0f));
  EXPECT_EQ(output[7], bitCast<uint32_t>(25600.0f));
}

TEST(AtomicTest, SixteenBytes) {
  Words output(32, 0);
  auto findings =
      runPtx(makeWarpEntry(
                 ".reg .b128 %w<3>; .reg .b64 %l<4>; .reg .u64 %z;\n"
                 "setp.ne.u32 %p, %t, 0; @%p exit;\n"
                 "mov.b64 %l0, 5; mov.b64 %l1, 6; mov.b128 %w0, {%l0, %l1};\n"
                 "atom.global.exch.b128 %w1, [%y], %w0;\n"
                 "atom.global.cas.b128 %w2, [%y], %w0, %w1;\n"
                 "mov.b128 {%l2, %l3}, %w2;\n"
                 "st.global.u64 [%y+16], %l2; st.global.u64 [%y+24], %l3;\n"),
             {}, output);
  for (const Finding &finding : findings)
    ADD_FAILURE() << toString(finding);
  EXPECT_EQ(output[0], 0u);
  EXPECT_EQ(output[4], 5u);
  EXPECT_EQ(output[6], 6u);
}

TEST(AtomicTest, FloatsAreFlushedInGlobalMemoryOnly) {
  Words output(32, 1); // The least subnormal number.
  runPtx(makeWarpEntry(".shared .align 4 .b8 s[4];\n"
                       "setp.ne.u32 %p, %t, 0; @%p exit;\n"
                       "mov.u32 %a, 1; st.shared.u32 [s], %a;\n"
                       "red.global.add.f32 [%y], 0f00000003;\n"
                       "red.shared.add.f32 [s], 0f00000003;\n"
                       "ld.shared.u32 %b, [s]; st.global.u32 [%y+4], %b;\n"),
         {}, output);
  EXPECT_EQ(output[0], 0u);
  EXPECT_EQ(output[1], 4u);
}

TEST(AtomicTest, RefusesOthers) {
  for (const char *text :
       {"red.global.exch.b32 [%y], %a;", "atom.global.add.b32 %d, [%y], %a;",
        "atom.shared.add.v2.f32 {%d, %d}, [%y], {%a, %a};",
        "atom.global.inc.s32 %d, [%y], %a;", "shfl.bfly.b32 %d, %a, 1, 31;",
        "vote.all.pred %p, %q;"}) {
    EXPECT_NE(getSupportError(makeWarpEntry(text)), "") << text;
  }
}

} // namespace
