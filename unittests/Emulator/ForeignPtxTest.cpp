//===- ForeignPtxTest.cpp - Features that foreign kernels need ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPtx.h"
#include "TestSnippet.h"

using namespace tcgemm::emu;

namespace {

const char kHead[] = ".version 8.7\n.target sm_90a\n.address_size 64\n";

/// Runs a kernel without parameters.
LaunchResult launch(const std::string &ptx, const char *kernel,
                    unsigned threads = 1, unsigned blocks = 1) {
  Emulator emulator;
  auto module = emulator.load(kHead + ptx);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError()) << ptx;
    return {};
  }
  Launch config;
  config.block = {threads, 1, 1};
  config.grid = {blocks, 1, 1};
  auto result = emulator.launch(*(*module)->find(kernel), config, {});
  if (result)
    return std::move(*result);
  LaunchResult failed;
  failed.failure = "refused: " + llvm::toString(result.takeError());
  return failed;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

//===----------------------------------------------------------------------===//
// Supported kernels in modules with unsupported ones
//===----------------------------------------------------------------------===//

const char kMixed[] = R"(
.func unsupported()
{
  .reg .b32 %r<2>;
  frobnicate.u32 %r0, %r1;
  ret;
}
.func between() { call unsupported, (); ret; }
.visible .entry good() { ret; }
.visible .entry bad() { .reg .b32 %r<2>; twiddle.u32 %r0, %r1; ret; }
.visible .entry indirect() { call between, (); ret; }
.visible .entry pointer()
{
  .reg .b64 %rd<2>;
  mov.u64 %rd0, unsupported;
P: .callprototype _ ();
  call %rd0, (), P;
  ret;
}
)";

TEST(UnsupportedTest, OnlyKernelsThatReachIt) {
  LaunchResult good = launch(kMixed, "good");
  EXPECT_EQ(good.failure, "");
  EXPECT_TRUE(good.findings.empty());
  std::string bad = launch(kMixed, "bad").failure;
  EXPECT_TRUE(contains(bad, "refused: line 13: ")) << bad;
  EXPECT_TRUE(contains(bad, "instruction 'twiddle' is not supported")) << bad;
  std::string indirect = launch(kMixed, "indirect").failure;
  EXPECT_TRUE(contains(indirect, "refused: line 8: ")) << indirect;
  EXPECT_TRUE(contains(indirect, "'frobnicate' is not supported, in function "
                                 "'unsupported'"))
      << indirect;
}

// Bits are multiplied by and, and counted: the PTX ISA has no other wgmma of
// them, and none with satfinite.
TEST(UnsupportedTest, ProductsOfBitsByWgmma) {
  auto run = [](const std::string &types) {
    return launch(".visible .entry main() { .reg .b32 %r<4>; .reg .b64 %d;\n"
                  "mov.b64 %d, 0;\n"
                  "wgmma.mma_async.sync.aligned.m64n8" +
                      types +
                      " {%r0, %r1, %r2, %r3}, %d, %d, 0;\n"
                      "ret; }",
                  "main")
        .failure;
  };
  for (const char *types :
       {"k256.s32.b1.b1", "k256.satfinite.s32.b1.b1.and.popc",
        "k32.s32.s8.s8.and.popc", "k128.s32.b1.b1.and.popc"})
    EXPECT_TRUE(contains(run(types), "refused: line ")) << run(types);
  std::string accepted = run("k256.s32.b1.b1.and.popc");
  EXPECT_FALSE(contains(accepted, "refused")) << accepted;
}

TEST(UnsupportedTest, CallThroughAPointer) {
  std::string pointer = launch(kMixed, "pointer").failure;
  EXPECT_FALSE(contains(pointer, "refused")) << pointer;
  EXPECT_TRUE(contains(pointer, "'frobnicate' is not supported")) << pointer;
}

TEST(UnsupportedTest, ParametersOfOtherSizes) {
  // The callee's parameter is larger than the caller's argument.
  const char kCalls[] = R"(
.func callee(.param .align 4 .b8 p[4096]) { ret; }
.extern .func nobody(.param .b32 p);
.visible .entry direct()
{
  .param .b32 a;
  call callee, (a);
  ret;
}
.visible .entry pointer()
{
  .param .b32 a;
  .reg .b64 %rd<2>;
  mov.u64 %rd0, callee;
P: .callprototype _ (.param .b32 p);
  call %rd0, (a), P;
  ret;
}
.visible .entry bodyless()
{
  .param .b32 a;
  .reg .b64 %rd<2>;
  mov.u64 %rd0, nobody;
P: .callprototype _ (.param .b32 p);
  call %rd0, (a), P;
  ret;
}
)";
  EXPECT_TRUE(contains(launch(kCalls, "direct").failure,
                       "refused: line 10: 'call callee, (a);': the call does "
                       "not match 'callee'"));
  for (const char *kernel : {"pointer", "bodyless"})
    EXPECT_TRUE(contains(launch(kCalls, kernel).failure,
                         "is not the address of a function with a body and "
                         "this prototype"))
        << kernel;
}

//===----------------------------------------------------------------------===//
// printf and assert
//===----------------------------------------------------------------------===//

/// Strings as PTX has them.
std::string makeString(llvm::StringRef name, llvm::StringRef text) {
  std::string ptx = llvm::formatv(".global .align 1 .b8 {0}[{1}] = {{", name,
                                  text.size() + 1);
  for (char c : text)
    ptx += std::to_string(int(c)) + ", ";
  return ptx + "0};\n";
}

/// A kernel that prints by `format`, with `stores` into its buffer [%SP].
std::string makePrint(llvm::StringRef format, const std::string &stores) {
  return makeString("format", format) + makeString("word", "word") + R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry print()
{
  .local .align 8 .b8 depot[64];
  .reg .b64 %SP, %rd<4>;
  .reg .b32 %r<8>;
  mov.u64 %SP, depot;
  cvta.local.u64 %SP, %SP;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u64 %rd1, word;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, format;
  cvta.global.u64 %rd2, %rd2;
)" + stores +
         R"(
  {
  .param .b64 param0;
  .param .b64 param1;
  .param .b32 retval0;
  st.param.b64 [param0], %rd2;
  st.param.b64 [param1], %SP;
  call.uni (retval0), vprintf, (param0, param1);
  ld.param.b32 %r3, [retval0];
  }
  ret;
}
)";
}

TEST(SystemCallTest, Printf) {
  LaunchResult result =
      launch(makePrint("%d|%5u|%-4x|%08.3f|%s|%c|%lld|%%|%hhd|%p\n",
                       "st.u32 [%SP], -7; st.u32 [%SP+4], 42;\n"
                       "st.u32 [%SP+8], 255;\n"
                       "st.f64 [%SP+16], 0d400921FB54442D18;\n"
                       "st.u64 [%SP+24], %rd1; st.u32 [%SP+32], 65;\n"
                       "st.u64 [%SP+40], -5000000000;\n"
                       "st.u32 [%SP+48], 511; st.u64 [%SP+56], 4096;\n"),
             "print");
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.printed,
            "-7|   42|ff  |0003.142|word|A|-5000000000|%|-1|0x1000\n");
}

TEST(SystemCallTest, PrintfInOrder) {
  LaunchResult result =
      launch(makePrint("%*d.%d ", "st.u32 [%SP], 2; st.u32 [%SP+4], %r2;\n"
                                  "st.u32 [%SP+8], %r1;\n"),
             "print", 3, 3);
  EXPECT_EQ(result.printed, " 0.0  0.1  0.2  1.0  1.1  1.2  2.0  2.1  2.2 ");
}

TEST(SystemCallTest, PrintfOfNoConversions) {
  // An unknown conversion is text and has no argument.
  LaunchResult result =
      launch(makePrint("%y %99999d %n 100%", "st.u32 [%SP], 1;\n"), "print");
  EXPECT_EQ(result.printed, "%y %99999d %n 100%");
  EXPECT_TRUE(result.findings.empty());
}

TEST(SystemCallTest, PrintfOfBadMemory) {
  // The buffer has one argument less, and the string is nowhere.
  LaunchResult undefined =
      launch(makePrint("%d %d", "st.u32 [%SP], 1;\n"), "print");
  ASSERT_EQ(undefined.findings.size(), 1u);
  EXPECT_EQ(undefined.findings[0].kind, FindingKind::UninitialisedRegister);
  LaunchResult nowhere =
      launch(makePrint("%s", "st.u64 [%SP], 12345;\n"), "print");
  ASSERT_EQ(nowhere.findings.size(), 1u);
  EXPECT_EQ(nowhere.findings[0].kind, FindingKind::OutOfBounds);
}

TEST(SystemCallTest, PrintfOfTooMuch) {
  LaunchResult result =
      launch(makePrint("%4096d", "st.u32 [%SP], 1;\n"), "print", 32, 16);
  EXPECT_LT(result.printed.size(), (1u << 20) + 100);
  EXPECT_TRUE(contains(result.printed, "[1048576 more bytes are left out]"));
}

TEST(SystemCallTest, Assert) {
  std::string ptx = makeString("what", "x > 0") + makeString("file", "a.cu") +
                    makeString("where", "void f()") + R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,
                           .param .b64 d, .param .b64 e);
.visible .entry check()
{
  .reg .b64 %rd<8>;
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 5;
  @%p1 bra END;
  {
  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  mov.u64 %rd1, what; cvta.global.u64 %rd1, %rd1; st.param.b64 [a], %rd1;
  mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2; st.param.b64 [b], %rd2;
  st.param.b32 [c], 17;
  mov.u64 %rd3, where; cvta.global.u64 %rd3, %rd3; st.param.b64 [d], %rd3;
  st.param.b64 [e], 1;
  call.uni __assertfail, (a, b, c, d, e);
  }
END: ret;
}
)";
  EXPECT_EQ(launch(ptx, "check", 5).failure, "");
  LaunchResult failed = launch(ptx, "check", 8);
  ASSERT_EQ(failed.findings.size(), 1u);
  EXPECT_EQ(failed.findings[0].kind, FindingKind::AssertionFailed);
  EXPECT_EQ(failed.findings[0].thread[0], 5u);
  EXPECT_EQ(failed.findings[0].count, 3u);
  EXPECT_EQ(failed.findings[0].message,
            "a.cu:17: void f(): assertion 'x > 0' failed");
  EXPECT_TRUE(contains(failed.failure, "assertion 'x > 0' failed"));
}

TEST(SystemCallTest, OthersAreRefused) {
  std::string other = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                      ".visible .entry k() { .param .b64 r; .param .b64 n;\n"
                      "call (r), malloc, (n); ret; }\n";
  EXPECT_TRUE(
      contains(launch(other, "k").failure, "function 'malloc' has no body"));
  std::string mismatch = ".extern .func vprintf(.param .b32 n);\n"
                         ".visible .entry k() { .param .b32 n;\n"
                         "call vprintf, (n); ret; }\n";
  EXPECT_TRUE(contains(launch(mismatch, "k").failure,
                       "the call does not match 'vprintf'"));
}

//===----------------------------------------------------------------------===//
// alloca
//===----------------------------------------------------------------------===//

TEST(AllocaTest, LanesHaveTheirOwn) {
  // (lane + 1) words each, the last of which is read again.
  std::vector<uint32_t> output(32);
  auto findings = runPtx(
      makeEntry(1, ".reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
                   "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;\n"
                   "mad.wide.u32 %rd1, %r1, 4, %rd1;\n"
                   "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, 4;\n"
                   "stacksave.u64 %rd6;\n"
                   "alloca.u64 %rd3, %rd2, 16; add.u64 %rd4, %rd3, %rd2;\n"
                   "st.local.u32 [%rd4-4], %r1;\n"
                   "cvta.local.u64 %rd5, %rd4; ld.u32 %r2, [%rd5-4];\n"
                   "and.b64 %rd7, %rd3, 15; cvt.u32.u64 %r3, %rd7;\n"
                   "add.u32 %r2, %r2, %r3;\n"
                   "st.global.u32 [%rd1], %r2; stackrestore.u64 %rd6;\n"),
      {}, output);
  EXPECT_TRUE(findings.empty()) << toString(findings[0]);
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(output[lane], lane);
}

/// The message of the only finding or of the failure.
std::string runAlloca(const std::string &body) {
  LaunchResult result = launch(".visible .entry k() { .reg .b64 %rd<9>; "
                               ".reg .b32 %r<9>;\n" +
                                   body + " ret; }\n",
                               "k");
  if (result.findings.size() == 1)
    return result.findings[0].message;
  return result.failure;
}

TEST(AllocaTest, Mistakes) {
  EXPECT_TRUE(contains(runAlloca("alloca.u64 %rd1, 16;\n"
                                 "st.local.u32 [%rd1+16], 1;"),
                       "the thread has 16 bytes"));
  EXPECT_TRUE(contains(runAlloca("alloca.u64 %rd1, 65537;"),
                       "alloca of 65537 bytes where 0 are in use; a thread "
                       "has 65536 bytes"));
  EXPECT_TRUE(contains(runAlloca("alloca.u64 %rd1, -1;"), "alloca of"));
  EXPECT_TRUE(contains(runAlloca("alloca.u64 %rd1, 16, 3;"),
                       "an alignment of 3; it must be a power of two"));
  EXPECT_TRUE(contains(runAlloca("mov.u64 %rd1, 8; stackrestore.u64 %rd1;"),
                       "the stack pointer 0x8 was not saved"));
  // Memory that is allocated again is undefined again.
  EXPECT_TRUE(contains(runAlloca("stacksave.u64 %rd2;\n"
                                 "alloca.u64 %rd1, 16;\n"
                                 "st.local.u32 [%rd1], 1;\n"
                                 "stackrestore.u64 %rd2;\n"
                                 "alloca.u64 %rd1, 16;\n"
                                 "ld.local.u32 %r1, [%rd1];\n"
                                 "add.u32 %r1, %r1, 1;"),
                       "that was never written"));
}

TEST(AllocaTest, CalleesComeBehind) {
  LaunchResult result = launch(R"(
.func callee()
{
  .local .align 4 .b32 x;
  .reg .b32 %r<2>;
  st.local.u32 [x], 2;
  ret;
}
.visible .entry k()
{
  .reg .b64 %rd<9>;
  .reg .b32 %r<9>;
  .reg .pred %p;
  alloca.u64 %rd1, 64;
  st.local.u32 [%rd1], 1;
  call callee, ();
  ld.local.u32 %r1, [%rd1];
  setp.ne.u32 %p, %r1, 1;
  @%p trap;
  ret;
}
)",
                               "k");
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(result.findings.empty());
}

//===----------------------------------------------------------------------===//
// SIMD video instructions; others are in reference/video.cu
//===----------------------------------------------------------------------===//

TEST(VideoTest, Bytes) {
  Inputs in{0x80ff017f, 0x01020304, 0x11223344};
  EXPECT_EQ(runOne("vadd4.u32.u32.u32 %d, %a, %b, %c;", in), 0x81010483u);
  EXPECT_EQ(runOne("vadd4.u32.u32.u32.sat %d, %a, %b, %c;", in), 0x81ff0483u);
  EXPECT_EQ(runOne("vadd4.s32.s32.s32.sat %d, %a, %b, %c;", in), 0x8101047fu);
  EXPECT_EQ(runOne("vsub4.u32.u32.u32.sat %d, %a, %b, %c;", in), 0x7ffd007bu);
  EXPECT_EQ(runOne("vavrg4.u32.u32.u32 %d, %a, %b, %c;", in), 0x41810242u);
  EXPECT_EQ(runOne("vmin4.s32.s32.s32 %d, %a, %b, %c;", in), 0x80ff0104u);
  EXPECT_EQ(runOne("vmax4.u32.u32.u32 %d, %a, %b, %c;", in), 0x80ff037fu);
  EXPECT_EQ(runOne("vset4.u32.u32.lt %d, %a, %b, %c;", in), 0x00000100u);
  EXPECT_EQ(runOne("vset4.u32.u32.ne.add %d, %a, %b, %c;", in), 0x11223348u);
  EXPECT_EQ(runOne("vabsdiff4.s32.s32.s32.add %d, %a, %b, 1;", in),
            129u + 3 + 2 + 123 + 1);
}

TEST(VideoTest, Selectors) {
  Inputs in{0x80ff017f, 0x01020304, 0x11223344};
  // Parts of d outside the mask are those of c.
  EXPECT_EQ(runOne("vadd4.u32.u32.u32 %d.b20, %a, %b, %c;", in), 0x11013383u);
  EXPECT_EQ(runOne("vadd4.u32.u32.u32 %d, %a.b0000, %b.b7654, %c;", in),
            0x80818283u);
  EXPECT_EQ(runOne("vsub2.u32.u32.u32 %d.h1, %a.h01, %b.h32, %c;", in),
            0x007d3344u);
  EXPECT_NE(getSnippetError("vadd4.u32.u32.u32 %d.b02, %a, %b, %c;"), "");
  EXPECT_NE(getSnippetError("vadd4.u32.u32.u32 %d, %a.b32, %b, %c;"), "");
  EXPECT_NE(getSnippetError("vadd2.u32.u32.u32 %d, %a.h45, %b, %c;"), "");
  EXPECT_NE(getSnippetError("vadd2.u32.u32.u32 %d.b1, %a, %b, %c;"), "");
  EXPECT_NE(getSnippetError("add.u32 %d, %a.b3210, %b;"), "");
  EXPECT_NE(getSnippetError("vadd4.u32.u32.u32.sat.add %d, %a, %b, %c;"), "");
}

} // namespace
