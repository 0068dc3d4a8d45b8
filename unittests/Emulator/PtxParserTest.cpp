//===- PtxParserTest.cpp - Tests of PTX's modules and functions -----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPtx.h"

using namespace tcgemm::ptx;

namespace {

TEST(PtxTypes, NamesAndWidths) {
  for (unsigned i = 1; i <= static_cast<unsigned>(Type::S16x2); ++i) {
    Type type = static_cast<Type>(i);
    EXPECT_EQ(parseType(getName(type)), type);
    EXPECT_GT(getBitWidth(type), 0u);
  }
  EXPECT_EQ(parseType(""), std::nullopt);
  EXPECT_EQ(parseType("u33"), std::nullopt);
  EXPECT_EQ(parseType("global"), std::nullopt);
  EXPECT_EQ(getBitWidth(Type::BF16x2), 32u);
  EXPECT_EQ(getBitWidth(Type::E4M3x2), 16u);
  EXPECT_EQ(getBitWidth(Type::Pred), 1u);
  EXPECT_TRUE(isSigned(Type::S64) && isInteger(Type::S64));
  EXPECT_TRUE(!isSigned(Type::U8) && isInteger(Type::U8));
  EXPECT_TRUE(!isInteger(Type::B32) && !isFloat(Type::B32));
  EXPECT_TRUE(isFloat(Type::F16x2) && !isInteger(Type::F16x2));
  EXPECT_EQ(getName(Space::SharedCluster), "shared::cluster");
}

TEST(PtxModule, Header) {
  std::unique_ptr<Module> module =
      readAll("// c\n/* c\n */.version 8.6\n.target sm_90a, debug\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->versionMajor, 8u);
  EXPECT_EQ(module->versionMinor, 6u);
  EXPECT_EQ(module->target, "sm_90a");
  auto error = [](llvm::StringRef text) {
    std::string error;
    readAll(text, &error);
    return error;
  };
  EXPECT_EQ(error(""),
            "line 1: expected '.version' at the start of a module, found the "
            "end");
  EXPECT_EQ(error(".target sm_90"),
            "line 1: expected '.version' at the start of a module, found "
            "'.target'");
  EXPECT_EQ(error(".version 8"),
            "line 1: expected a version such as 8.0, found '8'");
  EXPECT_EQ(error(".version 8.x"),
            "line 1: expected a version such as 8.0, found '8'");
  EXPECT_EQ(error(".version 8.0\n.func f;"),
            "line 2: expected '.target' after '.version', found '.func'");
  EXPECT_EQ(error(".version 8.0 .target 90"),
            "line 1: expected a target such as sm_90, found '90'");
  EXPECT_EQ(error(".version 8.0 .target sm_90,"),
            "line 1: expected an option of the target, found the end");
  EXPECT_EQ(error(".version 8.0 .target sm_90 .address_size 32"),
            "line 1: addresses must have 64 bits");
  EXPECT_EQ(error(".version 8.0 .target sm_90 .address_size 128"),
            "line 1: the size of addresses is over the limit of 64");
}

TEST(PtxModule, CommentsAndStrings) {
  EXPECT_TRUE(readModule("/* * / */ .pragma \"a \\\" b\", \"c\"; // end"));
  EXPECT_EQ(getError("/* never"), "line 2: a comment that does not end");
  EXPECT_EQ(getError("\n/* never\n\n"), "line 3: a comment that does not end");
  EXPECT_EQ(getError(".pragma \"never;"), "line 2: a string that does not end");
  EXPECT_EQ(getError(".pragma \"never\\"),
            "line 2: a string that does not end");
  EXPECT_EQ(getError(".pragma 3;"),
            "line 2: expected a string after '.pragma', found '3'");
  EXPECT_EQ(getError(".pragma \"x\""),
            "line 2: expected ';' after '.pragma', found the end");
  EXPECT_EQ(getError("\\"), "line 2: a character that PTX does not use");
  EXPECT_EQ(getError("\xff"), "line 2: a character that is not ASCII text");
  EXPECT_EQ(getError(llvm::Twine(llvm::StringRef("\0", 1))),
            "line 2: a character that is not ASCII text");
  EXPECT_EQ(getError(". x"), "line 2: '.' without a name");
  EXPECT_EQ(getError("$ x"), "line 2: '$' without a name");
  EXPECT_EQ(getError("\"x\""),
            "line 2: expected a variable or a function, found '\"x\"'");
}

TEST(PtxModule, DebugDirectives) {
  EXPECT_TRUE(readModule(".file 1 \"a.cu\" .file 2 \"b.h\", 123, 456\n"
                         ".section .debug_abbrev { .b8 1,2 $L__x: .b32 y-z }\n"
                         ".section .debug_str {\n}"));
  EXPECT_TRUE(readBody(".loc 1 2 3\n.loc 1 2 3, function_name $L__s, "
                       "inlined_at 1 2 3\n.loc 1 2 3, function_name "
                       ".debug_str+16, inlined_at 1 2 3\nret;"));
  EXPECT_EQ(getError(".file x"),
            "line 2: expected the number of a file, found 'x'");
  EXPECT_EQ(getError(".file 1 x"),
            "line 2: expected the name of a file, found 'x'");
  EXPECT_EQ(getBodyError(".loc 1 2;"), "line 5: expected a column, found ';'");
  EXPECT_EQ(getBodyError(".loc 1 2 3, x"),
            "line 5: expected 'function_name', found 'x'");
  EXPECT_EQ(getBodyError(".loc 1 2 3, function_name x inlined_at 1 2 3"),
            "line 5: expected ',' before 'inlined_at', found 'inlined_at'");
  EXPECT_EQ(getBodyError(".loc 1 2 3, function_name x, inlined 1 2 3"),
            "line 5: expected 'inlined_at', found 'inlined'");
  EXPECT_EQ(getError(".section {"),
            "line 2: expected the name of a section, found '{'");
  EXPECT_EQ(getError(".section .x\n{\n.b8 1\n"),
            "line 3: the section that starts here does not end");
  EXPECT_EQ(getError(".section .x { { } }"),
            "line 2: the section that starts here does not end");
}

TEST(PtxFunction, Entry) {
  std::unique_ptr<Module> module = readModule(
      ".visible .entry k(\n.param .u64 .ptr .global .align 1 a,\n"
      ".param .align 64 .b8 b[128], .param .u64 .ptr .align 8 c,\n"
      ".param .u64 .ptr d, .param .b64 .ptr .shared e)\n"
      ".maxntid 128, 2\n.minnctapersm 2 .maxnreg 64 .maxclusterrank 8\n"
      ".explicitcluster .reqnctapercluster 2, 1, 1 .pragma \"x\";\n{ ret; }\n"
      ".entry l .reqntid 32 { }");
  ASSERT_TRUE(module);
  const Function &kernel = *module->findFunction("k");
  EXPECT_TRUE(kernel.isEntry && kernel.isDefinition);
  EXPECT_EQ(kernel.line, 2u);
  EXPECT_EQ(kernel.minBlocks, 2u);
  ASSERT_EQ(kernel.params.size(), 5u);
  EXPECT_EQ(kernel.params[0].align, 8u);
  EXPECT_EQ(kernel.params[0].bytes, 8u);
  EXPECT_EQ(kernel.params[0].space, Space::Param);
  EXPECT_EQ(kernel.params[1].align, 64u);
  EXPECT_EQ(kernel.params[1].bytes, 128u);
  EXPECT_EQ(kernel.params[2].align, 8u);
  EXPECT_EQ(kernel.maxThreads, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(kernel.requiredThreads, (std::array<uint32_t, 3>{}));
  EXPECT_EQ(kernel.requiredCluster, (std::array<uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(module->findFunction("l")->requiredThreads,
            (std::array<uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(module->findFunction("m"), nullptr);
}

TEST(PtxFunction, InvalidEntry) {
  EXPECT_EQ(getError(".entry { }"),
            "line 2: expected the name of a function, found '{'");
  EXPECT_EQ(getError(".entry (.param .b32 r) k { }"),
            "line 2: expected the name of a function, found '('");
  EXPECT_EQ(getError(".entry k(.param .b32 a { }"),
            "line 2: expected ')' after parameters, found '{'");
  EXPECT_EQ(getError(".entry k(.b32 a) { }"),
            "line 2: expected a parameter, found '.b32'");
  EXPECT_EQ(getError(".entry k(.param .b32) { }"),
            "line 2: expected the name of a parameter, found ')'");
  EXPECT_EQ(getError(".entry k(.param .b32 a, .param .b32 a) { }"),
            "line 2: 'a' is declared already");
  EXPECT_EQ(getError(".entry k(.reg .b32 a) { }"),
            "line 2: a kernel's parameters must be in .param");
  EXPECT_EQ(getError(".entry k(.param .b8 a[]) { }"),
            "line 2: 'a' has no size");
  EXPECT_EQ(getError(".entry k .maxntid { }"),
            "line 2: expected a number of threads or blocks, found '{'");
  EXPECT_EQ(getError(".entry k .maxntid 0 { }"),
            "line 2: a number of threads or blocks is zero");
  EXPECT_EQ(getError(".entry k .maxntid 1,1,1,1 { }"),
            "line 2: there are three dimensions at most");
  EXPECT_EQ(getError(".entry k .maxntid 4294967296 { }"),
            "line 2: a number of threads or blocks is over the limit of "
            "2147483647");
  EXPECT_EQ(getError(".entry k .minnctapersm { }"),
            "line 2: expected a number after '.minnctapersm', found '{'");
  EXPECT_EQ(getError(".entry k .nothing { }"),
            "line 2: expected a directive of kernels, a body or ';', found "
            "'.nothing'");
  EXPECT_EQ(getError(".entry k { } .entry k { }"),
            "line 2: 'k' is defined already");
  EXPECT_EQ(getError(".entry k { "),
            "line 2: expected a statement or '}', found the end");
  EXPECT_EQ(getError(".extern .entry k { }"),
            "line 2: a function that is defined cannot be .extern");
}

TEST(PtxFunction, DeclaredAndDefined) {
  std::unique_ptr<Module> module = readModule(
      ".extern .func (.param .b32 r) f(.param .b32 a);\n"
      ".func g .noreturn .abi_preserve 3;\n"
      ".weak .func (.param .b32 r) f(.param .b32 b) { call (r), f, (b); }\n"
      ".func (.param .b32 r) f(.param .b32 c);\n");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->functions.size(), 2u);
  const Function &f = *module->findFunction("f");
  EXPECT_TRUE(f.isDefinition);
  EXPECT_EQ(f.params[0].name, "b");
  EXPECT_EQ(f.results[0].name, "r");
  EXPECT_EQ(print(f.instructions[0].operands[0]), "(r)");
  EXPECT_EQ(f.instructions[0].operands[0].elements[0].symbol,
            SymbolKind::Result);
  EXPECT_EQ(f.instructions[0].operands[1].index, 0u);
  EXPECT_FALSE(module->findFunction("g")->isDefinition);
  EXPECT_EQ(getError(".func f(.param .b32 a); .func f;"),
            "line 2: 'f' was declared differently before");
  EXPECT_EQ(getError(".entry f; .func f { }"),
            "line 2: 'f' was declared differently before");
  EXPECT_EQ(getError(".global .b32 f; .func f;"),
            "line 2: 'f' is declared already");
  EXPECT_EQ(getError(".func f"),
            "line 2: expected ';' or a body after a function's head, found "
            "the end");
  EXPECT_EQ(getError(".func f .maxntid 3 { }"),
            "line 2: expected a directive of functions, a body or ';', found "
            "'.maxntid'");
}

TEST(PtxFunction, ParamsInRegisters) {
  std::unique_ptr<Module> module =
      readModule(".func (.reg .b32 r) f(.reg .b32 a, .param .b8 rest[]) "
                 "{ mov.b32 r, a; ld.param.b8 r, [rest]; }");
  ASSERT_TRUE(module);
  const Function &f = *module->findFunction("f");
  EXPECT_EQ(printAll(f.instructions[0].operands), "r, a");
  EXPECT_EQ(f.params[0].space, Space::Reg);
  EXPECT_EQ(f.registers.size(), 2u);
  EXPECT_EQ(f.instructions[1].operands[1].elements[0].index, 1u);
  EXPECT_EQ(f.params[1].bytes, 0u);
  EXPECT_EQ(getError(".func f(.reg .b32 a[2]);"),
            "line 2: a parameter in a register must be a scalar");
  EXPECT_EQ(getError(".func f(.param .b8 a[], .param .b8 b);"),
            "line 2: 'a' has no size");
}

TEST(PtxFunction, Alias) {
  std::unique_ptr<Module> module =
      readModule(".func a; .func f { ret; } .alias a, f;");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->findFunction("a")->name, "f");
  EXPECT_EQ(module->functions[0].aliasOf, "f");
  EXPECT_EQ(getError(".func f { } .alias a, f;"),
            "line 2: 'a' is no function that is declared");
  EXPECT_EQ(getError(".func a; .alias a, f;"),
            "line 2: 'f' is no function that is declared");
  EXPECT_EQ(getError(".func a; .func f; .alias a, f;"),
            "line 2: 'f' is no function that is defined");
  EXPECT_EQ(getError(".func a; .alias a, a;"),
            "line 2: 'a' is no function that is defined");
  EXPECT_EQ(getError(".func a { } .func f { } .alias a, f;"),
            "line 2: 'a' is defined already");
  EXPECT_EQ(getError(".func a; .func f { } .alias a, f; .func a { }"),
            "line 2: 'a' is defined already");
  EXPECT_EQ(getError(".alias a;"),
            "line 2: expected ',' after an alias's name, found ';'");
}

TEST(PtxBody, Registers) {
  std::unique_ptr<Module> module = readModule(
      ".func f { .reg .pred %p; .reg .b32 %r<3>, x, y<2>; .reg .v2 .f64 v; }");
  ASSERT_TRUE(module);
  std::string text;
  for (const Register &reg : module->functions[0].registers)
    text += (reg.name + ":" + getName(reg.type) + " ").str();
  EXPECT_EQ(text, "%p:pred %r0:b32 %r1:b32 %r2:b32 x:b32 y0:b32 y1:b32 "
                  "v.x:f64 v.y:f64 ");
  EXPECT_TRUE(readModule(".func f { .reg .b32 %r<0>; }"));
  EXPECT_EQ(getBodyError(".reg x;"), "line 5: expected a type, found 'x'");
  EXPECT_EQ(getBodyError(".reg .tf32 x;"),
            "line 5: expected a type, found '.tf32'");
  EXPECT_EQ(getBodyError(".reg .b32 3;"),
            "line 5: expected the name of a register, found '3'");
  EXPECT_EQ(getBodyError(".reg .b32 x<3;"),
            "line 5: expected '>' after a count of registers, found ';'");
  EXPECT_EQ(getBodyError(".reg .b32 x<-3>;"),
            "line 5: expected the count of registers, found '-'");
  EXPECT_EQ(getBodyError(".reg .b32 x<1.5>;"),
            "line 5: expected the count of registers, found a floating-point "
            "number");
  EXPECT_EQ(getBodyError(".reg .b32 %r8;"),
            "line 5: '%r8' is declared already");
  EXPECT_EQ(getBodyError(".reg .b32 x<3>, x2;"),
            "line 5: 'x2' is declared already");
  EXPECT_EQ(getBodyError(".reg .b32 x y;"),
            "line 5: expected ';' after registers, found 'y'");
}

TEST(PtxBody, ScopesHideAndEnd) {
  std::unique_ptr<Module> module = readBody(
      ".param .b32 p; st.param.b32 [p], 0;\n"
      "{ .param .b32 p; .reg .b32 %r1; st.param.b32 [p], %r1; }\n"
      "{ .param .b32 p; .local .b32 g; st.param.b32 [p], %r1; st [g], 0; }\n"
      "st.param.b32 [p], %r1; st [g], 0;");
  ASSERT_TRUE(module);
  const Function &kernel = *module->findFunction("k");
  std::string text;
  for (const Instruction &instruction : kernel.instructions)
    text += printAll(instruction.operands) + "; ";
  EXPECT_EQ(text, "[p], 0; [p#2], %r1#2; [p#3], %r1; [g#2], 0; [p], %r1; "
                  "[g], 0; ");
  EXPECT_EQ(kernel.variables.size(), 5u);
  EXPECT_EQ(kernel.instructions[5].operands[0].elements[0].symbol,
            SymbolKind::Variable);
  EXPECT_EQ(getBodyError("{ .reg .b32 x; } mov.b32 x, 0;"),
            "line 5: 'x' is not declared");
  EXPECT_EQ(getBodyError("{ .reg .b32 x; .param .b32 x; }"),
            "line 5: 'x' is declared already");
  EXPECT_EQ(getBodyError("mov.b32 x, 0; .reg .b32 x;"),
            "line 5: 'x' is not declared");
  EXPECT_EQ(getBodyError(".local .b32 x[];"), "line 5: 'x' has no size");
  EXPECT_EQ(getBodyError(".extern .shared .b32 x[];"),
            "line 5: expected a statement or '}', found '.extern'");
  EXPECT_EQ(getBodyError("}"),
            "line 6: expected a variable or a function, found '}'");
}

TEST(PtxBody, Labels) {
  std::unique_ptr<Module> module = readBody(
      "A: B: bra C;\n{ bra C; bra A; C: ret; }\n{ bra C; C: bra C; }\nC: "
      "bra g; g:");
  ASSERT_TRUE(module);
  const Function &kernel = *module->findFunction("k");
  std::string text;
  for (const Instruction &each : kernel.instructions)
    if (each.opcode == "bra")
      text += each.operands[0].name.str() + "@" +
              std::to_string(kernel.labels[each.operands[0].index].at) + " ";
  // The inner C, of both scopes, shadows the outer one, even if that follows.
  EXPECT_EQ(text, "C#3@6 C@3 A@0 C#2@5 C#2@5 g#2@7 ");
  EXPECT_EQ(getBodyError("bra D;"), "line 5: the label 'D' is not declared");
  EXPECT_EQ(getBodyError("{ D: } bra D;"),
            "line 5: the label 'D' is not declared");
  EXPECT_EQ(getBodyError("bra g;"), "line 5: the label 'g' is not declared");
  EXPECT_EQ(getBodyError("D: D:"), "line 5: 'D' is declared already");
  EXPECT_EQ(getBodyError("mov.b64 %rd1, D;"), "line 5: 'D' is not declared");
  EXPECT_EQ(getBodyError("mov.b64 %rd1, D; D:"), "");
}

TEST(PtxBody, BranchTables) {
  std::unique_ptr<Module> module = readBody(
      "T: .branchtargets A, B,\nA;\nbrx.idx %r1, T;\nA: B: brx.idx %r1, U;\n"
      "U: .branchtargets B;\nV : .calltargets f; call (%r1), %rd1, (%r1), V;\n"
      "W: .callprototype (.param .align 4 .b8 _[8]) _ (.param .b32 _, "
      ".param .b64 x) .noreturn; X: .callprototype _;");
  ASSERT_TRUE(module);
  const Function &kernel = *module->findFunction("k");
  ASSERT_EQ(kernel.branchTables.size(), 5u);
  EXPECT_EQ(llvm::join(kernel.branchTables[0].targets, " "), "A B A");
  EXPECT_EQ(kernel.branchTables[0].indices[1], 1u);
  EXPECT_EQ(kernel.branchTables[2].kind, BranchTable::Kind::Calls);
  EXPECT_EQ(kernel.branchTables[3].kind, BranchTable::Kind::Prototype);
  EXPECT_EQ(kernel.branchTables[3].results[0].bytes, 8u);
  EXPECT_EQ(kernel.branchTables[3].params.size(), 2u);
  EXPECT_TRUE(kernel.branchTables[4].params.empty());
  EXPECT_EQ(kernel.instructions[0].operands[1].symbol, SymbolKind::Table);
  EXPECT_EQ(kernel.instructions[1].operands[1].index, 1u);
  EXPECT_EQ(getBodyError("T: .branchtargets A;"),
            "line 5: the label 'A' is not declared");
  EXPECT_EQ(getBodyError("T: .branchtargets f;"),
            "line 5: the label 'f' is not declared");
  EXPECT_EQ(getBodyError("T: .branchtargets ;"),
            "line 5: expected a label, found ';'");
  EXPECT_EQ(getBodyError(".branchtargets A;"),
            "line 5: expected a statement or '}', found '.branchtargets'");
  EXPECT_EQ(getBodyError("T: .calltargets g;"),
            "line 5: 'g' is no function that is declared");
  EXPECT_EQ(getBodyError("T: .calltargets f"),
            "line 6: expected ';' after a table, found '}'");
  EXPECT_EQ(getBodyError("T: .callprototype (.param .b32 _) (.param .b32 _);"),
            "line 5: expected '_' in place of a function's name, found '('");
  EXPECT_EQ(getBodyError("T: .callprototype _ () .maxntid;"),
            "line 5: expected ';' after a prototype, found '.maxntid'");
  EXPECT_EQ(getBodyError("T: ; T: .calltargets f;"),
            "line 5: expected a statement or '}', found ';'");
  EXPECT_EQ(getBodyError("T: .calltargets f; T: .calltargets f;"),
            "line 5: 'T' is declared already");
}

} // namespace
