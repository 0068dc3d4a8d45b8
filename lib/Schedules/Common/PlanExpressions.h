//===- PlanExpressions.h - Expressions of a plan ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expr's operators fold. These do not: a factor keeps its place in the manifest
// whatever its value, so that a reader finds splitK or the batch of 1 there.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_PLANEXPRESSIONS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_PLANEXPRESSIONS_H

#include "tcgemm/Target/Expr.h"

namespace tcgemm {

/// `a * b * c` of at least one factor.
inline Expr product(llvm::ArrayRef<Expr> factors) {
  Expr result = factors.front();
  for (const Expr &factor : factors.drop_front())
    result = Expr::make(ExprKind::Mul, {result, factor});
  return result;
}

/// `a + b`.
inline Expr sum(const Expr &a, const Expr &b) {
  return Expr::make(ExprKind::Add, {a, b});
}

/// `ceildiv(size, tile)`.
inline Expr countTiles(const Expr &size, int64_t tile) {
  return Expr::make(ExprKind::CeilDiv, {size, Expr(tile)});
}

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_PLANEXPRESSIONS_H
