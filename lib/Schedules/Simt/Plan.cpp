//===- Plan.cpp - The plan of simt ----------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand that is not staged is read from global memory where all k-tiles
// and all runs of a thread are whole. Elsewhere a program that copies it to
// shared memory takes its place.
//
//===----------------------------------------------------------------------===//

#include "Common/StagedPlan.h"
#include "Simt/Family.h"
#include "tcgemm/Config/Simt.h"

using namespace mlir;
using namespace tcgemm;

/// Adds the variant with the operand `operand` in global memory, if the static
/// sizes allow it.
static void addFetch(PlanBuilder &plan, unsigned operand) {
  const KernelConfig &c = plan.getConfig();
  const ProblemInfo &problem = plan.getProblem();
  KernelOp kernel = plan.getKernel();
  bool kContiguous = isKContiguous(kernel, operand);
  // A thread loads a run, or the elements of a step along k, at once.
  int64_t vector = kContiguous ? getSimtDepth(c, problem)
                               : getSimtVector(c, problem, operand);
  Expr k = getSizeSymbol('k'), side = getSizeSymbol(operand ? 'n' : 'm');
  int64_t staticK = kernel.getK();
  int64_t staticSide = operand ? kernel.getN() : kernel.getM();
  auto divides = [](int64_t unit, int64_t size) {
    return ShapedType::isDynamic(size) || size % unit == 0;
  };
  if (!plan.canRead({}) || !divides(c.cta[2], staticK) ||
      (!kContiguous && !divides(vector, staticSide)))
    return;
  Conditions guard{eq(k % c.cta[2], 0)};
  if (!kContiguous && vector > 1)
    guard.push_back(eq(side % vector, 0));
  for (unsigned each : {0, 1})
    llvm::append_range(
        guard, plan.getAlignment(each, each == operand
                                           ? vector * problem.getBits(each) / 8
                                           : getCopyBytes(c, problem, each)));
  plan.addTiled(
      "fetch", guard,
      buildSimtProgram(kernel, plan.getModule(), c, plan.getName("fetch")), c,
      {});
}

void tcgemm::planSimt(PlanBuilder &plan) {
  auto build = [&](const KernelConfig &c, StringRef name) {
    return buildSimtProgram(plan.getKernel(), plan.getModule(), c, name);
  };
  KernelConfig staged = plan.getConfig();
  for (unsigned operand : {0, 1})
    if (!staged.isStaged(operand))
      addFetch(plan, operand);
  staged.stageA = staged.stageB = true;
  planStaged(plan, build(staged, plan.getName("main")), staged, build);
}
