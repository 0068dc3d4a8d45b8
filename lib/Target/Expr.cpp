//===- Expr.cpp - Integer expressions of the manifest ---------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expression tree: nodes, evaluation and printing. The parser is in
// ExprParser.cpp, the builders are in ExprBuilder.cpp.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Expr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

using namespace tcgemm;
using llvm::StringRef;

struct Expr::Node {
  ExprKind kind = ExprKind::Literal;
  int64_t literal = 0;
  std::string symbol;
  std::vector<Expr> operands;
  unsigned depth = 1;
  /// Hash of the whole tree, stored so that large trees are hashed only once.
  llvm::hash_code hash = 0;

  void computeHash() {
    hash = llvm::hash_combine(kind, literal, symbol);
    for (const Expr &operand : operands)
      hash = llvm::hash_combine(hash, operand.node->hash);
  }
};

StringRef tcgemm::getExprSpelling(ExprKind kind) {
  switch (kind) {
  case ExprKind::Literal:
    return "literal";
  case ExprKind::Symbol:
    return "symbol";
  case ExprKind::Add:
    return "+";
  case ExprKind::Sub:
    return "-";
  case ExprKind::Mul:
    return "*";
  case ExprKind::Div:
    return "/";
  case ExprKind::Mod:
    return "%";
  case ExprKind::CeilDiv:
    return "ceildiv";
  case ExprKind::Min:
    return "min";
  case ExprKind::Max:
    return "max";
  case ExprKind::Eq:
    return "==";
  case ExprKind::Ne:
    return "!=";
  case ExprKind::Lt:
    return "<";
  case ExprKind::Le:
    return "<=";
  case ExprKind::Gt:
    return ">";
  case ExprKind::Ge:
    return ">=";
  case ExprKind::And:
    return "&&";
  case ExprKind::Or:
    return "||";
  case ExprKind::Not:
    return "!";
  case ExprKind::Select:
    return "select";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Expr::Expr(int64_t literal) {
  auto fresh = std::make_shared<Node>();
  fresh->literal = literal;
  fresh->computeHash();
  node = std::move(fresh);
}

Expr Expr::symbol(StringRef name) {
  assert(isSymbolName(name) && "not a symbol name");
  auto fresh = std::make_shared<Node>();
  fresh->kind = ExprKind::Symbol;
  fresh->symbol = name.str();
  fresh->computeHash();
  return Expr(std::move(fresh));
}

Expr Expr::make(ExprKind kind, std::vector<Expr> operands) {
  auto fresh = std::make_shared<Node>();
  fresh->kind = kind;
  for (const Expr &operand : operands)
    fresh->depth = std::max(fresh->depth, operand.getDepth() + 1);
  fresh->operands = std::move(operands);
  fresh->computeHash();
  return Expr(std::move(fresh));
}

bool Expr::isSymbolName(StringRef name) {
  if (llvm::is_contained({"ceildiv", "min", "max", "select"}, name))
    return false;
  bool start = true;
  for (char c : name) {
    if (start ? !(llvm::isAlpha(c) || c == '_')
              : !(llvm::isAlnum(c) || c == '_' || c == '.'))
      return false;
    start = c == '.';
  }
  return !start;
}

ExprKind Expr::getKind() const { return node->kind; }
int64_t Expr::getLiteral() const { return node->literal; }
StringRef Expr::getSymbol() const { return node->symbol; }
llvm::ArrayRef<Expr> Expr::getOperands() const { return node->operands; }
unsigned Expr::getDepth() const { return node->depth; }

std::optional<int64_t> Expr::getConstant() const {
  if (node->kind != ExprKind::Literal)
    return std::nullopt;
  return node->literal;
}

bool Expr::isBoolean() const {
  switch (node->kind) {
  case ExprKind::Literal:
    return node->literal == 0 || node->literal == 1;
  case ExprKind::Eq:
  case ExprKind::Ne:
  case ExprKind::Lt:
  case ExprKind::Le:
  case ExprKind::Gt:
  case ExprKind::Ge:
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Not:
    return true;
  default:
    return false;
  }
}

bool Expr::isSame(const Expr &other) const {
  if (node == other.node)
    return true;
  if (node->hash != other.node->hash || node->kind != other.node->kind ||
      node->literal != other.node->literal ||
      node->symbol != other.node->symbol)
    return false;
  return std::equal(node->operands.begin(), node->operands.end(),
                    other.node->operands.begin(), other.node->operands.end(),
                    [](const Expr &a, const Expr &b) { return a.isSame(b); });
}

llvm::hash_code tcgemm::hash_value(const Expr &expr) { return expr.node->hash; }

Expr Expr::substitute(
    llvm::function_ref<std::optional<Expr>(StringRef)> lookup) const {
  if (node->kind == ExprKind::Symbol)
    if (std::optional<Expr> value = lookup(node->symbol))
      return *value;
  if (node->operands.empty())
    return *this;
  std::vector<Expr> operands;
  for (const Expr &operand : node->operands)
    operands.push_back(operand.substitute(lookup));
  return make(node->kind, std::move(operands));
}

static void collect(const Expr &expr, std::vector<std::string> &symbols) {
  if (expr.getKind() == ExprKind::Symbol &&
      !llvm::is_contained(symbols, expr.getSymbol()))
    symbols.push_back(expr.getSymbol().str());
  for (const Expr &operand : expr.getOperands())
    collect(operand, symbols);
}

std::vector<std::string> Expr::collectSymbols() const {
  std::vector<std::string> symbols;
  collect(*this, symbols);
  return symbols;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
enum class ArithmeticError { None, Overflow, DivisionByZero };
} // namespace

/// Divides with floor (or ceiling) rounding.
static ArithmeticError divide(int64_t a, int64_t b, bool ceiling,
                              int64_t &result) {
  if (b == 0)
    return ArithmeticError::DivisionByZero;
  if (a == std::numeric_limits<int64_t>::min() && b == -1)
    return ArithmeticError::Overflow;
  result = a / b;
  if (a % b != 0 && ((a < 0) == (b < 0)) == ceiling)
    result += ceiling ? 1 : -1;
  return ArithmeticError::None;
}

/// Applies an operator whose operands are all evaluated.
static ArithmeticError apply(ExprKind kind, int64_t a, int64_t b,
                             int64_t &result) {
  bool overflow = false;
  switch (kind) {
  case ExprKind::Add:
    overflow = llvm::AddOverflow(a, b, result);
    break;
  case ExprKind::Sub:
    overflow = llvm::SubOverflow(a, b, result);
    break;
  case ExprKind::Mul:
    overflow = llvm::MulOverflow(a, b, result);
    break;
  case ExprKind::Div:
    return divide(a, b, /*ceiling=*/false, result);
  case ExprKind::CeilDiv:
    return divide(a, b, /*ceiling=*/true, result);
  case ExprKind::Mod:
    if (b == 0)
      return ArithmeticError::DivisionByZero;
    // x % -1 is 0, but INT64_MIN % -1 is undefined in C++.
    result = b == -1 ? 0 : a % b;
    if (result != 0 && (result < 0) != (b < 0))
      result += b;
    break;
  case ExprKind::Min:
    result = std::min(a, b);
    break;
  case ExprKind::Max:
    result = std::max(a, b);
    break;
  case ExprKind::Eq:
    result = a == b;
    break;
  case ExprKind::Ne:
    result = a != b;
    break;
  case ExprKind::Lt:
    result = a < b;
    break;
  case ExprKind::Le:
    result = a <= b;
    break;
  case ExprKind::Gt:
    result = a > b;
    break;
  case ExprKind::Ge:
    result = a >= b;
    break;
  case ExprKind::And:
    result = a != 0 && b != 0;
    break;
  case ExprKind::Or:
    result = a != 0 || b != 0;
    break;
  default:
    assert(false && "not a binary operator");
  }
  return overflow ? ArithmeticError::Overflow : ArithmeticError::None;
}

llvm::Expected<int64_t> Expr::evaluate(SymbolLookup lookup) const {
  if (node->kind == ExprKind::Literal)
    return node->literal;
  if (node->kind == ExprKind::Symbol) {
    if (std::optional<int64_t> value = lookup(node->symbol))
      return *value;
    return llvm::createStringError("unknown symbol '" + node->symbol + "'");
  }
  llvm::Expected<int64_t> a = getOperand(0).evaluate(lookup);
  if (!a)
    return a.takeError();
  switch (node->kind) {
  case ExprKind::Not:
    return *a == 0;
  case ExprKind::Select:
    return getOperand(*a != 0 ? 1 : 2).evaluate(lookup);
  case ExprKind::And:
    if (*a == 0)
      return 0;
    break;
  case ExprKind::Or:
    if (*a != 0)
      return 1;
    break;
  default:
    break;
  }
  llvm::Expected<int64_t> b = getOperand(1).evaluate(lookup);
  if (!b)
    return b.takeError();
  int64_t result = 0;
  switch (apply(node->kind, *a, *b, result)) {
  case ArithmeticError::None:
    return result;
  case ArithmeticError::Overflow:
    return llvm::createStringError("64-bit overflow in '" + str() + "' with " +
                                   llvm::Twine(*a) + " and " + llvm::Twine(*b));
  case ArithmeticError::DivisionByZero:
    break;
  }
  return llvm::createStringError("division by zero in '" + str() + "'");
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The precedence of an operator; leaves, functions and `!` have the highest.
static unsigned getPrecedence(ExprKind kind) {
  switch (kind) {
  case ExprKind::Or:
    return 1;
  case ExprKind::And:
    return 2;
  case ExprKind::Eq:
  case ExprKind::Ne:
    return 3;
  case ExprKind::Lt:
  case ExprKind::Le:
  case ExprKind::Gt:
  case ExprKind::Ge:
    return 4;
  case ExprKind::Add:
  case ExprKind::Sub:
    return 5;
  case ExprKind::Mul:
  case ExprKind::Div:
  case ExprKind::Mod:
    return 6;
  default:
    return 7;
  }
}

static void printAbove(const Expr &expr, unsigned minimum,
                       llvm::raw_ostream &os) {
  bool parentheses = getPrecedence(expr.getKind()) < minimum;
  if (parentheses)
    os << '(';
  expr.print(os);
  if (parentheses)
    os << ')';
}

void Expr::print(llvm::raw_ostream &os) const {
  switch (node->kind) {
  case ExprKind::Literal:
    os << node->literal;
    return;
  case ExprKind::Symbol:
    os << node->symbol;
    return;
  case ExprKind::Not:
    os << '!';
    printAbove(getOperand(0), 7, os);
    return;
  case ExprKind::CeilDiv:
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::Select:
    os << getExprSpelling(node->kind) << '(';
    llvm::interleaveComma(node->operands, os);
    os << ')';
    return;
  default:
    break;
  }
  // Operators are left-associative: only a right operand of the same precedence
  // needs parentheses to preserve the tree.
  unsigned precedence = getPrecedence(node->kind);
  printAbove(getOperand(0), precedence, os);
  os << ' ' << getExprSpelling(node->kind) << ' ';
  printAbove(getOperand(1), precedence + 1, os);
}

std::string Expr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &tcgemm::operator<<(llvm::raw_ostream &os, const Expr &expr) {
  expr.print(os);
  return os;
}
