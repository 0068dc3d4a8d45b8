//===- ExprBuilder.cpp - Builders of the manifest's expressions -----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators with which the compiler builds expressions: they fold
// constants and neutral elements.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Expr.h"

using namespace tcgemm;

/// A node of two operands, folded if both are constant and it has a value.
static Expr build(ExprKind kind, const Expr &a, const Expr &b) {
  Expr expr = Expr::make(kind, {a, b});
  if (!a.getConstant() || !b.getConstant())
    return expr;
  llvm::Expected<int64_t> value =
      expr.evaluate([](llvm::StringRef) { return std::nullopt; });
  if (value)
    return *value;
  // A node without a value is not folded, and fails when it is evaluated.
  llvm::consumeError(value.takeError());
  return expr;
}

Expr tcgemm::operator+(const Expr &a, const Expr &b) {
  if (b.isConstant(0))
    return a;
  if (a.isConstant(0))
    return b;
  return build(ExprKind::Add, a, b);
}

Expr tcgemm::operator-(const Expr &a, const Expr &b) {
  if (b.isConstant(0))
    return a;
  return build(ExprKind::Sub, a, b);
}

Expr tcgemm::operator*(const Expr &a, const Expr &b) {
  if (b.isConstant(1))
    return a;
  if (a.isConstant(1))
    return b;
  return build(ExprKind::Mul, a, b);
}

Expr tcgemm::operator/(const Expr &a, const Expr &b) {
  if (b.isConstant(1))
    return a;
  return build(ExprKind::Div, a, b);
}

Expr tcgemm::operator%(const Expr &a, const Expr &b) {
  if (b.isConstant(1))
    return 0;
  return build(ExprKind::Mod, a, b);
}

Expr tcgemm::ceilDiv(const Expr &a, const Expr &b) {
  if (b.isConstant(1))
    return a;
  return build(ExprKind::CeilDiv, a, b);
}

Expr tcgemm::min(const Expr &a, const Expr &b) {
  return a.isSame(b) ? a : build(ExprKind::Min, a, b);
}

Expr tcgemm::max(const Expr &a, const Expr &b) {
  return a.isSame(b) ? a : build(ExprKind::Max, a, b);
}

Expr tcgemm::select(const Expr &condition, const Expr &a, const Expr &b) {
  if (std::optional<int64_t> value = condition.getConstant())
    return *value != 0 ? a : b;
  return a.isSame(b) ? a : Expr::make(ExprKind::Select, {condition, a, b});
}

Expr tcgemm::roundUp(const Expr &a, const Expr &b) { return ceilDiv(a, b) * b; }

Expr tcgemm::eq(const Expr &a, const Expr &b) {
  return build(ExprKind::Eq, a, b);
}
Expr tcgemm::ne(const Expr &a, const Expr &b) {
  return build(ExprKind::Ne, a, b);
}
Expr tcgemm::lt(const Expr &a, const Expr &b) {
  return build(ExprKind::Lt, a, b);
}
Expr tcgemm::le(const Expr &a, const Expr &b) {
  return build(ExprKind::Le, a, b);
}
Expr tcgemm::gt(const Expr &a, const Expr &b) {
  return build(ExprKind::Gt, a, b);
}
Expr tcgemm::ge(const Expr &a, const Expr &b) {
  return build(ExprKind::Ge, a, b);
}

Expr tcgemm::logicalAnd(const Expr &a, const Expr &b) {
  // `x && 1` is x only if x is 0 or 1.
  if (a.isConstant(0) || b.isConstant(0))
    return 0;
  if (a.getConstant() && b.isBoolean())
    return b;
  if (b.getConstant() && a.isBoolean())
    return a;
  return build(ExprKind::And, a, b);
}

Expr tcgemm::logicalOr(const Expr &a, const Expr &b) {
  if ((a.getConstant() && !a.isConstant(0)) ||
      (b.getConstant() && !b.isConstant(0)))
    return 1;
  if (a.isConstant(0) && b.isBoolean())
    return b;
  if (b.isConstant(0) && a.isBoolean())
    return a;
  return build(ExprKind::Or, a, b);
}

Expr tcgemm::logicalNot(const Expr &a) {
  if (std::optional<int64_t> value = a.getConstant())
    return *value == 0;
  return Expr::make(ExprKind::Not, {a});
}

Expr tcgemm::allOf(llvm::ArrayRef<Expr> conditions) {
  Expr all = 1;
  for (const Expr &condition : conditions)
    all = all.isConstant(1) ? condition : logicalAnd(all, condition);
  return all;
}
