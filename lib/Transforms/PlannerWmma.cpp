//===- PlannerWmma.cpp - The plan of the wmma schedule -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is loaded straight from global memory must lie as wmma wants it, and in
// whole fragments; else it is copied to shared memory by a program of its own.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;
using namespace tcgemm;

Conditions Planner::fetchGuard(unsigned operand) {
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  // The instruction takes 32 bits of a pitch that is not negative.
  size_t pitch =
      dims.find(isKContiguous(kernel, operand) ? (operand ? 'n' : 'm') : 'k');
  Expr stride = getStrideSymbol(operand ? "B" : "A", pitch);
  Conditions guard = alignment(operand, 32);
  guard.append(
      {ge(stride, 0), lt(stride, int64_t(1) << 31),
       eq(getSizeSymbol(operand ? 'n' : 'm') % config.instruction[operand],
          0)});
  return guard;
}

void Planner::addWmma() {
  auto divides = [&](int64_t unit, int64_t size) {
    return ShapedType::isDynamic(size) || size % unit == 0;
  };
  int64_t sides[] = {kernel.getM(), kernel.getN()};
  bool isFetched = false;
  bool canFetch = divides(config.cta[2], kernel.getK());
  for (unsigned operand : {0, 1}) {
    isFetched |= !config.wmma.isStaged(operand);
    canFetch &= config.wmma.isStaged(operand) ||
                divides(config.instruction[operand], sides[operand]);
  }
  if (isFetched && canFetch) {
    Conditions guard{eq(getSizeSymbol('k') % config.cta[2], 0)};
    for (unsigned operand : {0, 1})
      llvm::append_range(guard, config.wmma.isStaged(operand)
                                    ? alignment(operand, 16)
                                    : fetchGuard(operand));
    addMainVariant("fetch", guard,
                   buildWmmaProgram(kernel, module, config, name("fetch")),
                   config, {});
  }
  KernelConfig staged = config;
  staged.wmma.stageA = staged.wmma.stageB = true;
  addStaged(buildWmmaProgram(kernel, module, staged, name("main")), staged);
}
