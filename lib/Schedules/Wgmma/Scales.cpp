//===- Scales.cpp - Scales of blocks of the wgmma program -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Scales.h"

using namespace mlir;
using namespace tcgemm;

WgmmaScales::WgmmaScales(const WgmmaContext &context, const WgmmaPlace &own)
    : p(context.p) {
  for (unsigned operand : {0, 1})
    add(context, own, operand);
}

void WgmmaScales::add(const WgmmaContext &context, const WgmmaPlace &own,
                      unsigned operand) {
  std::optional<unsigned> index = p.getKernel().findScales(operand);
  if (!index)
    return;
  const BlockScales &scales = kBlockScales[operand];
  char dim = scales.dims[0];
  AccType acc = context.getAcc();
  Side side;
  side.type = ScalesType::get(acc.getContext(),
                              operand ? FragmentRole::B : FragmentRole::A,
                              operand ? acc.getColumns() : acc.getRows());
  side.base = p.pointer(*index);
  side.stride = p.stride(*index, dim);
  side.blockStride = p.stride(*index, 'k');
  side.offset = p.mul(p.ext(own.batch), p.stride(*index, 'b'));
  side.first = operand ? own.n : own.m;
  side.end = p.size(operand ? "N" : "M");
  if (scales.sideBlock > 1) {
    side.first = p.divU(side.first, scales.sideBlock);
    side.end = p.ceilDiv(side.end, scales.sideBlock);
  }
  sides.push_back(side);
}

SmallVector<Value> WgmmaScales::load(Value block) const {
  SmallVector<Value> loaded;
  for (const Side &side : sides) {
    Value offset = p.add(side.offset, p.mul(p.ext(block), side.blockStride));
    loaded.push_back(p.b().create<ScalesLoadOp>(
        side.type, side.base, offset, side.stride, side.first, side.end));
  }
  return loaded;
}
