//===- GroupScales.cpp - Scales of groups of a multistage program ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/GroupScales.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

MultistageGroups::MultistageGroups(ProgramBuilder &p,
                                   const KernelConfig &config,
                                   MultistageWorker &worker)
    : p(p), c(config), worker(worker), operand(p.getKernel().findGrouped()) {
  if (!operand)
    return;
  KernelOp kernel = p.getKernel();
  depth = kernel.getOperandInfo(*kernel.findScales(*operand)).getGroup();
  int64_t own = c.cta[2] / c.warps[2];
  span = std::min(depth, own);
  parts = own / span;
  steps = worker.getKSteps() / parts;
}

MultistageGroups::Source MultistageGroups::getSource(unsigned index,
                                                     Value batch) {
  char side = *operand ? 'n' : 'm';
  return {index, p.pointer(index), p.outerOffset(index, batch),
          p.stride(index, side), p.stride(index, 'k')};
}

void MultistageGroups::start(const MultistagePlace &place, Value tileCount) {
  if (!operand)
    return;
  KernelOp kernel = p.getKernel();
  tiles = tileCount;
  scales = getSource(*kernel.findScales(*operand), place.batch);
  if (std::optional<unsigned> index = kernel.findZeroPoints(*operand))
    zeros = getSource(*index, place.batch);
  first = p.add(*operand ? place.n : place.m, worker.getOffset(*operand));
  end = p.size(*operand ? "N" : "M");
}

/// Whole tiles end at K; the first one has what is left.
Value MultistageGroups::getStart(Value tile, int64_t part) {
  Value behind = p.mul(p.sub(tiles, tile), p.i32(c.cta[2]));
  Value start = p.sub(p.size("K"), behind);
  start = p.b().create<arith::MaxSIOp>(start, p.i32(0));
  Value own = p.i32(part * span);
  if (c.warps[2] > 1)
    own = p.add(own, p.mul(worker.getPartOfK(), p.i32(c.cta[2] / c.warps[2])));
  return p.add(start, own);
}

Value MultistageGroups::getOffset(const Source &source, Value group) {
  return p.add(source.batchOffset, p.mul(p.ext(group), source.groupStride));
}

SmallVector<Value> MultistageGroups::load(Value tile) {
  auto &b = p.b();
  if (!operand)
    return {};
  FragmentRole side = *operand ? FragmentRole::B : FragmentRole::A;
  int64_t extent = *operand ? c.getWarpN() : c.getWarpM();
  // Groups beyond K are not read: tiles may be deeper, and the next one may not
  // exist.
  Value last = p.sub(p.divU(p.size("K"), p.i32(depth)), p.i32(1));
  SmallVector<Value> groups, values;
  for (int64_t part = 0; part < parts; ++part)
    groups.push_back(b.create<arith::MinSIOp>(
        p.divU(getStart(tile, part), p.i32(depth)), last));
  auto type = ScalesType::get(b.getContext(), side, extent, AccLayout::MmaSync);
  for (Value group : groups)
    values.push_back(b.create<ScalesLoadOp>(type, scales->base,
                                            getOffset(*scales, group),
                                            scales->stride, first, end));
  if (!zeros)
    return values;
  bool isUnsigned = p.getKernel()
                        .getOperandInfo(zeros->index)
                        .getElementType()
                        .isUnsignedInteger();
  for (Value group : groups)
    values.push_back(b.create<ZeroPointsLoadOp>(
        ZeroPointsType::get(b.getContext(), side, extent), zeros->base,
        getOffset(*zeros, group), zeros->stride, first, end, isUnsigned));
  return values;
}

Value MultistageGroups::addScaled(Value total, Value sum, ValueRange values,
                                  Value tile, int64_t part) {
  auto &b = p.b();
  auto add = [&]() -> Value {
    return b.create<AccAddOp>(total, sum, values[part]);
  };
  int64_t k = p.getKernel().getK();
  bool isWhole =
      c.cta[2] <= depth || (!ShapedType::isDynamic(k) && k % c.cta[2] == 0);
  if (isWhole)
    return add();
  // A part behind K has no scale of its own; another one might be infinite.
  Value exists =
      p.cmp(arith::CmpIPredicate::slt, getStart(tile, part), p.size("K"));
  auto branch =
      b.create<scf::IfOp>(total.getType(), exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value scaled = add();
  b.create<scf::YieldOp>(scaled);
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(total);
  return branch.getResult(0);
}
