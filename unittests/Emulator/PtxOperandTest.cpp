//===- PtxOperandTest.cpp - Tests of PTX's instructions and operands ------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPtx.h"

#include "llvm/ADT/bit.h"

using namespace tcgemm::ptx;

namespace {

/// The value of a constant expression, or the error.
std::string evaluate(llvm::StringRef expression) {
  std::string text = readOperands("mov.b64 %rd1, " + expression + ";");
  llvm::StringRef value = text;
  value.consume_front("%rd1, ");
  return value.str();
}

TEST(PtxOperand, Registers) {
  EXPECT_EQ(readOperands("mov.u32 %r1, %r2;"), "%r1, %r2");
  EXPECT_EQ(readOperands("mov.u32 %r1, %r9;"), "line 5: '%r9' is not declared");
  EXPECT_EQ(readOperands("mov.u32 %r1, %r01;"),
            "line 5: '%r01' is not declared");
  EXPECT_EQ(readOperands("and.pred %p1, %p2, !%p3;"), "%p1, %p2, !%p3");
  EXPECT_EQ(readOperands("and.pred %p1, %p2, !%r3;"),
            "line 5: '!' needs a predicate");
  EXPECT_EQ(readOperands("mov.u32 _, %r1;"), "_, %r1");
  EXPECT_EQ(readOperands("mov.u32 %r1 %r2;"),
            "line 5: expected ';' after operands, found '%r2'");
  EXPECT_EQ(readOperands("mov.u32 %r1, ;"),
            "line 5: expected an operand, found ';'");
}

TEST(PtxOperand, Pairs) {
  EXPECT_EQ(readOperands("setp.eq.u32 %p1|%p2, %r1, 0;"), "%p1|%p2, %r1, 0");
  EXPECT_EQ(readOperands("elect.sync _|%p1, -1;"), "_|%p1, -1");
  EXPECT_EQ(readOperands("setp.eq.u32 %p1|_, %r1, 0;"), "%p1|_, %r1, 0");
  EXPECT_EQ(readOperands("setp.eq.u32 %p1|3, %r1, 0;"),
            "line 5: expected a register after '|', found '3'");
  EXPECT_EQ(readOperands("setp.eq.u32 %p1|%p9, %r1, 0;"),
            "line 5: '%p9' is not declared");
  EXPECT_EQ(readOperands("setp.eq.u32 %p1|s, %r1, 0;"),
            "line 5: expected a register after '|', found 's'");
}

TEST(PtxOperand, VectorRegisters) {
  EXPECT_EQ(readOperands(".reg .v4 .f32 %v; ld.global.v4.f32 %v, [%rd1];"),
            "{%v.x, %v.y, %v.z, %v.w}, [%rd1]");
  EXPECT_EQ(readOperands(".reg .v2 .f32 %v<3>; mov.f32 %v2.y, %v1.r;"),
            "%v2.y, %v1.x");
  EXPECT_EQ(readOperands(".reg .v2 .f32 %v; mov.f32 %v.z, 0f00000000;"),
            "line 5: '%v' has no component 'z'");
  EXPECT_EQ(readOperands("mov.u32 %r1.x, 0;"),
            "line 5: '%r1' has no component 'x'");
  EXPECT_EQ(readOperands(".reg .v4 .b64 %v; ret;"),
            "line 5: a vector of this type is too wide");
}

TEST(PtxOperand, SpecialRegisters) {
  for (const char *name : {"%tid.x",
                           "%ntid.y",
                           "%ctaid.z",
                           "%nctaid.w",
                           "%tid",
                           "%laneid",
                           "%warpid",
                           "%nwarpid",
                           "%smid",
                           "%nsmid",
                           "%gridid",
                           "%lanemask_lt",
                           "%lanemask_eq",
                           "%clock",
                           "%clock_hi",
                           "%clock64",
                           "%globaltimer",
                           "%globaltimer_hi",
                           "%clusterid.x",
                           "%nclusterid.y",
                           "%cluster_ctaid.z",
                           "%cluster_nctaid.x",
                           "%cluster_ctarank",
                           "%cluster_nctarank",
                           "%is_explicit_cluster",
                           "%dynamic_smem_size",
                           "%total_smem_size",
                           "%aggr_smem_size",
                           "%envreg0",
                           "%envreg31",
                           "%pm7",
                           "%pm0_64",
                           "%reserved_smem_offset_begin"})
    EXPECT_EQ(readOperands("mov.u32 %r1, " + llvm::Twine(name) + ";"),
              "%r1, " + std::string(name));
  for (const char *name : {"%tid.v", "%laneid.x", "%envreg32", "%envreg01",
                           "%pm8", "%lanemask", "%foo"})
    EXPECT_EQ(readOperands("mov.u32 %r1, " + llvm::Twine(name) + ";"),
              "line 5: '" + std::string(name) + "' is not declared");
  // Like in ptxas, a register may shadow a special register.
  EXPECT_EQ(readOperands(".reg .b32 %laneid; mov.u32 %r1, %laneid;"),
            "%r1, %laneid");
}

TEST(PtxOperand, Addresses) {
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1];"), "%r1, [%rd1]");
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1+8];"), "%r1, [%rd1+8]");
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1+-4];"), "%r1, [%rd1+-4]");
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1-4+8];"), "%r1, [%rd1+4]");
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1+4*(2+1)];"), "%r1, [%rd1+12]");
  EXPECT_EQ(readOperands("ld.u32 %r1, [s+4];"), "%r1, [s+4]");
  EXPECT_EQ(readOperands("ld.u32 %r1, [16+4];"), "%r1, [20]");
  EXPECT_EQ(readOperands("ld.u32 %r1, s[1+1];"), "%r1, [s+8]");
  EXPECT_EQ(readOperands("mov.u32 %r1, s[1+1];"), "%r1, s+8");
  EXPECT_EQ(readOperands("mov.u32 %r1, s-4;"), "%r1, s+-4");
  EXPECT_EQ(readOperands("x [%rd1, {%r1, %r2}], [%rd2+8];"),
            "[%rd1, {%r1, %r2}], [%rd2+8]");
  EXPECT_EQ(readOperands("x [s+4, {%r1, 0}, c+4], [8];"),
            "[s+4, {%r1, 0}, c+4], [8]");
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1+8;"),
            "line 5: expected ']' after an address, found ';'");
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1+%r1];"),
            "line 5: expected a value, found '%r1'");
  EXPECT_EQ(readOperands("ld.u32 %r1, [%rd1+1.5];"),
            "line 5: an offset must be an integer");
  EXPECT_EQ(readOperands("ld.u32 %r1, [];"),
            "line 5: expected an operand, found ']'");
  EXPECT_EQ(readOperands("ld.u32 %r1, [1.5];"),
            "line 5: an address must be a register, a variable or an integer");
  EXPECT_EQ(readOperands("ld.u32 %r1, [!%p1];"),
            "line 5: an address cannot be negated");
  EXPECT_EQ(readOperands("ld.u32 %r1, [nothing];"),
            "line 5: 'nothing' is not declared");
  EXPECT_EQ(readOperands("ld.u32 %r1, s[%r1];"),
            "line 5: expected a constant index, found '%r1'");
  EXPECT_EQ(readOperands("mov.u64 %rd1, f[1];"), "line 5: 'f' is no array");
}

TEST(PtxOperand, Vectors) {
  EXPECT_EQ(readOperands("ld.v2.u32 {%r1, _}, [%rd1];"), "{%r1, _}, [%rd1]");
  EXPECT_EQ(readOperands("st.v2.u32 [%rd1], {%r1, 0};"), "[%rd1], {%r1, 0}");
  EXPECT_EQ(readOperands("st.u32 [%rd1], {%r1};"), "[%rd1], {%r1}");
  EXPECT_EQ(readOperands("st.u32 [%rd1], {};"),
            "line 5: expected an operand, found '}'");
  EXPECT_EQ(readOperands("st.u32 [%rd1], {%r1;"),
            "line 5: expected '}' after a vector, found ';'");
}

TEST(PtxOperand, Symbols) {
  std::unique_ptr<Module> module =
      readBody("mov.u64 %rd1, g; mov.u64 %rd1, f; mov.u64 %rd1, s; "
               "ld.param.b64 %rd1, [arg]; mov.u64 %rd1, k; bra L; L:");
  ASSERT_TRUE(module);
  const Function &kernel = *module->findFunction("k");
  auto check = [&](unsigned instruction, SymbolKind kind, unsigned index) {
    Operand operand = kernel.instructions[instruction].operands.back();
    if (operand.kind == Operand::Kind::Address)
      operand = Operand(operand.elements[0]);
    EXPECT_EQ(operand.symbol, kind) << instruction;
    EXPECT_EQ(operand.index, index) << instruction;
  };
  check(0, SymbolKind::Variable, 0);
  check(1, SymbolKind::Function, 0);
  check(2, SymbolKind::Local, 0);
  check(3, SymbolKind::Param, 0);
  check(4, SymbolKind::Function, 1);
  check(5, SymbolKind::Label, 0);
}

TEST(PtxOperand, Calls) {
  EXPECT_EQ(readOperands("call.uni (%r1), f, (%r2, 3);"), "(%r1), f, (%r2, 3)");
  EXPECT_EQ(readOperands("call f;"), "f");
  EXPECT_EQ(readOperands("call f, ();"), "f, ()");
  EXPECT_EQ(readOperands("P: .callprototype (.param .b32 _) _ (.param .b64 _);"
                         "call (%r1), %rd1, (%rd2), P;"),
            "(%r1), %rd1, (%rd2), P");
  EXPECT_EQ(readOperands("call h, ();"), "line 5: 'h' is not declared");
  EXPECT_EQ(readOperands("call f, (%r1;"),
            "line 5: expected ')' after a list, found ';'");
  // Not allowed in other instructions.
  EXPECT_EQ(readOperands("mov.u32 %r1, (%r2);"),
            "line 5: expected a value, found '%r2'");
}

TEST(PtxOperand, IntegerConstants) {
  EXPECT_EQ(evaluate("12"), "12");
  EXPECT_EQ(evaluate("12U"), "12");
  EXPECT_EQ(evaluate("0x1F"), "31");
  EXPECT_EQ(evaluate("0X1fU"), "31");
  EXPECT_EQ(evaluate("017"), "15");
  EXPECT_EQ(evaluate("0b101"), "5");
  EXPECT_EQ(evaluate("-1"), "-1");
  EXPECT_EQ(evaluate("0xFFFFFFFFFFFFFFFF"), "-1");
  EXPECT_EQ(evaluate("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(evaluate("WARP_SZ"), "32");
  for (const char *bad : {"08", "0x", "0b2", "12L", "18446744073709551616",
                          "1x", "0f123", "0d12", "1e", "1.5.2"})
    EXPECT_EQ(evaluate(bad),
              "line 5: '" + std::string(bad) + "' is no number of 64 bits");
}

TEST(PtxOperand, FloatConstants) {
  EXPECT_EQ(evaluate("0f3F800000"), "0d3ff0000000000000");
  EXPECT_EQ(evaluate("0Fbf800000"), "0dbff0000000000000");
  EXPECT_EQ(evaluate("0d4000000000000000"), "0d4000000000000000");
  EXPECT_EQ(evaluate("0f00000001"), "0d36a0000000000000");
  EXPECT_EQ(evaluate("1.5"), "0d3ff8000000000000");
  EXPECT_EQ(evaluate("1."), "0d3ff0000000000000");
  EXPECT_EQ(evaluate(".5"), "0d3fe0000000000000");
  EXPECT_EQ(evaluate("5e-1"), "0d3fe0000000000000");
  EXPECT_EQ(evaluate("-1.0"), "0dbff0000000000000");
  EXPECT_EQ(evaluate("1e999999999999"), "0d7ff0000000000000");
  // Payloads of NaNs, including signalling ones, are preserved in both
  // directions.
  EXPECT_EQ(evaluate("0f7F800001"), "0d7ff0000020000000");
  EXPECT_EQ(narrowToFloat(0x7FF0000020000000), 0x7F800001u);
  EXPECT_EQ(narrowToFloat(0xFFF8000000000000), 0xFFC00000u);
  EXPECT_EQ(narrowToFloat(0x7FF0000000000001), 0x7FC00000u);
  EXPECT_EQ(narrowToFloat(llvm::bit_cast<uint64_t>(1.5)), 0x3FC00000u);
  EXPECT_EQ(narrowToFloat(llvm::bit_cast<uint64_t>(1e300)), 0x7F800000u);
}

TEST(PtxOperand, Expressions) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), "7");
  EXPECT_EQ(evaluate("(1 + 2) * 3"), "9");
  EXPECT_EQ(evaluate("10 - 4 - 3"), "3");
  EXPECT_EQ(evaluate("-7 / 2"), "-3");
  EXPECT_EQ(evaluate("-7 % 2"), "-1");
  EXPECT_EQ(evaluate("10%3"), "1");
  EXPECT_EQ(evaluate("-7 / 2U"), "9223372036854775804");
  EXPECT_EQ(evaluate("1 << 4 | 3"), "19");
  EXPECT_EQ(evaluate("1 << 64"), "0");
  EXPECT_EQ(evaluate("-8 >> 1"), "-4");
  EXPECT_EQ(evaluate("-8 >> 100"), "-1");
  EXPECT_EQ(evaluate("(.u64)-1 >> 60"), "15");
  EXPECT_EQ(evaluate("(.s64)0xFFFFFFFFFFFFFFFF >> 60"), "-1");
  EXPECT_EQ(evaluate("6 & 3 ^ 1"), "3");
  EXPECT_EQ(evaluate("~0"), "-1");
  EXPECT_EQ(evaluate("!5 + !0"), "1");
  EXPECT_EQ(evaluate("+3"), "3");
  EXPECT_EQ(evaluate("-1 < 1"), "1");
  EXPECT_EQ(evaluate("-1 < 1U"), "0");
  EXPECT_EQ(evaluate("3 == 3 && 2 != 2 || 1 >= 2 || 2 <= 1"), "0");
  EXPECT_EQ(evaluate("5 > 3 ? 1 : 2"), "1");
  EXPECT_EQ(evaluate("0 ? 1 : 0 ? 2 : 3"), "3");
  EXPECT_EQ(evaluate("WARP_SZ - 1"), "31");
  EXPECT_EQ(evaluate("1.5 + 2"), "0d400c000000000000");
  EXPECT_EQ(evaluate("1.5 < 2"), "1");
  EXPECT_EQ(evaluate("(-9223372036854775807-1) / -1"), "-9223372036854775808");
  EXPECT_EQ(evaluate("(-9223372036854775807-1) % -1"), "0");
  EXPECT_EQ(evaluate("1 / 0"), "line 5: a constant is divided by zero");
  EXPECT_EQ(evaluate("1 % 0"), "line 5: a constant is divided by zero");
  EXPECT_EQ(evaluate("~1.5"), "line 5: '~' of a floating-point value");
  EXPECT_EQ(evaluate("1.5 % 2"), "line 5: '%' of a floating-point value");
  EXPECT_EQ(evaluate("(.u64)1.5"),
            "line 5: a floating-point value cannot be cast");
  EXPECT_EQ(evaluate("(.u32)1"),
            "line 5: expected .s64 or .u64 to cast to, found '.u32'");
  EXPECT_EQ(evaluate("1 ? 2"),
            "line 5: expected ':' after '?' and a value, found ';'");
  EXPECT_EQ(evaluate("(1"), "line 5: expected ')' after an expression, "
                            "found ';'");
  EXPECT_EQ(evaluate("1 +"), "line 5: expected a value, found ';'");
}

TEST(PtxInstruction, OpcodeModifiersAndGuard) {
  std::unique_ptr<Module> module = readBody(
      "@%p1 bra.uni L;\n@!%p2 ld.shared::cta.L2::128B.v2.u32 {%r1, %r2}, [s];"
      "\nL: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[s], [%rd1], 16, [s];\nret;");
  ASSERT_TRUE(module);
  const Function &kernel = *module->findFunction("k");
  ASSERT_EQ(kernel.instructions.size(), 4u);
  const Instruction &branch = kernel.instructions[0];
  EXPECT_EQ(branch.opcode, "bra");
  EXPECT_EQ(llvm::join(branch.modifiers, " "), "uni");
  EXPECT_EQ(kernel.registers[branch.guard->reg].name, "%p1");
  EXPECT_FALSE(branch.guard->negated);
  EXPECT_EQ(branch.line, 5u);
  const Instruction &load = kernel.instructions[1];
  EXPECT_EQ(llvm::join(load.modifiers, " "), "shared::cta L2::128B v2 u32");
  EXPECT_TRUE(load.guard->negated);
  EXPECT_EQ(load.line, 6u);
  EXPECT_EQ(llvm::join(kernel.instructions[2].modifiers, " "),
            "async bulk shared::cluster global mbarrier::complete_tx::bytes");
  EXPECT_FALSE(kernel.instructions[2].guard);
  EXPECT_TRUE(kernel.instructions[3].operands.empty());
  EXPECT_EQ(kernel.labels[0].at, 2u);
}

TEST(PtxInstruction, Invalid) {
  EXPECT_EQ(getBodyError("@%r1 ret;"),
            "line 5: expected a predicate after '@', found '%r1'");
  EXPECT_EQ(getBodyError("@%p9 ret;"), "line 5: '%p9' is not declared");
  EXPECT_EQ(getBodyError("@%p1 {"),
            "line 5: expected an instruction, found '{'");
  EXPECT_EQ(getBodyError("@%p1 L: ret;"),
            "line 5: expected an operand, found ':'");
  EXPECT_EQ(getBodyError("ret"), "line 6: expected an operand, found '}'");
  EXPECT_EQ(getBodyError(";"),
            "line 5: expected a statement or '}', found ';'");
  EXPECT_EQ(getBodyError("12;"),
            "line 5: expected a statement or '}', found '12'");
  EXPECT_EQ(getBodyError(".nothing;"),
            "line 5: expected a statement or '}', found '.nothing'");
  EXPECT_EQ(getBodyError("%r1;"),
            "line 5: expected ':' after a label, found ';'");
}

} // namespace
