//===- TensorMapGuard.cpp - Conditions for encoding a tensor map ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of TensorMap.cpp as expressions, for guards.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/TensorMapGuard.h"
#include "tcgemm/Target/Manifest.h"

using namespace tcgemm;

std::vector<Expr> tcgemm::getTensorMapConditions(const Expr &base,
                                                 llvm::ArrayRef<Expr> dims,
                                                 llvm::ArrayRef<Expr> strides) {
  std::vector<Expr> conditions;
  // The verifier reports constants that break their rule.
  auto requireAligned = [&](const Expr &value) {
    if (!value.getConstant())
      conditions.push_back(eq(value % kTensorMapAlignment, 0));
  };
  requireAligned(base);
  for (const Expr &dim : dims)
    if (!dim.getConstant()) {
      conditions.push_back(ge(dim, 1));
      conditions.push_back(le(dim, kMaxTensorMapDim));
    }
  for (const Expr &stride : strides)
    if (!stride.getConstant()) {
      requireAligned(stride);
      conditions.push_back(ge(stride, 0));
      conditions.push_back(lt(stride, kTensorMapStrideLimit));
    }
  return conditions;
}

Expr tcgemm::getTensorMapGuard(const TensorMapInfo &map) {
  bool isPointer = map.base.kind == ArgumentKind::Pointer;
  Expr base =
      isPointer ? Expr::symbol(map.base.operand + ".base") : map.base.value;
  return allOf(getTensorMapConditions(base, map.dims, map.strides));
}
