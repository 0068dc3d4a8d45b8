//===- ReducedOutputs.cpp - Outputs that are reductions -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/ReducedOutputs.h"
#include "Common/PlanExpressions.h"

using namespace mlir;
using namespace tcgemm;

SmallVector<ReducedOutput> tcgemm::getReducedOutputs(KernelOp kernel) {
  SmallVector<ReducedOutput> outputs;
  auto values = kernel.getEpilogue().front().getTerminator()->getOperandTypes();
  unsigned number = 0;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i) {
    OperandAttr info = kernel.getOperandInfo(i);
    if (info.getRole() != OperandRole::Output)
      continue;
    Type value = values[number++];
    ReductionAttr reduction = info.getReduction();
    if (!reduction)
      continue;
    std::string dim;
    for (char letter : info.getDims())
      if (letter != 'b')
        dim = letter;
    outputs.push_back({i, kernel.getOperandName(i), info, reduction, dim,
                       getStateType(reduction.getCombiner(), value, dim)});
  }
  return outputs;
}

Value ReducedOutput::getPartials(ProgramBuilder &p) const {
  return p.workspace(getPartialsSymbol(), state);
}

Value ReducedOutput::getLength(ProgramBuilder &p) const {
  return dim.empty() ? p.i64(1) : p.ext(p.size(dim == "m" ? "M" : "N"));
}

/// The partial results along one side of the outputs.
static Expr countParts(char letter, int64_t size, int64_t parts) {
  Expr tiles = size == 1 ? getSizeSymbol(letter)
                         : countTiles(getSizeSymbol(letter), size);
  return parts == 1 ? tiles : product({tiles, parts});
}

Expr ReducedOutput::countSlots(ProgramOp program) const {
  Expr slots = 1;
  program.walk([&](EpilogueOp epilogue) {
    if (!epilogue.getNumReductions())
      return WalkResult::advance();
    PartialTile tile =
        getPartialTile(epilogue.getAcc().getType(), epilogue.getTransposed());
    Expr alongM = countParts('m', tile.rows, tile.rowParts);
    Expr alongN = countParts('n', tile.columns, tile.columnParts);
    slots = dim == "m"   ? alongN
            : dim == "n" ? alongM
                         : product({alongM, alongN});
    // All epilogues of a program have accumulators of the same type.
    return WalkResult::interrupt();
  });
  return slots;
}

Expr ReducedOutput::getBytes(const Expr &slots) const {
  int64_t bytes = getStateBytes(state);
  Expr all = product({bytes, slots, getSizeSymbol('b')});
  return dim.empty() ? all : product({all, getSizeSymbol(dim.front())});
}

Expr ReducedOutput::countBlocks() const {
  Expr batches = hasBatch() ? getSizeSymbol('b') : Expr(1);
  if (dim.empty())
    return batches;
  Expr blocks = countTiles(getSizeSymbol(dim.front()), kCombineLanes);
  return hasBatch() ? product({batches, blocks}) : blocks;
}

ProgramOp tcgemm::buildCombineProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                      const KernelConfig &config,
                                      StringRef name,
                                      const ReducedOutput &output) {
  // One result has the slots of all rows and columns.
  constexpr int64_t threads = 256, threadsOfOne = 1024;
  bool isOne = output.dim.empty();
  ProgramBuilder p(kernel, module, name, isOne ? threadsOfOne : threads);
  auto &b = p.b();
  int64_t lanes = isOne ? 1 : kCombineLanes;
  Value number = isOne ? p.i32(1) : p.size(output.dim == "m" ? "M" : "N");
  Value length = output.getLength(p), batches = p.ext(p.size('b'));
  Value slots = p.expression(output.getSlotsSymbol(), b.getI64Type());
  Value block = p.blockId(), batch = p.i64(0);
  if (output.hasBatch()) {
    Value blocks = p.ceilDiv(number, lanes);
    batch = p.ext(p.divU(block, blocks));
    block = p.remU(block, blocks);
  }
  Value first = p.mul(block, lanes);
  // Without batches, the slots of all of them belong to one result.
  Value offset = p.add(p.mul(batch, length), p.ext(first));
  Value count = output.hasBatch() ? slots : p.mul(slots, batches);
  Value stride = output.hasBatch() ? p.mul(batches, length) : length;
  Value along = isOne ? p.i64(0) : p.stride(output.index, output.dim.front());
  Value target = p.add(p.mul(batch, p.stride(output.index, 'b')),
                       p.mul(p.ext(first), along));
  if (config.waitsForGrids())
    b.create<GridWaitOp>();
  b.create<PartialsCombineOp>(output.getPartials(p), offset, count, stride,
                              p.pointer(output.index), target, along,
                              p.sub(number, first), lanes, output.reduction);
  if (config.waitsForGrids())
    b.create<GridLaunchDependentsOp>();
  return p.finish();
}
