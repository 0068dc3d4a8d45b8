//===- PlanExpressions.h - Expressions of a plan ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expr's operators fold, but these functions do not. A factor is in the
// manifest even if it is 1, so that readers find splitK and the batch there.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_PLANEXPRESSIONS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_PLANEXPRESSIONS_H

#include "tcgemm/Config/KernelConfig.h"
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

/// The CTAs that can be resident at the same time on all multiprocessors, by
/// the configuration's min_ctas.
inline Expr getResidentCtas(const KernelConfig &c) {
  return product({Expr::symbol("sm_count"), std::max<int64_t>(1, c.minCtas)});
}

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_PLANEXPRESSIONS_H
