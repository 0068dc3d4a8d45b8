//===- StagedPlan.cpp - Plans of multistage kernels -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads copy A and B to shared memory with the maximum width that bases and
// strides allow. An operand that they cannot copy is packed first.
//
//===----------------------------------------------------------------------===//

#include "Common/StagedPlan.h"

using namespace mlir;
using namespace tcgemm;

/// Adds the condition that K is a multiple of `vector`.
static Conditions withMultiple(Conditions guard, int64_t vector) {
  if (vector > 1)
    guard.push_back(eq(getSizeSymbol('k') % vector, 0));
  return guard;
}

/// Elements along k that K must be a multiple of for copies by `c`: those of
/// their width, or of a group of 4-bit elements that has a scale.
static int64_t getMultiple(PlanBuilder &plan, const KernelConfig &c) {
  return std::max(plan.getVector(c), plan.getProblem().groups.depth);
}

/// Adds the variants for an A or B that the main program's copies cannot read.
static void addUnaligned(PlanBuilder &plan, const KernelConfig &config,
                         ProgramFactory build) {
  const ProblemInfo &problem = plan.getProblem();
  if (config.unaligned == UnalignedPath::Pack || !plan.canRead({}))
    return;
  KernelConfig narrow = config;
  narrow.copyA = getUnalignedBytes(config.unaligned, problem, 0);
  narrow.copyB = getUnalignedBytes(config.unaligned, problem, 1);
  int64_t a = getCopyBytes(narrow, problem, 0),
          b = getCopyBytes(narrow, problem, 1);
  int64_t vector = getMultiple(plan, narrow);
  bool isMain = a == getCopyBytes(config, problem, 0) &&
                b == getCopyBytes(config, problem, 1);
  if (isMain || plan.isMisaligned(vector))
    return;
  // The value is the name of the variant: `copy_8`.
  std::string name = config.get("unaligned");
  plan.addTiled(name, withMultiple(plan.getAlignments(a, b), vector),
                build(narrow, plan.getName(name)), narrow, {});
}

void tcgemm::planStaged(PlanBuilder &plan, ProgramOp main,
                        const KernelConfig &c, ProgramFactory build) {
  int64_t vector = getMultiple(plan, c);
  int64_t a = getCopyBytes(c, plan.getProblem(), 0),
          b = getCopyBytes(c, plan.getProblem(), 1);
  if (!plan.isMisaligned(vector)) {
    plan.addTiled("aligned", withMultiple(plan.getAlignments(a, b), vector),
                  main, c, {});
    addUnaligned(plan, c, build);
    plan.addTiled("pack_b", withMultiple(plan.getAlignment(0, a), vector), main,
                  c, {1});
    plan.addTiled("pack_a", withMultiple(plan.getAlignment(1, b), vector), main,
                  c, {0});
  } else {
    addUnaligned(plan, c, build);
  }
  // The first tile has what K leaves of whole tiles, but groups start at 0.
  plan.addTiled("pack_ab", withMultiple({}, plan.getProblem().groups.depth),
                main, c, {0, 1});
}

void tcgemm::planStaged(PlanBuilder &plan, ProgramWriter write) {
  auto build = [&](const KernelConfig &c, StringRef name) {
    return write(plan.getKernel(), plan.getModule(), c, name);
  };
  const KernelConfig &config = plan.getConfig();
  planStaged(plan, build(config, plan.getName("main")), config, build);
}
