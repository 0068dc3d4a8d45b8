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
using llvm::formatv;

std::string Planner::fetchGuard(unsigned operand) {
  StringRef x = operand ? "B" : "A", side = operand ? "N" : "M";
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  // The instruction takes 32 bits of a pitch that is not negative.
  size_t pitch =
      dims.find(isKContiguous(kernel, operand) ? (operand ? 'n' : 'm') : 'k');
  return formatv("{0} && {1}.stride{2} >= 0 && {1}.stride{2} < 2147483648 && "
                 "{3} % {4} == 0",
                 alignment(operand, 32), x, pitch, side,
                 config.instruction[operand]);
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
    std::string guard = formatv("K % {0} == 0", config.cta[2]);
    for (unsigned operand : {0, 1})
      guard += " && " + (config.wmma.isStaged(operand) ? alignment(operand, 16)
                                                       : fetchGuard(operand));
    addMainVariant("fetch", guard,
                   buildWmmaProgram(kernel, module, config, name("fetch")),
                   config, {});
  }
  KernelConfig staged = config;
  staged.wmma.stageA = staged.wmma.stageB = true;
  addStaged(buildWmmaProgram(kernel, module, staged, name("main")), staged);
}
