//===- Program.cpp - The warp-specialised wgmma program -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first warpgroup fills a ring of stages (WgmmaProducer); the others
// multiply (WgmmaConsumer), each a block of rows of the tile, or take turns
// with tiles of their own. All go through the same list of tiles (WgmmaTiles).
// Elements beyond K, M or N are copied as zeros, so no size is special here.
//
//===----------------------------------------------------------------------===//

#include "Common/Programs.h"
#include "Wgmma/Consumer.h"
#include "Wgmma/Family.h"
#include "Wgmma/Producer.h"
#include "tcgemm/Config/Wgmma.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

/// The operands that are staged. A guarded one is left out if not all fit.
static SmallVector<unsigned> chooseStagedInputs(const WgmmaContext &context) {
  KernelOp kernel = context.p.getKernel();
  SmallVector<unsigned> operands = getStageableInputs(kernel);
  int64_t count = countStagedInputs(context.c, getProblemInfo(kernel));
  for (size_t i = operands.size(); i-- > 0 && int64_t(operands.size()) > count;)
    if (findGuardOfInput(kernel, operands[i]) >= 0)
      operands.erase(operands.begin() + i);
  return operands;
}

/// The staged inputs of each role of consumers.
static SmallVector<std::unique_ptr<StagedInputs>>
createStagedInputs(const WgmmaContext &context) {
  const KernelConfig &c = context.c;
  SmallVector<std::unique_ptr<StagedInputs>> staged;
  if (!c.wgmma.stageInputs)
    return staged;
  AccType acc = context.getStoredAcc();
  SmallVector<unsigned> operands = chooseStagedInputs(context);
  for (int64_t role = 0; role < c.getStorers() / c.getSharers(); ++role)
    staged.push_back(std::make_unique<StagedInputs>(
        context.p, operands, acc, c.getSharers(),
        getChunkColumns(context.p.getKernel(), acc)));
  return staged;
}

static void buildProgram(const WgmmaContext &context, ArrayRef<unsigned> copied,
                         bool windows) {
  const KernelConfig &c = context.c;
  // ptxas is sensitive to the order of operations: the tensor maps of the
  // operands come before the tiles, the rings before the place of the tile.
  WgmmaStages stages(context, copied, windows);
  WgmmaTiles tiles(context);
  WgmmaEpilogue epilogue(context, tiles);
  stages.createRing();
  auto staged = createStagedInputs(context);
  tiles.locateOnlyTile();
  WgmmaProducer(context, tiles, stages).build();
  auto consume = [&](int64_t number, int64_t turn, int64_t part) {
    StagedInputs *inputs =
        staged.empty() ? nullptr : staged[std::max<int64_t>(0, turn)].get();
    int64_t warps = 4 * c.getSharers();
    WgmmaConsumer(context, tiles, stages, epilogue, inputs, turn, part)
        .build(/*firstWarp=*/4 + number * warps, warps);
  };
  if (c.wgmma.pingpong)
    for (int64_t turn : {0, 1})
      consume(turn, turn, /*part=*/0);
  else
    for (int64_t part = 0; part < context.getParts(); ++part)
      consume(part, /*turn=*/-1, part);
}

ProgramOp tcgemm::buildWgmmaProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                    const KernelConfig &config,
                                    ArrayRef<unsigned> copied, bool windows,
                                    StringRef name) {
  ProgramBuilder p(kernel, module, name, config.getNumThreads());
  buildProgram(WgmmaContext(p, config), copied, windows);
  ProgramOp program = p.finish();
  program.setCluster(config.getClusterSize());
  // ptxas ignores setmaxnreg without this attribute.
  program.setMinCtas(std::max<int64_t>(1, config.minCtas));
  return program;
}
