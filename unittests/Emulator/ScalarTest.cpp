//===- ScalarTest.cpp - Tests of scalar instructions ----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests instruction variants that do not occur in nvcc's output, and therefore
// not in ReferenceTest, inactive lanes, and rejected instructions.
//
//===----------------------------------------------------------------------===//

#include "TestSnippet.h"

using namespace tcgemm::emu;

namespace {

TEST(Scalar, KeepsLanesThatDoNotExecute) {
  // Also the registers that the instruction reads and writes.
  std::vector<Inputs> inputs;
  for (uint64_t i = 0; i != 40; ++i)
    inputs.push_back({i, 100, 7});
  auto values = runSnippet("setp.lt.u32 %p0, %a, 5;\n"
                           "mov.b32 %d, %a;\n"
                           "@%p0 add.u32 %d, %d, %b;\n"
                           "@!%p0 mov.b64 %D1, %C;\n"
                           "@%p0 mov.b64 %D1, 0;\n"
                           "shl.b64 %D, %D1, 32;",
                           inputs);
  ASSERT_EQ(values.size(), 40u);
  for (uint64_t i = 0; i != 40; ++i)
    EXPECT_EQ(values[i], i < 5 ? i + 100 : (uint64_t{7} << 32 | i));
}

TEST(Scalar, WarpsHaveOneClock) {
  // The first warp reads it after many instructions and before a barrier, the
  // second one after few and behind the barrier.
  std::string work;
  for (int i = 0; i != 50; ++i)
    work += "add.u32 %a, %a, 1;\n";
  for (const char *clock : {"%clock64", "%globaltimer"}) {
    std::string read = "mov.u64 %D, ";
    read.append(clock).append(";\n");
    std::string text = "setp.lt.u32 %p0, %t, 32;\n"
                       "@!%p0 bra LATE;\n";
    text.append(work).append(read);
    text += "bar.sync 0;\n"
            "bra.uni DONE;\n"
            "LATE:\n"
            "bar.sync 0;\n";
    text.append(read).append("DONE:\n");
    auto values = runSnippet(text, std::vector<Inputs>(64));
    ASSERT_EQ(values.size(), 64u);
    EXPECT_GE(values[0], 50u);
    EXPECT_GT(values[32], values[0]);
  }
}

TEST(Scalar, DividesByZero) {
  EXPECT_EQ(runOne("div.u32 %d, %a, %b;", {5, 0}), 0xFFFFFFFFu);
  EXPECT_EQ(runOne("rem.s32 %d, %a, %b;", {5, 0}), 0xFFFFFFFFu);
  EXPECT_EQ(runOne("div.s32 %d, %a, %b;", {0x80000000, 0xFFFFFFFF}),
            0x80000000u);
  EXPECT_EQ(runOne("rem.s64 %D, %A, %B;", {uint64_t(1) << 63, ~uint64_t{0}}),
            0u);
  EXPECT_EQ(runOne("div.s64 %D, %A, %B;", {uint64_t(1) << 63, ~uint64_t{0}}),
            uint64_t(1) << 63);
}

TEST(Scalar, Carries) {
  Inputs inputs{0xFFFFFFFF, 1, 0};
  EXPECT_EQ(runOne("add.cc.u32 %d1, %a, %b; addc.u32 %d, 0, 0;", inputs), 1u);
  EXPECT_EQ(runOne("sub.cc.u32 %d1, %b, %a; subc.u32 %d, 5, 0;", inputs), 4u);
  EXPECT_EQ(runOne("add.cc.u32 %d1, %b, %b; addc.cc.u32 %d1, %a, 0;"
                   "addc.u32 %d, 0, 0;",
                   inputs),
            0u);
  EXPECT_EQ(runOne("mad.lo.cc.u32 %d1, %a, %a, %a; madc.hi.u32 %d, %a, %a, 0;",
                   inputs),
            0xFFFFFFFFu);
}

TEST(Scalar, HasPredicatesOfLop3) {
  EXPECT_EQ(runOne("setp.eq.u32 %p1, %c, 0;\n"
                   "lop3.and.b32 %d1|%p0, %a, %b, %c, 0xC0, %p1;\n"
                   "selp.b32 %d, %d1, 99, %p0;",
                   {6, 3, 0}),
            2u);
  EXPECT_EQ(runOne("setp.ne.u32 %p1, %c, 0;\n"
                   "lop3.or.b32 _|%p0, %a, %b, %c, 0xC0, %p1;\n"
                   "selp.b32 %d, 1, 0, %p0;",
                   {6, 1, 0}),
            0u);
}

TEST(Scalar, PacksIntegers) {
  Inputs inputs{300, 0xFFFFFF00, 0xABCD1234};
  EXPECT_EQ(runOne("cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;", inputs),
            0x12347F80u);
  EXPECT_EQ(runOne("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", inputs),
            0x1234FF00u);
  EXPECT_EQ(runOne("cvt.pack.sat.u4.s32.b32 %d, %a, %b, %c;", inputs),
            0xCD1234F0u);
  EXPECT_EQ(runOne("cvt.pack.sat.s16.s32 %d, %a, %b;", {40000, 0xFFFF0000}),
            0x7FFF8000u);
}

TEST(Scalar, WidensHalvesOfMixedArithmetic) {
  // 1.5 and -2 of both formats, and the least subnormal half; 0.25, 1 and -0.25
  // as floats.
  constexpr uint64_t quarter = 0x3E800000;
  EXPECT_EQ(runOne("add.rn.f32.bf16 %d, %ha, %b;", {0x3FC0, quarter}),
            0x3FE00000u);
  EXPECT_EQ(runOne("add.rn.f32.f16 %d, %ha, %b;", {0x3E00, quarter}),
            0x3FE00000u);
  EXPECT_EQ(runOne("sub.f32.bf16 %d, %ha, %b;", {0xC000, quarter}),
            0xC0100000u);
  EXPECT_EQ(runOne("add.sat.f32.f16 %d, %ha, %b;", {0x3E00, quarter}),
            0x3F800000u);
  EXPECT_EQ(runOne("add.rn.f32.f16 %d, %ha, %b;", {1, 0}), 0x33800000u);
  EXPECT_EQ(
      runOne("fma.rn.f32.bf16 %d, %ha, %hb, %c;", {0x3FC0, 0xC000, quarter}),
      0xC0300000u);
  EXPECT_EQ(
      runOne("fma.rn.f32.f16 %d, %ha, %hb, %c;", {0x3E00, 0xC000, quarter}),
      0xC0300000u);
  std::string error;
  for (const char *text :
       {"add.rz.f32.bf16 %d, %ha, %b;", "add.ftz.f32.bf16 %d, %ha, %b;",
        "mul.rn.f32.bf16 %d, %ha, %b;", "add.f32.s16 %d, %ha, %b;"}) {
    error.clear();
    runSnippet(text, {{1, 1, 1}}, &error);
    EXPECT_NE(error, "") << text;
  }
}

TEST(Scalar, MovesVectors) {
  uint64_t a = 0x0123456789ABCDEF;
  EXPECT_EQ(runOne("mov.b64 {%d1, _}, %A; mov.b64 %D, {%d1, %d1};", {a}),
            0x89ABCDEF89ABCDEFu);
  EXPECT_EQ(runOne("mov.b64 {%h0, %h1, %h2, %h3}, %A;"
                   "mov.b64 %D, {%h3, %h2, %h1, %h0};",
                   {a}),
            0xCDEF89AB45670123u);
  EXPECT_EQ(runOne("{ .reg .b128 q; mov.b128 q, {%A, %B};"
                   "mov.b128 {%D1, %D}, q; }",
                   {a, 42}),
            42u);
  EXPECT_EQ(runOne("{ .reg .b8 x<4>; mov.b32 {x0, x1, x2, x3}, %a;"
                   "mov.b32 %d, {x3, x2, x1, x0}; }",
                   {0x11223384}),
            0x84332211u);
}

TEST(Scalar, Permutes) {
  Inputs inputs{0x83828180, 0x07060504, 2};
  EXPECT_EQ(runOne("prmt.b32 %d, %a, %b, 0x7C80;", inputs), 0x0700FF80u);
  EXPECT_EQ(runOne("prmt.b32.f4e %d, %a, %b, %c;", inputs), 0x05048382u);
  EXPECT_EQ(runOne("prmt.b32.b4e %d, %a, %b, %c;", inputs), 0x07808182u);
  EXPECT_EQ(runOne("prmt.b32.ecl %d, %a, %b, %c;", inputs), 0x83828282u);
}

TEST(Scalar, ComparesIntoTwoPredicates) {
  EXPECT_EQ(runOne("setp.ne.u32 %p2, %c, 0;\n"
                   "setp.lt.and.s32 %p0|%p1, %a, %b, %p2;\n"
                   "selp.b32 %d1, 1, 0, %p0; selp.b32 %d2, 2, 0, %p1;\n"
                   "add.u32 %d, %d1, %d2;",
                   {0xFFFFFFFF, 0, 1}),
            1u);
  EXPECT_EQ(runOne("setp.gt.f16x2 %p0|%p1, %a, %b;\n"
                   "selp.b32 %d1, 1, 0, %p0; selp.b32 %d2, 2, 0, %p1;\n"
                   "add.u32 %d, %d1, %d2;",
                   {0x3C000000, 0x00003C00}),
            2u);
  EXPECT_EQ(runOne("setp.hs.u32 %p0, %a, %b; selp.b32 %d, 1, 0, %p0;",
                   {0xFFFFFFFF, 0}),
            1u);
}

TEST(Scalar, SetsWhatTheResultTypeCallsTrue) {
  Inputs inputs{0x3FF0000000000000, 0};
  EXPECT_EQ(runOne("set.gt.f32.f64 %d, %A, %B;", inputs), 0x3F800000u);
  EXPECT_EQ(runOne("set.gt.s32.f64 %d, %A, %B;", inputs), 0xFFFFFFFFu);
  EXPECT_EQ(
      runOne("set.lt.f16.f16 %h0, %ha, %hb; cvt.u32.u16 %d, %h0;", {0, 0x3C00}),
      0x3C00u);
}

TEST(Scalar, FindsSpaces) {
  EXPECT_EQ(runOne("{ .shared .b32 s; mov.u64 %D1, s; cvta.shared.u64 %D2, %D1;"
                   "isspacep.shared %p0, %D2; isspacep.global %p1, %D2;"
                   "selp.b32 %d1, 1, 0, %p0; selp.b32 %d2, 2, 0, %p1;"
                   "add.u32 %d, %d1, %d2; cvta.to.shared.u64 %D3, %D2;"
                   "sub.u64 %D, %D3, %D1; }",
                   {}),
            1u);
  EXPECT_EQ(runOne("isspacep.global %p0, %out; selp.b32 %d, 1, 0, %p0;", {}),
            1u);
  EXPECT_EQ(runOne("{ .shared .b32 s; mov.u64 %D1, s; cvta.shared.u64 %D2, %D1;"
                   "mapa.u64 %D3, %D2, 0; getctarank.u64 %d, %D3;"
                   "isspacep.shared::cta %p0, %D3; selp.b32 %d1, 4, 0, %p0;"
                   "or.b32 %d, %d, %d1; }",
                   {}),
            4u);
}

TEST(Scalar, ConvertsBetweenWiderRegisters) {
  // The source's upper bits are no part of the value, the result is extended.
  EXPECT_EQ(runOne("cvt.s8.s32 %d1, %a; cvt.s64.s32 %D, %d1;", {0x1234FF}),
            ~uint64_t{0});
  EXPECT_EQ(runOne("cvt.u8.u32 %d, %a;", {0x1234FF}), 0xFFu);
  EXPECT_EQ(runOne("cvt.s32.s8 %d, %A;", {0x1280}), 0xFFFFFF80u);
  EXPECT_EQ(runOne("cvt.sat.u8.s32 %d, %a;", {0xFFFFFFFF}), 0u);
}

TEST(Scalar, AddsPairsOfFloats) {
  Inputs inputs{0x3F80000040000000, 0x3F8000003F800000, 0};
  EXPECT_EQ(runOne("add.rn.f32x2 %D, %A, %B;", inputs), 0x4000000040400000u);
  EXPECT_EQ(runOne("fma.rn.f32x2 %D, %A, %B, %B;", inputs),
            0x4000000040400000u);
}

TEST(Scalar, ReadsClocks) {
  EXPECT_NE(runOne("mov.u64 %D1, %clock64; mov.u64 %D2, %clock64;"
                   "sub.u64 %D, %D2, %D1;",
                   {}),
            0u);
}

TEST(Scalar, RefusesWhatDoesNotExist) {
  for (const char *text :
       {"add.f32.s32 %d, %a, %b;", "add.sat.u32 %d, %a, %b;",
        "fma.f32 %d, %a, %b, %c;", "mul.u32 %d, %a, %b;", "shl.u32 %d, %a, %b;",
        "cvt.f16.f32 %h0, %a;", "min.relu.u32 %d, %a, %b;",
        "setp.lt.b32 %p0, %a, %b;", "div.f32 %d, %a, %b;",
        "vadd.u32.u32.u32 %d, %a, %b;", "add.u32 %d, %A, %b;",
        "sin.f32 %d, %a;", "selp.b32 %d, %a, %b;", "add.rz.f16 %h0, %ha, %hb;",
        "lop3.b32 %d, %a, %b, %c;"})
    EXPECT_NE(getSnippetError(text), "") << text;
}

} // namespace
