//===- Plan.cpp - The plan of the expand schedule -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wide program needs whole vectors. The narrow one reads and writes single
// elements wherever they are.
//
//===----------------------------------------------------------------------===//

#include "Expand/Family.h"
#include "tcgemm/Config/Expand.h"

using namespace mlir;
using namespace tcgemm;

/// The conditions that runs of elements along `dim`, which are `step` apart,
/// are whole vectors of `vector` elements in the operand.
static void addAlignment(Conditions &guard, KernelOp kernel, unsigned operand,
                         char dim, int64_t step, int64_t vector,
                         int64_t bytes) {
  std::string name = kernel.getOperandName(operand);
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  guard.push_back(eq(Expr::symbol(name + ".base") % (vector * bytes), 0));
  for (auto [position, other] : llvm::enumerate(dims)) {
    Expr stride = getStrideSymbol(name, position);
    if (other == dim)
      guard.push_back(eq(stride, step));
    else if (position + 1 == dims.size())
      guard.push_back(eq(stride, 1));
    else if (vector > 1)
      guard.push_back(eq(stride % vector, 0));
  }
}

/// The conditions of the wide program.
static Conditions getWideGuard(KernelOp kernel, const ExpandAccess &access) {
  Conditions guard;
  int64_t width = access.width;
  int64_t loads = access.getLoadRun(width), stores = access.getStoreRun(width);
  addAlignment(guard, kernel, access.data, access.loaded, loads / width,
               access.getVector(loads, access.dataBytes), access.dataBytes);
  addAlignment(guard, kernel, kExpandResult, access.stored, stores / width,
               access.getVector(stores, access.resultBytes),
               access.resultBytes);
  if (width > 1)
    guard.push_back(eq(getSizeSymbol(access.loaded) % width, 0));
  if (access.isTransposed() && width > 1)
    guard.push_back(eq(getSizeSymbol(access.stored) % width, 0));
  return guard;
}

void tcgemm::planExpand(PlanBuilder &plan) {
  KernelOp kernel = plan.getKernel();
  const KernelConfig &config = plan.getConfig();
  ExpandAccess access(kernel);
  auto add = [&](StringRef name, Conditions guard, bool isWide) {
    ProgramOp program = buildExpandProgram(kernel, plan.getModule(), config,
                                           plan.getName(name), isWide);
    Expr blocks = access.countBlocks(isWide ? access.width : 1);
    // Threads count groups of places in 32 bits.
    constexpr int64_t mostGroups = (int64_t(1) << 32) - 1;
    if (!access.isTransposed())
      guard.push_back(
          le(blocks, mostGroups / ExpandShape::kThreads / access.kRounds));
    plan.finish(plan.start(name, std::move(guard), config, {}), program,
                blocks);
  };
  if (access.hasWide)
    add("aligned", getWideGuard(kernel, access), /*isWide=*/true);
  add("elements", {}, /*isWide=*/false);
}
