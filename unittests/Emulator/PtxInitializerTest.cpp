//===- PtxInitializerTest.cpp - Tests of PTX's variables ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPtx.h"

using namespace tcgemm::ptx;

namespace {

/// Bytes in hexadecimal and relocations, or the error.
std::string readInit(llvm::StringRef declaration) {
  std::string error;
  std::unique_ptr<Module> module = readAll(
      kHead + ".global .b32 g; .func f; .global " + declaration + ";", &error);
  if (!module)
    return error;
  const Variable &variable = module->variables.back();
  EXPECT_EQ(variable.init.size(), variable.bytes);
  std::string text = llvm::toHex(variable.init, /*LowerCase=*/true);
  for (const Variable::Relocation &each : variable.relocations) {
    text += " " + std::to_string(each.at) + ":" + each.symbol.str();
    text +=
        "+" + std::to_string(each.addend) + "/" + std::to_string(each.bytes);
    if (each.shift)
      text += ">>" + std::to_string(each.shift);
    if (each.isGeneric)
      text += " generic";
  }
  return text;
}

TEST(PtxVariable, Declarations) {
  std::unique_ptr<Module> module = readModule(
      ".visible .global .align 16 .b8 a[2][3], b;\n.const .f64 c;\n"
      ".extern .shared .align 1024 .b8 d[];\n.weak .global .v4 .f32 e[2];\n"
      ".common .global .b32 h; .extern .global .u16 i;\n"
      ".global .attribute(.managed) .s32 j;\n"
      ".global .attribute(.unified(1, 2)) .s32 k;");
  ASSERT_TRUE(module);
  auto check = [&](llvm::StringRef name, Space space, Type type, unsigned align,
                   uint64_t bytes, bool isExtern, unsigned line) {
    for (const Variable &variable : module->variables) {
      if (variable.name != name)
        continue;
      EXPECT_EQ(variable.space, space) << name.str();
      EXPECT_EQ(variable.type, type) << name.str();
      EXPECT_EQ(variable.align, align) << name.str();
      EXPECT_EQ(variable.bytes, bytes) << name.str();
      EXPECT_EQ(variable.isExtern, isExtern) << name.str();
      EXPECT_EQ(variable.line, line) << name.str();
      EXPECT_TRUE(variable.init.empty()) << name.str();
      return;
    }
    ADD_FAILURE() << name.str();
  };
  check("a", Space::Global, Type::B8, 16, 6, false, 2);
  check("b", Space::Global, Type::B8, 16, 1, false, 2);
  check("c", Space::Const, Type::F64, 8, 8, false, 3);
  check("d", Space::Shared, Type::B8, 1024, 0, true, 4);
  check("e", Space::Global, Type::F32, 16, 32, false, 5);
  check("h", Space::Global, Type::B32, 4, 4, false, 6);
  check("i", Space::Global, Type::U16, 2, 2, true, 6);
  check("j", Space::Global, Type::S32, 4, 4, false, 7);
}

TEST(PtxVariable, Invalid) {
  EXPECT_EQ(getError(".global .b32;"),
            "line 2: expected the name of a variable, found ';'");
  EXPECT_EQ(getError(".global x;"), "line 2: expected a type, found 'x'");
  EXPECT_EQ(getError(".global .bf16 x;"),
            "line 2: expected a type, found '.bf16'");
  EXPECT_EQ(getError(".global .texref x;"),
            "line 2: expected a type, found '.texref'");
  EXPECT_EQ(getError(".global .pred x;"),
            "line 2: a predicate can be a register only");
  EXPECT_EQ(getError(".global .b32 x"),
            "line 2: expected ';' after a variable, found the end");
  EXPECT_EQ(getError(".global .align 3 .b32 x;"),
            "line 2: the alignment 3 is no power of two");
  EXPECT_EQ(getError(".global .align 0 .b32 x;"),
            "line 2: the alignment 0 is no power of two");
  EXPECT_EQ(getError(".global .b32 x[0];"),
            "line 2: the size of an array must be from 1 to 1099511627776");
  EXPECT_EQ(getError(".global .b32 x[1.5];"),
            "line 2: the size of an array must be an integer");
  EXPECT_EQ(getError(".global .b32 x[2;"),
            "line 2: expected ']' after an array's size, found ';'");
  EXPECT_EQ(getError(".global .b32 x[2][];"),
            "line 2: expected a value, found ']'");
  EXPECT_EQ(getError(".global .b32 x[];"), "line 2: 'x' has no size");
  EXPECT_EQ(getError(".global .b32 x, x;"), "line 2: 'x' is declared already");
  EXPECT_EQ(getError(".func x;\n.global .b32 x;"),
            "line 3: 'x' is declared already");
  EXPECT_EQ(getError(".global .b32 WARP_SZ;"),
            "line 2: 'WARP_SZ' is a constant");
  EXPECT_EQ(getError(".local .b32 x;"),
            "line 2: a variable in .local outside of a function");
  EXPECT_EQ(getError(".param .b32 x;"),
            "line 2: a variable in .param outside of a function");
  EXPECT_EQ(getError(".reg .b32 x;"),
            "line 2: expected a variable or a function, found '.reg'");
  EXPECT_EQ(getError(".visible .file"),
            "line 2: expected a variable or a function after its linkage, "
            "found '.file'");
  EXPECT_EQ(getError(".global .attribute(+) .b32 x;"),
            "line 2: expected ')' after attributes, found '+'");
}

TEST(PtxVariable, ExternThenDefined) {
  std::unique_ptr<Module> module =
      readModule(".extern .global .b32 x; .extern .global .b32 x;\n"
                 ".visible .global .b32 x = 3; .extern .global .b32 x;");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->variables.size(), 1u);
  EXPECT_FALSE(module->variables[0].isExtern);
  EXPECT_EQ(module->variables[0].init.size(), 4u);
  EXPECT_EQ(getError(".extern .global .b32 x; .const .b32 x;"),
            "line 2: 'x' is declared already");
}

TEST(PtxInitializer, Scalars) {
  EXPECT_EQ(readInit(".b32 x = 7"), "07000000");
  EXPECT_EQ(readInit(".b8 x = 300"), "2c");
  EXPECT_EQ(readInit(".s64 x = -2"), "feffffffffffffff");
  EXPECT_EQ(readInit(".b32 x = 2*3+WARP_SZ"), "26000000");
  EXPECT_EQ(readInit(".f32 x = 0f3F800000"), "0000803f");
  EXPECT_EQ(readInit(".f32 x = 1.5"), "0000c03f");
  EXPECT_EQ(readInit(".f32 x = 0f7F800001"), "0100807f");
  EXPECT_EQ(readInit(".b32 x = 0d3FF8000000000000"), "0000c03f");
  EXPECT_EQ(readInit(".f64 x = 1.5"), "000000000000f83f");
  EXPECT_EQ(readInit(".b64 x = 1.5"), "000000000000f83f");
  EXPECT_EQ(readInit(".b128 x = 1"), "01000000000000000000000000000000");
  // Text that ptxas rejects, or reads differently than its manual states.
  EXPECT_EQ(readInit(".f32 x = 1"),
            "line 2: an integer for a variable of type .f32");
  EXPECT_EQ(readInit(".u32 x = 1.5"),
            "line 2: a floating-point value for a variable of type .u32");
  EXPECT_EQ(readInit(".b16 x = 0d3FF8000000000000"),
            "line 2: a floating-point value for a variable of type .b16");
  EXPECT_EQ(readInit(".b32 x = {1}"), "line 2: expected a value, found '{'");
  EXPECT_EQ(readInit(".b32 x ="), "line 2: expected a value, found ';'");
}

TEST(PtxInitializer, Arrays) {
  EXPECT_EQ(readInit(".b8 x[4] = {1, 2}"), "01020000");
  EXPECT_EQ(readInit(".b8 x[4] = {}"), "00000000");
  EXPECT_EQ(readInit(".b8 x[] = {1, 2, 3}"), "010203");
  EXPECT_EQ(readInit(".b8 x[2][2] = {{1}, {2, 3}}"), "01000203");
  EXPECT_EQ(readInit(".b8 x[][2] = {{1}, {}, {3}}"), "010000000300");
  EXPECT_EQ(readInit(".v2 .b8 x = {1, 2}"), "0102");
  EXPECT_EQ(readInit(".v2 .b8 x[2] = {{1, 2}, {3}}"), "01020300");
  EXPECT_EQ(readInit(".b8 x[2], y[2] = {1, 2}"), "0102");
  EXPECT_EQ(readInit(".b8 x[2] = {1, 2, 3}"),
            "line 2: there are more values than elements");
  EXPECT_EQ(readInit(".b8 x[2][2] = {1, 2, 3}"),
            "line 2: expected '{' before the values of an array, found '1'");
  EXPECT_EQ(readInit(".b8 x[2] = {{1}}"),
            "line 2: expected a value, found '{'");
  EXPECT_EQ(readInit(".b8 x[2] = 1"),
            "line 2: expected '{' before the values of an array, found '1'");
  EXPECT_EQ(readInit(".b8 x[2] = {1 2}"),
            "line 2: expected ',' between initial values, found '2'");
  EXPECT_EQ(readInit(".b8 x[] = {}"), "line 2: 'x' has no size");
}

TEST(PtxInitializer, Addresses) {
  EXPECT_EQ(readInit(".u64 x = g"), "0000000000000000 0:g+0/8");
  EXPECT_EQ(readInit(".u64 x = f"), "0000000000000000 0:f+0/8");
  EXPECT_EQ(readInit(".u32 x[2] = {1, g+4}"), "0100000000000000 4:g+4/4");
  EXPECT_EQ(readInit(".u64 x = generic(g)"),
            "0000000000000000 0:g+0/8 generic");
  EXPECT_EQ(readInit(".u64 x = generic(g)+16-4"),
            "0000000000000000 0:g+12/8 generic");
  EXPECT_EQ(readInit(".b8 x[3] = {1, 0xFF(g), 0xFF00(generic(g)+4)}"),
            "010000 1:g+0/1 2:g+4/1>>8 generic");
  EXPECT_EQ(readInit(".b8 x = 0xFF00000000000000(g)"), "00 0:g+0/1>>56");
  EXPECT_EQ(readInit(".u64 x = h"), "line 2: 'h' is not declared");
  EXPECT_EQ(readInit(".u16 x = g"),
            "line 2: an address needs an element of 32 or 64 bits");
  EXPECT_EQ(readInit(".u64 x = mask(g)"),
            "line 2: 'mask' is no function of addresses");
  EXPECT_EQ(readInit(".u64 x = generic(g"),
            "line 2: expected ')' after 'generic(' and a name, found ';'");
  EXPECT_EQ(readInit(".b8 x = 0xFF0(g)"),
            "line 2: a mask must be of one byte, such as 0xFF00");
  EXPECT_EQ(readInit(".b8 x = 0xFFFF(g)"),
            "line 2: a mask must be of one byte, such as 0xFF00");
  EXPECT_EQ(readInit(".b32 x = 0xFF(g)"),
            "line 2: a mask needs elements of one byte");
  EXPECT_EQ(readInit(".b8 x = 0xFF(g"),
            "line 2: expected ')' after a mask's symbol, found ';'");
}

TEST(PtxInitializer, NotOfEverything) {
  EXPECT_EQ(getError(".shared .b32 s; .global .u64 x = s;"),
            "line 2: 's' has another address in each block");
  EXPECT_EQ(getError(".shared .b32 x = 1;"),
            "line 2: 'x' cannot have an initial value");
  EXPECT_EQ(getError(".extern .global .b32 x = 1;"),
            "line 2: 'x' cannot have an initial value");
  EXPECT_EQ(getBodyError(".local .b32 x = 1;"),
            "line 5: 'x' cannot have an initial value");
  EXPECT_EQ(getBodyError(".global .b32 x = 1;"), "");
}

} // namespace
