//===- Plan.cpp - The plan of the wmma schedule ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands that are loaded directly from global memory must have the alignment
// of wmma and consist of whole fragments. Otherwise a separate program copies
// them to shared memory.
//
//===----------------------------------------------------------------------===//

#include "Common/StagedPlan.h"
#include "Wmma/Family.h"

using namespace mlir;
using namespace tcgemm;

/// The conditions for loading fragments directly from an operand.
static Conditions getFetchGuard(PlanBuilder &plan, unsigned operand) {
  KernelOp kernel = plan.getKernel();
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  // The instruction supports pitches from 0 to 2^31 - 1.
  size_t pitch =
      dims.find(isKContiguous(kernel, operand) ? (operand ? 'n' : 'm') : 'k');
  Expr stride = getStrideSymbol(operand ? "B" : "A", pitch);
  Expr side = getSizeSymbol(operand ? 'n' : 'm');
  Conditions guard = plan.getAlignment(operand, 32);
  guard.append({ge(stride, 0), lt(stride, int64_t(1) << 31),
                eq(side % plan.getConfig().instruction[operand], 0)});
  return guard;
}

/// Returns whether the kernel's static sizes allow the program to load operands
/// that are not staged.
static bool canFetch(KernelOp kernel, const KernelConfig &config) {
  auto divides = [](int64_t unit, int64_t size) {
    return ShapedType::isDynamic(size) || size % unit == 0;
  };
  int64_t sides[] = {kernel.getM(), kernel.getN()};
  return divides(config.cta[2], kernel.getK()) &&
         llvm::all_of(ArrayRef<unsigned>{0, 1}, [&](unsigned operand) {
           return config.isStaged(operand) ||
                  divides(config.instruction[operand], sides[operand]);
         });
}

void tcgemm::planWmma(PlanBuilder &plan) {
  const KernelConfig &config = plan.getConfig();
  auto build = [&](const KernelConfig &c, StringRef name) {
    return buildWmmaProgram(plan.getKernel(), plan.getModule(), c, name);
  };
  bool isFetched = !config.isStaged(0) || !config.isStaged(1);
  if (isFetched && plan.canRead({}) && canFetch(plan.getKernel(), config)) {
    Conditions guard{eq(getSizeSymbol('k') % config.cta[2], 0)};
    for (unsigned operand : {0, 1})
      llvm::append_range(guard, config.isStaged(operand)
                                    ? plan.getAlignment(operand, 16)
                                    : getFetchGuard(plan, operand));
    plan.addTiled("fetch", guard, build(config, plan.getName("fetch")), config,
                  {});
  }
  KernelConfig staged = config;
  staged.stageA = staged.stageB = true;
  planStaged(plan, build(staged, plan.getName("main")), staged, build);
}
