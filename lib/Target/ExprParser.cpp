//===- ExprParser.cpp - Parser of the manifest's expressions --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser of the language of docs/reference/manifest.md.
// Manifests are user input. The depth of a tree is therefore bounded, so that
// neither the parser nor later recursions over the tree can exhaust the stack.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Expr.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace tcgemm;
using llvm::StringRef;

namespace {

constexpr unsigned kMaxDepth = 500;

struct BinaryOperator {
  StringRef spelling;
  ExprKind kind;
  unsigned precedence;
};

// Longer spellings first, so that `<=` is not read as `<`.
constexpr BinaryOperator kBinaryOperators[] = {
    {"||", ExprKind::Or, 1}, {"&&", ExprKind::And, 2}, {"==", ExprKind::Eq, 3},
    {"!=", ExprKind::Ne, 3}, {"<=", ExprKind::Le, 4},  {">=", ExprKind::Ge, 4},
    {"<", ExprKind::Lt, 4},  {">", ExprKind::Gt, 4},   {"+", ExprKind::Add, 5},
    {"-", ExprKind::Sub, 5}, {"*", ExprKind::Mul, 6},  {"/", ExprKind::Div, 6},
    {"%", ExprKind::Mod, 6}};

struct Function {
  StringRef name;
  ExprKind kind;
  unsigned numOperands;
};

constexpr Function kFunctions[] = {{"ceildiv", ExprKind::CeilDiv, 2},
                                   {"min", ExprKind::Min, 2},
                                   {"max", ExprKind::Max, 2},
                                   {"select", ExprKind::Select, 3}};

class Parser {
public:
  explicit Parser(StringRef text) : text(text) {}

  llvm::Expected<Expr> parseAll() {
    llvm::Expected<Expr> expr = parseBinary(1);
    if (!expr)
      return expr.takeError();
    skipSpace();
    if (position != text.size())
      return fail("expected an operator or the end");
    return expr;
  }

private:
  llvm::Error fail(const llvm::Twine &what) {
    std::string found = position < text.size()
                            ? ("found '" + text.substr(position, 1) + "'").str()
                            : "found the end";
    return llvm::createStringError("column " + llvm::Twine(position + 1) +
                                   " of '" + text + "': " + what + ", " +
                                   found);
  }

  void skipSpace() {
    while (position < text.size() && llvm::isSpace(text[position]))
      ++position;
  }

  bool consume(StringRef token) {
    skipSpace();
    if (!text.substr(position).starts_with(token))
      return false;
    position += token.size();
    return true;
  }

  llvm::Expected<Expr> make(ExprKind kind, std::vector<Expr> operands) {
    Expr expr = Expr::make(kind, std::move(operands));
    if (expr.getDepth() > kMaxDepth)
      return fail("the expression is nested deeper than " +
                  llvm::Twine(kMaxDepth));
    return expr;
  }

  /// Parses operators of at least precedence `minimum`, by precedence climbing.
  llvm::Expected<Expr> parseBinary(unsigned minimum) {
    llvm::Expected<Expr> left = parseUnary();
    while (left) {
      skipSpace();
      const BinaryOperator *found = nullptr;
      for (const BinaryOperator &candidate : kBinaryOperators)
        if (text.substr(position).starts_with(candidate.spelling)) {
          found = &candidate;
          break;
        }
      if (!found || found->precedence < minimum)
        return left;
      position += found->spelling.size();
      llvm::Expected<Expr> right = parseBinary(found->precedence + 1);
      if (!right)
        return right.takeError();
      left = make(found->kind, {*left, *right});
    }
    return left;
  }

  llvm::Expected<Expr> parseUnary() {
    // Each level of nesting passes through here, so this bounds the stack.
    if (++nesting > kMaxDepth)
      return fail("the expression is nested deeper than " +
                  llvm::Twine(kMaxDepth));
    llvm::Expected<Expr> result = parseUnaryUnchecked();
    --nesting;
    return result;
  }

  llvm::Expected<Expr> parseUnaryUnchecked() {
    if (consume("!")) {
      llvm::Expected<Expr> operand = parseUnary();
      if (!operand)
        return operand.takeError();
      return make(ExprKind::Not, {*operand});
    }
    if (consume("-")) {
      skipSpace();
      if (position < text.size() && llvm::isDigit(text[position]))
        return parseLiteral(/*negative=*/true);
      llvm::Expected<Expr> operand = parseUnary();
      if (!operand)
        return operand.takeError();
      return make(ExprKind::Sub, {Expr(0), *operand});
    }
    return parsePrimary();
  }

  llvm::Expected<Expr> parsePrimary() {
    if (consume("(")) {
      llvm::Expected<Expr> inner = parseBinary(1);
      if (!inner)
        return inner.takeError();
      if (!consume(")"))
        return fail("expected ')'");
      return inner;
    }
    skipSpace();
    if (position >= text.size())
      return fail("expected a value");
    if (llvm::isDigit(text[position]))
      return parseLiteral(/*negative=*/false);
    if (!llvm::isAlpha(text[position]) && text[position] != '_')
      return fail("expected a number, a symbol, a function or '('");
    size_t start = position;
    while (position < text.size() &&
           (llvm::isAlnum(text[position]) || text[position] == '_' ||
            text[position] == '.'))
      ++position;
    StringRef name = text.slice(start, position);
    for (const Function &function : kFunctions)
      if (function.name == name)
        return parseCall(function);
    if (Expr::isSymbolName(name))
      return Expr::symbol(name);
    position = start;
    return fail("'" + name + "' is not a symbol");
  }

  llvm::Expected<Expr> parseLiteral(bool negative) {
    size_t start = position;
    while (position < text.size() && llvm::isAlnum(text[position]))
      ++position;
    StringRef digits = text.slice(start, position);
    // Read with the sign: the magnitude of INT64_MIN does not fit into int64_t.
    std::string signedDigits = ((negative ? "-" : "") + digits).str();
    if (!llvm::all_of(digits, llvm::isDigit)) {
      position = start;
      return fail("'" + digits + "' is not a decimal number");
    }
    int64_t value = 0;
    if (StringRef(signedDigits).getAsInteger(10, value)) {
      position = start;
      return fail("'" + digits + "' does not fit 64 bits");
    }
    return Expr(value);
  }

  llvm::Expected<Expr> parseCall(const Function &function) {
    if (!consume("("))
      return fail("expected '(' after '" + function.name + "'");
    std::vector<Expr> operands;
    for (unsigned i = 0; i != function.numOperands; ++i) {
      if (i != 0 && !consume(","))
        return fail("expected ',': '" + function.name + "' takes " +
                    llvm::Twine(function.numOperands) + " operands");
      llvm::Expected<Expr> operand = parseBinary(1);
      if (!operand)
        return operand.takeError();
      operands.push_back(*operand);
    }
    if (!consume(")"))
      return fail("expected ')': '" + function.name + "' takes " +
                  llvm::Twine(function.numOperands) + " operands");
    return make(function.kind, std::move(operands));
  }

  StringRef text;
  size_t position = 0;
  unsigned nesting = 0;
};

} // namespace

llvm::Expected<Expr> Expr::parse(StringRef text) {
  return Parser(text).parseAll();
}
