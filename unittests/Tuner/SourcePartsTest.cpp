//===- SourcePartsTest.cpp ------------------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole programs are compiled and run by test/Tools/tune-export-kernel.test.
//
//===----------------------------------------------------------------------===//

#include "Exchange/SourceParts.h"
#include "tcgemm/Tuner/KernelSource.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

std::string print(llvm::StringRef text) {
  return printExpr(llvm::cantFail(Expr::parse(text)));
}

TEST(SourcePartsTest, Expressions) {
  EXPECT_EQ(print("M"), "v.M");
  EXPECT_EQ(print("A.stride0 % 8 == 0 && A.base % 16 == 0"),
            "(detail::floorMod(v.A_stride0, 8) == 0) && "
            "(detail::floorMod(v.A_base, 16) == 0)");
  EXPECT_EQ(print("ceildiv(M, 128) * (N / 2 - 1)"),
            "detail::ceilDiv(v.M, 128) * (detail::floorDiv(v.N, 2) - 1)");
  EXPECT_EQ(print("select(M < 2, min(N, 3), max(K, 4))"),
            "((v.M < 2) ? std::min<int64_t>(v.N, 3) : "
            "std::max<int64_t>(v.K, 4))");
  EXPECT_EQ(print("!(M >= 1) || 0 - 5 != N"),
            "!(v.M >= 1) || ((0 - 5) != v.N)");
}

TEST(SourcePartsTest, PartsAreFilledIn) {
  std::string text;
  llvm::raw_string_ostream os(text);
  fillIn("a /*@X@*/ b /*@Y@*//*@X@*/;", {{"X", "1"}, {"Y", "/*@X@*/"}}, os);
  EXPECT_EQ(text, "a 1 b /*@X@*/1;");
  EXPECT_EQ(quote("a\"b\\\n"), "\"a\\\"b\\\\\\n\"");
}

TEST(SourcePartsTest, Epilogues) {
  KernelInfo kernel;
  kernel.operands = {{"A", OperandUse::A, ScalarType::F16, {Dim::M, Dim::K}},
                     {"in0", OperandUse::Input, ScalarType::F32, {Dim::N}},
                     {"in1", OperandUse::Scalar, ScalarType::F32, {}}};
  EpilogueOpInfo argument{"argument", ScalarType::F32};
  EpilogueOpInfo half{"arith.constant", ScalarType::F32};
  half.value = 0.5;
  kernel.epilogue.ops = {argument,
                         argument,
                         argument,
                         half,
                         {"arith.mulf", ScalarType::F32, {0, 2}},
                         {"arith.cmpf", ScalarType::I1, {4, 1}, "ogt"},
                         {"arith.select", ScalarType::F32, {5, 4, 3}}};
  kernel.epilogue.yields = {6};
  llvm::Expected<std::string> text = printEpilogue(kernel);
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  auto line = [](llvm::StringRef assignment) {
    return ("  [[maybe_unused]] const double " + assignment + ";\n").str();
  };
  EXPECT_EQ(*text, line("v0 = accumulator") + line("v1 = x[0]") +
                       line("v2 = p.in1") + line("v3 = 0.5") +
                       line("v4 = v0 * v2") + line("v5 = v4 > v1") +
                       line("v6 = v5 != 0 ? v4 : v3") + "  results[0] = v6;\n");
  kernel.epilogue.ops.back().op = "math.gamma";
  text = printEpilogue(kernel);
  ASSERT_FALSE(bool(text));
  EXPECT_EQ(llvm::toString(text.takeError()),
            "the epilogue has 'math.gamma', which a program cannot check: "
            "export a header");
}

TEST(SourcePartsTest, PacksOfSeveralKernelsAreRefused) {
  KernelPack pack;
  Record record;
  pack.manifest.kernels.resize(2);
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Error error = writeKernelHeader({pack, record, "problem", "name"}, os);
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(llvm::toString(std::move(error)),
            "the pack has 2 kernels and 0 functions: expected one function "
            "that is one launch of a kernel");
  EXPECT_EQ(text, "");
}

} // namespace
