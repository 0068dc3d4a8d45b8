//===- Program.cpp - The multistage mma.sync program ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/MultistageSchedule.h"
#include "MmaSync/Family.h"
#include "tcgemm/Config/MmaSync.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

namespace {

class MmaSyncWorker final : public MultistageWorker {
public:
  MmaSyncWorker(ProgramBuilder &p, const KernelConfig &config)
      : MultistageWorker(p, config),
        instruction(*findMmaSync(
            config, llvm::cantFail(lookupChip(*p.getKernel().getChip())),
            getProblemInfo(p.getKernel()))),
        depth(getFragmentDepth(instruction, getProblemInfo(p.getKernel()).typeA,
                               getProblemInfo(p.getKernel()).typeB)) {}

private:
  void locate() override;
  LoaderType getLoaderType(unsigned operand) override;
  FragmentType getFragmentType(unsigned operand) override;
  AccType getAccType() override {
    return AccType::get(c.getWarpM(), c.getWarpN(),
                        p.getKernel().getInstructionSumType(),
                        AccLayout::MmaSync);
  }
  int64_t getKSteps() override { return c.cta[2] / depth / c.warps[2]; }
  Value getOffset(unsigned operand) override {
    return p.mul(indices[operand], p.i32(getWarpSide(operand)));
  }
  DenseI64ArrayAttr getShape() override {
    const MatrixInstruction *widest =
        findInstruction(instruction.kind, instruction.a, instruction.b,
                        instruction.accumulator);
    if (&instruction == widest)
      return {};
    return p.b().getDenseI64ArrayAttr(instruction.getShape());
  }
  int64_t getWarpSide(unsigned operand) const {
    return operand ? c.getWarpN() : c.getWarpM();
  }

  const MatrixInstruction &instruction;
  int64_t depth; // of a fragment
};

} // namespace

void MmaSyncWorker::locate() {
  Value warp = p.divU(p.threadId(), p.i32(32));
  indices[1] = p.remU(warp, p.i32(c.warps[1]));
  Value rest = p.divU(warp, p.i32(c.warps[1]));
  indices[0] = p.remU(rest, p.i32(c.warps[0]));
  partOfK = p.divU(rest, p.i32(c.warps[0]));
}

LoaderType MmaSyncWorker::getLoaderType(unsigned operand) {
  MLIRContext *context = p.b().getContext();
  int64_t side = c.cta[operand];
  bool kContiguous = isKContiguous(p.getKernel(), operand);
  Type element = getTileElement(p.getKernel(), operand);
  // The start of rows along m or n does not depend on K; they have the plain
  // swizzle.
  bool turns = c.mmaSync.shared == SharedLayout::Sectors && kContiguous;
  auto swizzle = turns                                   ? Swizzle::Sectors
                 : c.mmaSync.shared == SharedLayout::Pad ? Swizzle::Pad
                                                         : Swizzle::Xor;
  int64_t depth = c.cta[2] / getPackedElements(p.getKernel(), operand);
  int64_t held = getRowsInMemoryRow(p.getKernel(), operand);
  auto tile = TileType::get(context, (kContiguous ? side : depth) / held,
                            kContiguous ? depth : side, element, swizzle);
  return LoaderType::get(context, tile, operand ? c.copyB : c.copyA,
                         kContiguous, c.getNumThreads(), /*transposed=*/false);
}

FragmentType MmaSyncWorker::getFragmentType(unsigned operand) {
  return FragmentType::get(
      p.b().getContext(), operand ? FragmentRole::B : FragmentRole::A,
      getWarpSide(operand), depth,
      getPartType(p.getKernel().getOperandInfo(operand).getElementType()));
}

ProgramOp tcgemm::buildMmaSyncProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                      const KernelConfig &config,
                                      StringRef name) {
  ProgramBuilder p(kernel, module, name, config.getNumThreads());
  MmaSyncWorker worker(p, config);
  buildMultistage(p, config, worker);
  return p.finish(config);
}
