//===- ReduceProgram.cpp - The program that sums split-K's slices ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread for each element adds the slices' partial results in order, which
// makes the result reproducible, and runs the epilogue once. Without slices it
// is also the program for K = 0.
//
//===----------------------------------------------------------------------===//

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"

using namespace mlir;
using namespace tcgemm;

ProgramOp tcgemm::buildReduceProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                     const KernelConfig &config,
                                     StringRef name) {
  ProgramBuilder p(kernel, module, name, kReduceThreads);
  auto &b = p.b();
  Value blocks = p.ceilDiv(p.size("N"), kReduceThreads);
  Value row = p.divU(p.blockId(), blocks);
  Value n = p.add(p.mul(p.remU(p.blockId(), blocks), p.i32(kReduceThreads)),
                  p.threadId());
  Value batch = p.divU(row, p.size("M"));
  Value m = p.remU(row, p.size("M"));
  Value pitch = p.ext(p.size("N"));
  // Threads beyond the row's end read its last element; the epilogue does not
  // store their results.
  Value last = p.sub(p.size("N"), p.i32(1));
  Value column = b.create<arith::MinUIOp>(n, last);
  Value offset = p.add(p.mul(p.ext(row), pitch), p.ext(column));
  Value plane =
      p.mul(pitch, p.mul(p.ext(p.size("M")), p.ext(p.countProducts())));
  if (config.waitsForGrids())
    b.create<GridWaitOp>();
  Type element = kernel.getAccumulatorType();
  auto type = AccType::get(1, 1, element, AccLayout::Row);
  Value acc = b.create<AccGatherOp>(
      type, p.workspace(Expr::symbol(kPartials), element), plane, offset,
      p.expression(Expr::symbol(kSlices), b.getI32Type()));
  if (config.waitsForGrids())
    b.create<GridLaunchDependentsOp>();
  // Dual products have no slices of k: both sums are of nothing.
  StoreInfo info;
  if (kernel.findSecond())
    info.second = acc;
  buildEpilogue(p, acc, batch, m, n, info);
  return p.finish();
}
