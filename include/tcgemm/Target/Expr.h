//===- Expr.h - Integer expressions of the manifest -------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small integer language of docs/reference/manifest.md: guards, grids,
// workspace sizes and argument values. One tree is written into the manifest by
// the compiler, evaluated by the runtime, and emitted as arith for embedders.
//
// Values are signed 64-bit integers; truth is "not zero". Trees are immutable
// and shared, so that copying an Expr is cheap. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_EXPR_H
#define TCGEMM_TARGET_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tcgemm {

/// The kind of a node of an expression.
enum class ExprKind {
  Literal,
  Symbol,
  Add,
  Sub,
  Mul,
  Div,     ///< Floor division.
  Mod,     ///< a - b * floor(a / b): non-negative for a positive divisor.
  CeilDiv, ///< Division rounded towards positive infinity.
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,    ///< Lazy: the right side is not evaluated if the left one is 0.
  Or,     ///< Lazy: the right side is not evaluated if the left one is not 0.
  Not,    ///< 1 if the operand is 0, else 0.
  Select, ///< select(c, a, b): only the chosen operand is evaluated.
};

/// The operator or function name of `kind` in the language.
llvm::StringRef getExprSpelling(ExprKind kind);

/// An integer expression: a handle on a shared immutable tree.
class Expr {
public:
  /// Looks a symbol's value up; nullopt if there is no such symbol.
  using SymbolLookup =
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)>;

  /// The literal 0.
  Expr() : Expr(int64_t(0)) {}
  /// A literal. Implicit, so that builders read as arithmetic: `m + 1`.
  Expr(int64_t literal);
  Expr(int literal) : Expr(int64_t(literal)) {}
  Expr(unsigned literal) : Expr(int64_t(literal)) {}

  /// A symbol such as `M` or `A.stride0`. `name` must satisfy isSymbolName.
  static Expr symbol(llvm::StringRef name);
  /// A node as given, without any folding.
  static Expr make(ExprKind kind, std::vector<Expr> operands);

  /// Returns whether `name` is an identifier, or several joined by dots, and
  /// not a function name of the language.
  static bool isSymbolName(llvm::StringRef name);

  /// Parses the text of an expression, without folding, so that printing gives
  /// the same tree back. An error names the column (from 1) and what was
  /// expected there.
  static llvm::Expected<Expr> parse(llvm::StringRef text);

  ExprKind getKind() const;
  /// The value of a literal.
  int64_t getLiteral() const;
  /// The name of a symbol.
  llvm::StringRef getSymbol() const;
  llvm::ArrayRef<Expr> getOperands() const;
  const Expr &getOperand(unsigned index) const { return getOperands()[index]; }
  /// The value if this is a literal.
  std::optional<int64_t> getConstant() const;
  bool isConstant(int64_t value) const { return getConstant() == value; }
  /// Returns whether the value can only be 0 or 1.
  bool isBoolean() const;
  /// The height of the tree; a leaf has 1.
  unsigned getDepth() const;
  /// The identity of the shared node, for memoising over a tree.
  const void *getOpaquePointer() const { return node.get(); }

  /// The value. Errors: an unknown symbol, overflow, division by zero; the
  /// text quotes the subexpression.
  llvm::Expected<int64_t> evaluate(SymbolLookup lookup) const;

  /// Every symbol, once, in order of first appearance.
  std::vector<std::string> collectSymbols() const;

  /// Prints the text with the minimum of parentheses.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

  /// Replaces the symbols for which `lookup` has an expression, without
  /// folding.
  Expr substitute(
      llvm::function_ref<std::optional<Expr>(llvm::StringRef)> lookup) const;

  /// Structural equality. There is no operator `==`, because it could be
  /// mistaken for one that builds a node.
  bool isSame(const Expr &other) const;
  /// Equal for trees that isSame compares equal.
  friend llvm::hash_code hash_value(const Expr &expr);

private:
  struct Node;
  explicit Expr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  std::shared_ptr<const Node> node;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Expr &expr);

/// Builders. They fold constants (where that cannot overflow) and neutral
/// elements, so that generated text stays short.
Expr operator+(const Expr &a, const Expr &b);
Expr operator-(const Expr &a, const Expr &b);
Expr operator*(const Expr &a, const Expr &b);
/// Floor division.
Expr operator/(const Expr &a, const Expr &b);
Expr operator%(const Expr &a, const Expr &b);
Expr ceilDiv(const Expr &a, const Expr &b);
Expr min(const Expr &a, const Expr &b);
Expr max(const Expr &a, const Expr &b);
Expr select(const Expr &condition, const Expr &a, const Expr &b);
/// ceilDiv(a, b) * b.
Expr roundUp(const Expr &a, const Expr &b);
Expr eq(const Expr &a, const Expr &b);
Expr ne(const Expr &a, const Expr &b);
Expr lt(const Expr &a, const Expr &b);
Expr le(const Expr &a, const Expr &b);
Expr gt(const Expr &a, const Expr &b);
Expr ge(const Expr &a, const Expr &b);
Expr logicalAnd(const Expr &a, const Expr &b);
Expr logicalOr(const Expr &a, const Expr &b);
Expr logicalNot(const Expr &a);
/// `a && b && c`; 1 for no conditions.
Expr allOf(llvm::ArrayRef<Expr> conditions);

/// Walks an expression bottom up. Derive as
/// `struct Emit : ExprVisitor<Emit, Value>` and define
///   Result visitLiteral(int64_t value);
///   Result visitSymbol(llvm::StringRef name);
///   Result visitNode(ExprKind kind, llvm::ArrayRef<Result> operands);
/// then call `visit(expr)`. Every operand is visited; the visitor itself must
/// implement lazy evaluation (&&, ||, select).
template <typename Derived, typename Result> class ExprVisitor {
public:
  Result visit(const Expr &expr) {
    Derived &self = static_cast<Derived &>(*this);
    if (expr.getKind() == ExprKind::Literal)
      return self.visitLiteral(expr.getLiteral());
    if (expr.getKind() == ExprKind::Symbol)
      return self.visitSymbol(expr.getSymbol());
    std::vector<Result> operands;
    operands.reserve(expr.getOperands().size());
    for (const Expr &operand : expr.getOperands())
      operands.push_back(visit(operand));
    return self.visitNode(expr.getKind(), llvm::ArrayRef<Result>(operands));
  }
};

} // namespace tcgemm

#endif // TCGEMM_TARGET_EXPR_H
