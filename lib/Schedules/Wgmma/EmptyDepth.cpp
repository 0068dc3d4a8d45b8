//===- EmptyDepth.cpp - Sums of nothing in groups -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where K is 0, all sums are zero and results are the epilogue of zero. A and B
// have no elements, so that no tensor map of them exists. With groups, only the
// list of tiles says which results there are. The program goes through that
// list as the main program does, but it has no stages.
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Epilogue.h"
#include "Wgmma/Family.h"

using namespace mlir;
using namespace tcgemm;

/// The configuration of the program: threads store, and each tile is one CTA's
/// and has all of its warpgroups. A persistent program's epilogue reads its
/// inputs behind the sums, and not while the first stage is waited for.
static KernelConfig getConfig(KernelConfig c) {
  if (c.wgmma.pingpong)
    c.warps = {4, 1, 1};
  c.warps[2] = 1;
  c.wgmma.pingpong = c.wgmma.stageInputs = c.wgmma.promoteSums = false;
  c.wgmma.cluster = {1, 1, 1};
  c.persistent = true;
  c.wgmma.producer = KernelConfig().wgmma.producer;
  c.epilogue = EpilogueKind::Direct;
  return c;
}

/// Stores the epilogue of zero for each tile.
static void buildConsumer(const WgmmaContext &context,
                          const WgmmaTiles &tiles) {
  auto &b = context.p.b();
  WgmmaEpilogue epilogue(context, tiles);
  OpBuilder::InsertionGuard scope(b);
  context.startRole(RoleKind::Consumer, /*firstWarp=*/4,
                    4 * context.c.getConsumers());
  Value group;
  if (context.c.getSharers() > 1)
    group = b.create<WarpgroupOp>(b.getI32Type());
  if (context.c.waitsForGrids())
    b.create<GridWaitOp>();
  tiles.forEach(tiles.getFirst(), tiles.getStep(), ValueRange(),
                [&](const WgmmaPlace &place, ValueRange) {
                  Value zero = b.create<AccZeroOp>(context.getAcc());
                  epilogue.finish(epilogue.getShare(place, group), zero);
                  return SmallVector<Value>();
                });
}

void tcgemm::planEmptyWgmma(PlanBuilder &plan) {
  KernelOp kernel = plan.getKernel();
  if (!kernel.findOffsets()) {
    plan.addEmptyK();
    return;
  }
  if (!mayHaveEmptyK(kernel))
    return;
  KernelConfig c = getConfig(plan.getConfig());
  ProgramBuilder p(kernel, plan.getModule(), plan.getName("empty_k"),
                   c.getNumThreads());
  WgmmaContext context(p, c);
  WgmmaTiles tiles(context);
  tiles.locateOnlyTile();
  {
    // Its registers become those of the consumers.
    OpBuilder::InsertionGuard scope(p.b());
    context.startRole(RoleKind::Producer, /*firstWarp=*/0, /*warps=*/4);
  }
  buildConsumer(context, tiles);
  ProgramOp program = p.finish();
  program.setMinCtas(std::max<int64_t>(1, c.minCtas));
  VariantDraft draft =
      plan.start("empty_k", {eq(getSizeSymbol('k'), 0)}, c, /*packed=*/{});
  plan.finish(std::move(draft), program, getWgmmaGrid(kernel, c));
}
