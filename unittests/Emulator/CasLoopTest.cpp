//===- CasLoopTest.cpp - Compare-and-swap loops with a plain read ---------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop is the custom atomicAdd of CUDA's manual, whose first read is plain.
//
//===----------------------------------------------------------------------===//

#include "RunPtx.h"

using namespace tcgemm::emu;

namespace {

/// Adds 1 to the word at [%rd1]; `read` reads its value into %r1.
std::string makeLoop(const std::string &read, const std::string &space) {
  return read +
         "\nLOOP: mov.u32 %r2, %r1;\n"
         "add.u32 %r3, %r2, 1;\n"
         "atom." +
         space +
         ".cas.b32 %r1, [%rd1], %r2, %r3;\n"
         "setp.ne.u32 %p1, %r1, %r2;\n"
         "@%p1 bra LOOP;\n";
}

std::string makeCas(const std::string &body) {
  return makeEntry(1, ".reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
                      ".reg .pred %p<8>; .shared .b32 s;\n"
                      "ld.param.u64 %rd1, [p0]; mov.u32 %r8, %tid.x;\n"
                      "mov.u32 %r9, %ctaid.x;\n" +
                          body);
}

/// The kinds found, and that the counter has counted all threads.
std::vector<FindingKind> runLoop(const std::string &body, unsigned threads,
                                 unsigned blocks, uint32_t expected) {
  std::vector<uint32_t> output{0};
  std::vector<FindingKind> kinds;
  // With one host thread, so that the blocks run in order.
  for (const Finding &finding :
       runPtx(makeCas(body), {}, output, threads, blocks, 1))
    kinds.push_back(finding.kind);
  EXPECT_EQ(output[0], expected) << body;
  return kinds;
}

void expectWarnings(const std::vector<FindingKind> &kinds) {
  EXPECT_FALSE(kinds.empty());
  for (FindingKind kind : kinds) {
    EXPECT_EQ(kind, FindingKind::PlainReadBeforeAtomic) << getName(kind).str();
    EXPECT_TRUE(isWarning(kind));
  }
}

bool hasRace(const std::vector<FindingKind> &kinds, FindingKind race) {
  return llvm::is_contained(kinds, race);
}

TEST(CasLoopTest, PlainReadIsAWarning) {
  for (unsigned blocks : {1, 3})
    expectWarnings(runLoop(makeLoop("ld.global.u32 %r1, [%rd1];", "global"), 64,
                           blocks, 64 * blocks));
  // By another register, and an address that was converted.
  expectWarnings(runLoop("cvta.to.global.u64 %rd2, %rd1;\n" +
                             makeLoop("ld.global.u32 %r5, [%rd2];\n"
                                      "mov.u32 %r1, %r5;",
                                      "global"),
                         64, 2, 128));
}

TEST(CasLoopTest, RelaxedReadIsClean) {
  EXPECT_TRUE(
      runLoop(makeLoop("ld.relaxed.gpu.global.u32 %r1, [%rd1];", "global"), 64,
              3, 192)
          .empty());
}

TEST(CasLoopTest, SharedMemory) {
  std::string body = "mov.u64 %rd3, %rd1; mov.u64 %rd1, s;\n"
                     "setp.eq.u32 %p2, %r8, 0; @%p2 st.shared.u32 [%rd1], 0;\n"
                     "bar.sync 0;\n" +
                     makeLoop("ld.shared.u32 %r1, [%rd1];", "shared") +
                     "bar.sync 0; ld.shared.u32 %r4, [%rd1];\n"
                     "@%p2 st.global.u32 [%rd3], %r4;\n";
  expectWarnings(runLoop(body, 96, 1, 96));
}

TEST(CasLoopTest, OtherReadsAreRaces) {
  // The value that is read is not compared with.
  EXPECT_TRUE(hasRace(runLoop("ld.global.u32 %r6, [%rd1];\n" +
                                  makeLoop("mov.u32 %r1, 0;", "global"),
                              1, 2, 2),
                      FindingKind::GlobalRace));
  // Another block reads without a loop.
  EXPECT_TRUE(
      hasRace(runLoop("setp.eq.u32 %p3, %r9, 0;\n"
                      "@%p3 ld.global.u32 %r6, [%rd1];\n@%p3 ret;\n" +
                          makeLoop("ld.global.u32 %r1, [%rd1];", "global"),
                      1, 3, 2),
              FindingKind::GlobalRace));
  EXPECT_TRUE(
      hasRace(runLoop("setp.eq.u32 %p3, %r9, 1;\n"
                      "@%p3 ld.global.u32 %r6, [%rd1];\n@%p3 ret;\n" +
                          makeLoop("ld.global.u32 %r1, [%rd1];", "global"),
                      1, 3, 2),
              FindingKind::GlobalRace));
}

TEST(CasLoopTest, PlainStoreIsARace) {
  EXPECT_TRUE(
      hasRace(runLoop("setp.eq.u32 %p3, %r9, 0;\n"
                      "@%p3 st.global.u32 [%rd1], 0;\n@%p3 ret;\n" +
                          makeLoop("ld.global.u32 %r1, [%rd1];", "global"),
                      1, 2, 1),
              FindingKind::GlobalRace));
}

/// An ordinary read is still reported after later reads that begin loops.
TEST(CasLoopTest, OrdinaryReadOfTheSameThread) {
  std::vector<FindingKind> kinds =
      runLoop("ld.global.u32 %r6, [%rd1];\n" +
                  makeLoop("ld.global.u32 %r1, [%rd1];", "global"),
              1, 2, 2);
  EXPECT_TRUE(hasRace(kinds, FindingKind::GlobalRace));
  EXPECT_TRUE(hasRace(kinds, FindingKind::PlainReadBeforeAtomic));
}

} // namespace
