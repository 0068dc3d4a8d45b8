//===- Scales.cpp - Scales of blocks of the wgmma program -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Scales.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Target/BlockScales.h"

using namespace mlir;
using namespace tcgemm;

/// Blocks whose copies are in flight.
static constexpr int64_t kAhead = kScaleSlots - 1;

WgmmaScales::WgmmaScales(const WgmmaContext &context) : p(context.p) {
  AccType acc = context.getAcc();
  for (unsigned operand : {0, 1}) {
    std::optional<unsigned> index = p.getKernel().findScales(operand);
    if (!index)
      continue;
    auto type = ScalesBufferType::get(
        acc.getContext(), operand ? FragmentRole::B : FragmentRole::A,
        operand ? acc.getColumns() : acc.getRows(), kScaleSlots);
    Side side;
    side.operand = operand;
    side.buffer = p.b().create<ScalesCreateOp>(type);
    side.base = p.pointer(*index);
    side.stride = p.stride(*index, kBlockScales[operand].dims[0]);
    side.blockStride = p.stride(*index, 'k');
    sides.push_back(side);
  }
}

void WgmmaScales::locate(Side &side, const WgmmaPlace &own) {
  unsigned index = *p.getKernel().findScales(side.operand);
  side.offset = p.outerOffset(index, own.batch);
  side.first = side.operand ? own.n : own.m;
  side.end = p.size(side.operand ? "N" : "M");
  if (side.operand) {
    auto buffer = cast<ScalesBufferType>(side.buffer.getType());
    side.first = p.divU(side.first, getColumnsOfScale(buffer.getExtent()));
    side.end = p.ceilDiv(side.end, kBlockScales[1].sideBlock);
  }
}

void WgmmaScales::start(const WgmmaPlace &own) {
  for (Side &side : sides)
    locate(side, own);
  endK = own.endK;
  for (int64_t i = 0; i < kAhead; ++i)
    fetch(p.add(own.firstK, p.i32(i)));
}

/// Makes a group of copies, which is empty behind the last block: the number of
/// groups tells which copies are complete.
void WgmmaScales::fetch(Value block) {
  auto &b = p.b();
  Value exists = p.cmp(arith::CmpIPredicate::ult, block, endK);
  {
    OpBuilder::InsertionGuard scope(b);
    auto branch = b.create<scf::IfOp>(exists, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    for (const Side &side : sides) {
      Value offset = p.add(side.offset, p.mul(p.ext(block), side.blockStride));
      b.create<ScalesFetchOp>(side.base, offset, side.stride, side.first,
                              side.end, side.buffer, block);
    }
  }
  b.create<ScalesCommitOp>();
}

SmallVector<Value> WgmmaScales::next(Value block) {
  fetch(p.add(block, p.i32(kAhead)));
  SmallVector<Value> scales;
  for (const Side &side : sides)
    scales.push_back(p.b().create<ScalesReadOp>(side.buffer, block, kAhead));
  return scales;
}
