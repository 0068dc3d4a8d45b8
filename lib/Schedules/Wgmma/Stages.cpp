//===- Stages.cpp - The operands and their ring of stages -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Stages.h"
#include "Common/ElementFunctions.h"
#include "Common/Programs.h"
#include "Common/Windows.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tcgemm;

WgmmaStages::WgmmaStages(const WgmmaContext &context, ArrayRef<unsigned> copied,
                         bool windows)
    : context(context), p(context.p), c(context.c) {
  auto make = [&](unsigned index) {
    return makeOperand(index, llvm::is_contained(copied, index),
                       windows && index == 0);
  };
  rows = make(c.swapAB ? 1 : 0);
  columns = make(c.swapAB ? 0 : 1);
}

WgmmaOperand WgmmaStages::makeOperand(unsigned index, bool byThreads,
                                      bool hasWindow) {
  KernelOp kernel = p.getKernel();
  Type element = getTileElement(kernel, index);
  WgmmaOperand operand;
  operand.index = index;
  operand.side = index ? 'n' : 'm';
  operand.extent = c.cta[index];
  SmallVector<unsigned, 2> matrices{index};
  if (std::optional<unsigned> second = kernel.findSecond(); second && index)
    matrices.push_back(*second);
  operand.matrices = matrices.size();
  operand.transposed = !isKContiguous(kernel, index);
  operand.byThreads = byThreads;
  operand.hasWindow = hasWindow;
  if (kernel.getBand(index))
    operand.band = getProblemInfo(kernel).getBandAlongK(index);
  operand.share = c.wgmma.cluster[1 - index];
  int64_t depth = operand.depth = context.getPartDepth(index);
  operand.parts = context.getStageDepth() / depth;
  operand.packed = getPackedElements(kernel, index);
  if (operand.transposed) {
    auto make = [&](int64_t rowCount) {
      return TileType::get(kernel.getContext(), rowCount, 64, element,
                           Swizzle::B128);
    };
    operand.tile = make(operand.extent / 64 * depth);
    operand.box = make(depth / operand.share);
  } else {
    int64_t columns = depth / operand.packed;
    int64_t bytes = columns * getStorageBits(element) / 8;
    auto swizzle = bytes == 128  ? Swizzle::B128
                   : bytes == 64 ? Swizzle::B64
                                 : Swizzle::B32;
    auto make = [&](int64_t rowCount) {
      return TileType::get(kernel.getContext(), rowCount, columns, element,
                           swizzle);
    };
    operand.tile = make(operand.extent);
    operand.box = make(operand.extent / operand.matrices / operand.share);
  }
  if (hasWindow) {
    operand.maps.push_back(p.windowMap(operand.box, *findWindow(kernel, depth),
                                       c.wgmma.l2Promotion));
    return operand;
  }
  for (unsigned matrix : matrices)
    if (!operand.byThreads)
      operand.maps.push_back(p.tensorMap(
          matrix, operand.box, c.wgmma.l2Promotion, getStoredDepth(kernel, c)));
  return operand;
}

SmallVector<std::pair<int64_t, int64_t>> WgmmaStages::getProducts() const {
  SmallVector<std::pair<int64_t, int64_t>> products;
  const SplitInfo *split = getSplit(
      *getScalarType(p.getKernel().getOperandInfo(0).getElementType()));
  if (!split)
    for (int64_t part = 0; part < columns.parts; ++part)
      products.emplace_back(part, part);
  else
    for (int64_t i = 0; i < split->getNumProducts(); ++i)
      products.emplace_back(split->getPart(rows.index, i),
                            split->getPart(columns.index, i));
  return products;
}

bool WgmmaStages::areRowsMapped() const {
  return mapsInRegisters(p.getKernel(), c, rows.index);
}

bool WgmmaStages::areRowsInRegisters() const {
  return areRowsMapped() || getProblemInfo(p.getKernel()).convertsOperands();
}

FragmentType WgmmaStages::getFragmentType() const {
  Type element =
      getPartType(p.getKernel().getOperandInfo(rows.index).getElementType());
  // The depth of one instruction.
  constexpr int64_t depth = 16;
  return FragmentType::get(
      p.b().getContext(), FragmentRole::A, context.getShareRows(),
      areRowsMapped() ? depth : getRegisterDepth(*getScalarType(element)),
      element, AccLayout::Wgmma);
}

void WgmmaStages::createRing() {
  SmallVector<TileType> tiles;
  for (int64_t part = 0; part < std::max(rows.parts, columns.parts); ++part)
    for (const WgmmaOperand *operand : {&rows, &columns})
      if (part < operand->parts)
        tiles.push_back(operand->tile);
  auto type =
      RingType::get(p.b().getContext(), c.stages, RingKind::MBarrier, tiles);
  int64_t producers = rows.byThreads && columns.byThreads ? 0 : 1;
  if (rows.byThreads || columns.byThreads)
    producers += kWgmmaProducerThreads;
  int64_t readers = llvm::popcount(uint64_t(context.getMulticast()));
  ring = p.b().create<RingCreateOp>(
      type, producers, context.getArrivals() * context.getParts() * readers);
}

Value WgmmaStages::start() const {
  auto &b = p.b();
  return b.create<RingStartOp>(RingStateType::get(b.getContext()), ring, 0);
}

Value WgmmaStages::advance(Value state, Value by) const {
  return p.b().create<RingAdvanceOp>(state.getType(), ring, state, by);
}
