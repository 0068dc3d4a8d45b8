//===- Groups.cpp - Scales of groups of the wgmma program -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Groups.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Config/Wgmma.h"

using namespace mlir;
using namespace tcgemm;

WgmmaGroups::WgmmaGroups(const WgmmaContext &context, int64_t role)
    : context(context), p(context.p), operand(*p.getKernel().findGrouped()) {
  KernelOp kernel = p.getKernel();
  unsigned scales = *kernel.findScales(operand);
  depth = kernel.getOperandInfo(scales).getGroup();
  parts = std::max<int64_t>(1, context.getDepthOfPart() / depth);
  ofStage = std::max<int64_t>(1, context.c.cta[2] / depth);
  firstOfRole = role * context.getDepthOfPart() / depth;
  addSource(scales);
  if (std::optional<unsigned> zeros = kernel.findZeroPoints(operand))
    addSource(*zeros);
  end = p.size(operand ? "N" : "M");
  groups = p.ceilDiv(p.size("K"), depth);
}

void WgmmaGroups::addSource(unsigned index) {
  Source source;
  source.index = index;
  source.base = p.pointer(index);
  source.type = GroupValuesType::get(
      p.b().getContext(),
      cast<MemRefType>(source.base.getType()).getElementType(),
      context.getShareRows());
  source.stride = p.stride(index, operand ? 'n' : 'm');
  source.groupStride = p.stride(index, 'k');
  sources.push_back(source);
}

Value WgmmaGroups::getGroup(Value tile, int64_t part) {
  if (depth > context.c.cta[2])
    return p.divU(tile, p.i32(depth / context.c.cta[2]));
  return p.add(p.mul(tile, p.i32(ofStage)), p.i32(firstOfRole + part));
}

SmallVector<Value> WgmmaGroups::load(Value group) {
  SmallVector<Value> values;
  for (const Source &source : sources)
    values.push_back(p.b().create<GroupValuesLoadOp>(
        source.type, source.base, source.offset, source.stride,
        source.groupStride, first, end, group, groups));
  return values;
}

SmallVector<Value> WgmmaGroups::start(const WgmmaPlace &own) {
  for (Source &source : sources)
    source.offset = p.outerOffset(source.index, own.batch);
  first = operand ? own.n : own.m;
  Value group = getGroup(own.firstK, 0);
  SmallVector<Value> carried = load(group);
  llvm::append_range(carried, load(p.add(group, p.i32(kLoadedGroups))));
  return carried;
}

Value WgmmaGroups::getScales(ValueRange carried, Value tile, int64_t part) {
  auto &b = p.b();
  auto type =
      ScalesType::get(b.getContext(), FragmentRole::A, context.getShareRows());
  return b.create<ScalesSelectOp>(type, carried[0], getGroup(tile, part));
}

Value WgmmaGroups::getZeroPoints(ValueRange carried, Value tile, int64_t part) {
  auto &b = p.b();
  if (sources.size() == 1)
    return {};
  auto type = ZeroPointsType::get(b.getContext(), FragmentRole::A,
                                  context.getShareRows(), AccLayout::Wgmma);
  bool isUnsigned = p.getKernel()
                        .getOperandInfo(sources[1].index)
                        .getElementType()
                        .isUnsignedInteger();
  return b.create<ZeroPointsSelectOp>(type, carried[1], getGroup(tile, part),
                                      isUnsigned);
}

SmallVector<Value> WgmmaGroups::advance(ValueRange carried, Value tile) {
  auto &b = p.b();
  ValueRange next = carried.drop_front(sources.size());
  Value nextTile = p.add(tile, p.i32(1));
  int64_t tilesOfLoad = kLoadedGroups * depth / context.c.cta[2];
  auto step = [&] {
    SmallVector<Value> values(next);
    Value group = getGroup(nextTile, 0);
    llvm::append_range(values, load(p.add(group, p.i32(kLoadedGroups))));
    return values;
  };
  if (tilesOfLoad == 1)
    return step();
  Value isOther =
      p.cmp(arith::CmpIPredicate::eq, p.remU(nextTile, tilesOfLoad), p.i32(0));
  auto branch = b.create<scf::IfOp>(carried.getTypes(), isOther,
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(step());
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(carried);
  return branch.getResults();
}
