//===- CheckProgram.cpp - Checks the sizes of groups ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread compares the sizes of every kCheckThreads-th group with the bound
// and with the end of the group before. All of these comparisons hold if and
// only if the sizes obey the rule of their kind.
//
//===----------------------------------------------------------------------===//

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

/// Returns whether the size of `group` obeys the rule.
static Value obeysRule(ProgramBuilder &p, const GroupKindInfo &info,
                       Value offsets, Value group) {
  auto load = [&](Value index) -> Value {
    return p.create<memref::LoadOp>(offsets, p.index(index));
  };
  Value zero = p.i32(0), size = load(group);
  // The bound is not negative, so that a negative size exceeds it as a number
  // without a sign.
  Value isInside = p.lessEqualU(size, p.size(info.getBoundDim()));
  if (info.hasCounts)
    return isInside;
  // The first group has no end before it. Its own one is read instead.
  Value isFirst = p.equal(group, zero);
  Value before = load(p.select(isFirst, zero, p.sub(group, p.i32(1))));
  Value start = p.select(isFirst, zero, before);
  return p.bitAnd(isInside, p.cmp(arith::CmpIPredicate::sle, start, size));
}

ProgramOp tcgemm::buildCheckProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                    const KernelConfig &config,
                                    StringRef name) {
  const GroupKindInfo &info = getGroupKindInfo(*kernel.findGroupKind());
  ProgramBuilder p(kernel, module, name, kCheckThreads);
  Value offsets = p.pointer(*kernel.findOffsets());
  if (config.waitsForGrids())
    p.create<GridWaitOp>();
  Value obeyed = p.create<arith::ConstantOp>(p.getBoolAttr(true));
  auto loop = p.create<scf::ForOp>(p.threadId(), p.size('b'),
                                   p.i32(kCheckThreads), ValueRange(obeyed));
  {
    OpBuilder::InsertionGuard scope(p);
    p.setInsertionPointToStart(loop.getBody());
    Value own = obeysRule(p, info, offsets, loop.getInductionVar());
    p.create<scf::YieldOp>(ValueRange(p.bitAnd(loop.getRegionIterArg(0), own)));
  }
  p.create<cf::AssertOp>(loop.getResult(0), info.rule);
  if (config.waitsForGrids())
    p.create<GridLaunchDependentsOp>();
  return p.finish();
}
