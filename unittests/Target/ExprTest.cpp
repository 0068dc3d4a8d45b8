//===- ExprTest.cpp - Tests of the manifest's expressions -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Expr.h"
#include "tcgemm/Target/Argument.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <limits>

using namespace tcgemm;

namespace {

std::optional<int64_t> lookUp(llvm::StringRef name) {
  static const llvm::StringMap<int64_t> symbols = {
      {"M", 100}, {"N", 7}, {"K", -5}, {"A.stride0", 64}, {"zero", 0}};
  auto it = symbols.find(name);
  if (it == symbols.end())
    return std::nullopt;
  return it->second;
}

/// The value of `text`, or its error's text.
std::string run(llvm::StringRef text) {
  llvm::Expected<Expr> expr = Expr::parse(text);
  if (!expr)
    return "parse: " + llvm::toString(expr.takeError());
  llvm::Expected<int64_t> value = expr->evaluate(lookUp);
  if (!value)
    return llvm::toString(value.takeError());
  return std::to_string(*value);
}

std::string reprint(llvm::StringRef text) {
  llvm::Expected<Expr> expr = Expr::parse(text);
  if (!expr)
    return llvm::toString(expr.takeError());
  llvm::Expected<Expr> again = Expr::parse(expr->str());
  if (!again)
    return "no round trip: " + llvm::toString(again.takeError());
  EXPECT_TRUE(expr->isSame(*again)) << text.str() << " / " << expr->str();
  return expr->str();
}

TEST(Expr, Evaluates) {
  EXPECT_EQ(run("M"), "100");
  EXPECT_EQ(run("1 + 2 * 3"), "7");
  EXPECT_EQ(run("(1 + 2) * 3"), "9");
  EXPECT_EQ(run("10 - 4 - 3"), "3");
  EXPECT_EQ(run("ceildiv(M, 32) * ceildiv(N, 2)"), "16");
  EXPECT_EQ(run("A.stride0 % 8 == 0"), "1");
  EXPECT_EQ(run("min(M, N) + max(M, N)"), "107");
  EXPECT_EQ(run("select(M > N, 3, 4)"), "3");
  EXPECT_EQ(run("!M || M && !N"), "0");
  EXPECT_EQ(run("!zero"), "1");
  EXPECT_EQ(run("3 && 4"), "1");
  EXPECT_EQ(run("1 < 2 == 1"), "1");
  EXPECT_EQ(run("-M - -3"), "-97");
  EXPECT_EQ(run("N <= 7 && N >= 7 && N != 8"), "1");
}

TEST(Expr, DivisionRounds) {
  EXPECT_EQ(run("-7 / 2"), "-4");
  EXPECT_EQ(run("7 / -2"), "-4");
  EXPECT_EQ(run("-7 / -2"), "3");
  EXPECT_EQ(run("-7 % 2"), "1");
  EXPECT_EQ(run("7 % 2"), "1");
  EXPECT_EQ(run("7 % -2"), "-1");
  EXPECT_EQ(run("ceildiv(-7, 2)"), "-3");
  EXPECT_EQ(run("ceildiv(7, 2)"), "4");
  EXPECT_EQ(run("ceildiv(8, 2)"), "4");
  EXPECT_EQ(run("ceildiv(-7, -2)"), "4");
}

TEST(Expr, IsLazy) {
  EXPECT_EQ(run("0 && 1 / 0"), "0");
  EXPECT_EQ(run("1 || nothing"), "1");
  EXPECT_EQ(run("select(0, 1 / 0, 5)"), "5");
  EXPECT_EQ(run("N % zero == 0 && 0"), "division by zero in 'N % zero'");
}

TEST(Expr, EvaluationErrors) {
  EXPECT_EQ(run("9223372036854775807 + 1"),
            "64-bit overflow in '9223372036854775807 + 1' with "
            "9223372036854775807 and 1");
  EXPECT_NE(run("-9223372036854775808 / -1").find("overflow"),
            std::string::npos);
  EXPECT_EQ(run("-9223372036854775808 % -1"), "0");
  EXPECT_NE(run("4611686018427387904 * 2").find("overflow"), std::string::npos);
  EXPECT_EQ(run("M / zero"), "division by zero in 'M / zero'");
  EXPECT_EQ(run("M % zero"), "division by zero in 'M % zero'");
  EXPECT_EQ(run("ceildiv(M, 0)"), "division by zero in 'ceildiv(M, 0)'");
  EXPECT_EQ(run("B.base"), "unknown symbol 'B.base'");
}

TEST(Expr, ParseErrors) {
  EXPECT_EQ(run(""), "parse: column 1 of '': expected a value, found the end");
  EXPECT_EQ(run("M +"),
            "parse: column 4 of 'M +': expected a value, found the end");
  EXPECT_EQ(run("M N"), "parse: column 3 of 'M N': expected an operator or "
                        "the end, found 'N'");
  EXPECT_EQ(run("(M"), "parse: column 3 of '(M': expected ')', found the end");
  EXPECT_NE(run("min(M)").find("expected ',': 'min' takes 2 operands"),
            std::string::npos);
  EXPECT_NE(run("min(M, N, K)").find("expected ')'"), std::string::npos);
  EXPECT_NE(run("12x").find("'12x' is not a decimal number"),
            std::string::npos);
  EXPECT_NE(run("9223372036854775808").find("does not fit 64 bits"),
            std::string::npos);
  EXPECT_NE(run("A. + 1").find("'A.' is not a symbol"), std::string::npos);
  EXPECT_NE(run("M ? 1").find("column 3"), std::string::npos);
  EXPECT_NE(run("ceildiv").find("expected '(' after 'ceildiv'"),
            std::string::npos);
  EXPECT_NE(run("M = 1").find("expected an operator"), std::string::npos);
}

TEST(Expr, DeepTextIsRefused) {
  std::string parentheses(100000, '('), nots(100000, '!'), chain = "1";
  for (int i = 0; i != 100000; ++i)
    chain += "+1";
  EXPECT_NE(run(parentheses).find("nested deeper"), std::string::npos);
  EXPECT_NE(run(nots).find("nested deeper"), std::string::npos);
  EXPECT_NE(run(chain).find("nested deeper"), std::string::npos);
}

TEST(Expr, PrintsFewParentheses) {
  EXPECT_EQ(reprint("((M))*(N+K)"), "M * (N + K)");
  EXPECT_EQ(reprint("(M*N)+K"), "M * N + K");
  EXPECT_EQ(reprint("M-(N-K)"), "M - (N - K)");
  EXPECT_EQ(reprint("(M-N)-K"), "M - N - K");
  EXPECT_EQ(reprint("M/(N*K)"), "M / (N * K)");
  EXPECT_EQ(reprint("!(M==N)"), "!(M == N)");
  EXPECT_EQ(reprint("!M==N"), "!M == N");
  EXPECT_EQ(reprint("(M||N)&&K"), "(M || N) && K");
  EXPECT_EQ(reprint("M||N&&K"), "M || N && K");
  EXPECT_EQ(reprint("M - -3"), "M - -3");
  EXPECT_EQ(reprint("-(3)*M"), "(0 - 3) * M");
  EXPECT_EQ(reprint("select(M<N,ceildiv(M,2),!N)"),
            "select(M < N, ceildiv(M, 2), !N)");
  EXPECT_EQ(reprint("-9223372036854775808"), "-9223372036854775808");
}

TEST(Expr, BuildersFold) {
  Expr m = Expr::symbol("M"), n = Expr::symbol("N");
  EXPECT_EQ((ceilDiv(m, 128) * ceilDiv(n, 256)).str(),
            "ceildiv(M, 128) * ceildiv(N, 256)");
  EXPECT_EQ((m + 0).str(), "M");
  EXPECT_EQ((m * 1 + (Expr(2) + 3)).str(), "M + 5");
  EXPECT_EQ(roundUp(m, 1).str(), "M");
  EXPECT_EQ(roundUp(Expr(5), 4).str(), "8");
  EXPECT_EQ(select(Expr(1), m, n).str(), "M");
  EXPECT_EQ(logicalAnd(1, eq(m, n)).str(), "M == N");
  EXPECT_EQ(logicalAnd(1, m).str(), "1 && M"); // M need not be 0 or 1.
  EXPECT_EQ(logicalOr(eq(m, n), 1).str(), "1");
  EXPECT_EQ(logicalNot(Expr(3)).str(), "0");
  EXPECT_EQ(min(m, m).str(), "M");
  // An expression without a value is not folded, and fails when it is
  // evaluated.
  EXPECT_EQ((Expr(1) / 0).str(), "1 / 0");
  Expr big = std::numeric_limits<int64_t>::max();
  EXPECT_EQ((big + 1).getKind(), ExprKind::Add);
}

TEST(Expr, Conjunctions) {
  Expr m = Expr::symbol("M");
  EXPECT_EQ(allOf({}).str(), "1");
  EXPECT_EQ(allOf({gt(m, 1)}).str(), "M > 1");
  EXPECT_EQ(allOf({gt(m, 1), lt(m, 8), ne(m, 3)}).str(),
            "M > 1 && M < 8 && M != 3");
}

TEST(Expr, SubstitutesWithoutFolding) {
  Expr stride = Expr::make(ExprKind::Mul, {Expr::symbol("S"), Expr(1)});
  Expr expr = stride + Expr::symbol("T");
  auto lookup = [](llvm::StringRef symbol) -> std::optional<Expr> {
    if (symbol == "S")
      return Expr(4);
    return std::nullopt;
  };
  EXPECT_EQ(expr.substitute(lookup).str(), "4 * 1 + T");
  EXPECT_EQ(expr.str(), "S * 1 + T");
}

TEST(Expr, SameTreesHaveTheSameHash) {
  Expr a = llvm::cantFail(Expr::parse("(M * 2) + N"));
  Expr b = llvm::cantFail(Expr::parse("M * 2 + N"));
  Expr c = llvm::cantFail(Expr::parse("M * (2 + N)"));
  EXPECT_TRUE(a.isSame(b));
  EXPECT_EQ(hash_value(a), hash_value(b));
  EXPECT_FALSE(a.isSame(c));
  EXPECT_FALSE(Expr(1).isSame(Expr(2)));
  EXPECT_FALSE(Expr::symbol("M").isSame(Expr::symbol("N")));
}

TEST(Argument, ComparesWhatItsKindAsksFor) {
  EXPECT_TRUE(Argument::i32(Expr::symbol("M"))
                  .isSame(Argument::i32(Expr::symbol("M"))));
  EXPECT_FALSE(Argument::i32(Expr::symbol("M"))
                   .isSame(Argument::i64(Expr::symbol("M"))));
  EXPECT_FALSE(Argument::pointer("A").isSame(Argument::pointer("B")));
  EXPECT_FALSE(Argument::tensorMap(0).isSame(Argument::tensorMap(1)));
  EXPECT_EQ(hash_value(Argument::pointer("A")),
            hash_value(Argument::pointer("A")));
}

TEST(Argument, Names) {
  for (unsigned i = 0; i != kNumArgumentKinds; ++i)
    EXPECT_EQ(parseArgumentKind(getArgumentKindName(ArgumentKind(i))),
              ArgumentKind(i));
  EXPECT_EQ(parseArgumentKind("i16"), std::nullopt);
  for (const char *name : {"A", "B", "in0", "in12", "out0"})
    EXPECT_TRUE(isOperandName(name)) << name;
  for (const char *name : {"", "C", "a", "in", "out", "in0x", "inout0", "A0"})
    EXPECT_FALSE(isOperandName(name)) << name;
}

TEST(Expr, SymbolNames) {
  EXPECT_TRUE(Expr::isSymbolName("A.stride0"));
  EXPECT_TRUE(Expr::isSymbolName("_x1"));
  EXPECT_FALSE(Expr::isSymbolName("min"));
  EXPECT_FALSE(Expr::isSymbolName("A."));
  EXPECT_FALSE(Expr::isSymbolName("A..b"));
  EXPECT_FALSE(Expr::isSymbolName("1A"));
  EXPECT_FALSE(Expr::isSymbolName(""));
}

TEST(Expr, VisitsAndCollects) {
  struct Printer : ExprVisitor<Printer, std::string> {
    std::string visitLiteral(int64_t value) { return std::to_string(value); }
    std::string visitSymbol(llvm::StringRef name) { return name.str(); }
    std::string visitNode(ExprKind kind, llvm::ArrayRef<std::string> operands) {
      std::string text = "(" + getExprSpelling(kind).str();
      for (const std::string &operand : operands)
        text += " " + operand;
      return text + ")";
    }
  };
  llvm::Expected<Expr> expr = Expr::parse("min(M, 2 * N) + M");
  ASSERT_TRUE(bool(expr));
  EXPECT_EQ(Printer().visit(*expr), "(+ (min M (* 2 N)) M)");
  EXPECT_EQ(expr->collectSymbols(), (std::vector<std::string>{"M", "N"}));
}

} // namespace
