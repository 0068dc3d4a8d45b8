//===- AddressDependence.cpp - Plans that depend on addresses
//---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/AddressDependence.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

static bool hasBase(const Expr &expr) {
  return any_of(expr.collectSymbols(),
                [](StringRef symbol) { return symbol.ends_with(".base"); });
}

static bool isMonotone(const Expr &guard) {
  if (!hasBase(guard))
    return true;
  if (guard.getKind() == ExprKind::And)
    return all_of(guard.getOperands(), isMonotone);
  if (guard.getKind() != ExprKind::Eq || !guard.getOperand(1).isConstant(0))
    return false;
  const Expr &rest = guard.getOperand(0);
  return rest.getKind() == ExprKind::Mod &&
         rest.getOperand(0).getKind() == ExprKind::Symbol &&
         rest.getOperand(1).getConstant();
}

/// Returns whether a number that the plan fixes depends on an address.
static bool dependsOnAddress(const Step &step) {
  auto isOfAddress = [](const Argument &argument) {
    return hasBase(argument.value);
  };
  return any_of(step.grid, hasBase) || (step.when && hasBase(*step.when)) ||
         any_of(step.arguments, isOfAddress) ||
         any_of(step.tensorMaps, [&](const TensorMapInfo &map) {
           return any_of(map.dims, hasBase) || any_of(map.strides, hasBase) ||
                  isOfAddress(map.base);
         });
}

bool dependsOnAlignmentOnly(const Variant &variant) {
  return isMonotone(variant.guard) && none_of(variant.steps, dependsOnAddress);
}

} // namespace tcgemm
