//===- TensorMapGuard.cpp - When a tensor map can be encoded --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of TensorMap.cpp as an expression, for guards.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Manifest.h"

using namespace tcgemm;

Expr tcgemm::getTensorMapGuard(const TensorMapInfo &map) {
  Expr guard = 1;
  auto require = [&](const Expr &condition) {
    guard = guard.isConstant(1) ? condition : logicalAnd(guard, condition);
  };
  // A constant that breaks its rule is the verifier's business.
  auto requireAligned = [&](const Expr &value) {
    if (!value.getConstant())
      require(eq(value % kTensorMapAlignment, 0));
  };
  requireAligned(map.base.kind == ArgumentKind::Pointer
                     ? Expr::symbol(map.base.operand + ".base")
                     : map.base.value);
  for (const Expr &dim : map.dims)
    if (!dim.getConstant()) {
      require(ge(dim, 1));
      require(le(dim, kMaxTensorMapDim));
    }
  for (const Expr &stride : map.strides)
    if (!stride.getConstant()) {
      requireAligned(stride);
      require(ge(stride, 0));
      require(lt(stride, kTensorMapStrideLimit));
    }
  return guard;
}
