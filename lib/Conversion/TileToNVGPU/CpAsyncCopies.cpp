//===- CpAsyncCopies.cpp - Copies by all threads of a CTA -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpAsyncCopies.h"
#include "ControlFlow.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

void CpAsyncCopies::emit() {
  kValid = op.getKValid() ? one(op.getKValid()) : Value();
  step = b.mul(loader.stride, loader.type.getRowsPerPass());
  TileMemory stage =
      getTileMemory(c, op.getRing(), op.getState(), op.getTile());
  memory = stage.memory;
  stageOffset = stage.stage;
  if (tile.getElementType().getIntOrFloatBitWidth() >= 32 &&
      op->getParentOfType<scf::ForOp>())
    hideFromOptimizer();
  for (int64_t copy = firstCopy; copy < endCopy; ++copy)
    buildIfActive(copy, [&] { emitCopy(copy); });
}

/// Ahead of the loop the optimiser would compute the distance and the validity
/// of each copy, and keep them in registers, which products of f32 and f64
/// need.
void CpAsyncCopies::hideFromOptimizer() {
  step = makeOpaque(b, step);
  if (loader.type.getKContiguous())
    rowsLeft =
        makeOpaque(b, b.sub(loader.extent, b.add(loader.origin, loader.row)));
}

void CpAsyncCopies::emitCopy(int64_t copy) {
  int64_t tileOffset = ring.getTileOffset(op.getTile()) * 8 /
                       getStorageBits(tile.getElementType());
  int64_t pass = copy / loader.type.getRowCopies();
  int64_t along = loader.type.getColumnOf(copy);
  Value source =
      b.add(b.add(one(op.getAddress()), b.mul(step, pass)), b.i64(along));
  int64_t period = loader.type.getSwizzlePeriod(), phase = pass % period;
  int64_t down = (pass - phase) * loader.type.getRowsPerPass();
  int64_t pitch = getRowElements(tile);
  int64_t moved =
      loader.type.getTransposed() ? down + along * pitch : down * pitch + along;
  Value target = createIndex(b, b.add(stageOffset, loader.shared[phase]),
                             tileOffset + moved);
  Value valid = getValid(copy);
  if (loader.type.getBytes() > 2)
    createAsyncCopy(memory, target, source, valid);
  else
    copyElement(target, source, valid);
}

/// Copies one element through a register.
void CpAsyncCopies::copyElement(Value target, Value source, Value valid) {
  Type element = getStorageType(tile.getElementType());
  Value zero = b.zero(element);
  Value isInside = b.notEqual(valid, b.i32(0));
  Values loaded = buildIfElse(
      b, isInside, {element},
      [&] {
        return Values{b.create<memref::LoadOp>(loader.base, b.index(source))};
      },
      [&] { return Values{zero}; });
  b.create<memref::StoreOp>(loaded.front(), memory, target);
}

/// How many elements of a copy the thread reads; the rest becomes zero.
Value CpAsyncCopies::getValid(int64_t copy) {
  Value vector = b.i32(loader.type.getVector());
  int64_t down = loader.type.getRowOf(copy);
  Value row = b.add(loader.row, down);
  Value column = b.add(loader.column, loader.type.getColumnOf(copy));
  if (!loader.type.getKContiguous()) {
    Value valid =
        b.clampS(b.sub(loader.extent, b.add(loader.origin, column)), vector);
    if (!kValid)
      return valid;
    Value isInside = b.cmp(arith::CmpIPredicate::slt, row, kValid);
    return b.select(isInside, valid, b.i32(0));
  }
  Value isInside = rowsLeft
                       ? b.cmp(arith::CmpIPredicate::sgt, rowsLeft, b.i32(down))
                       : b.cmp(arith::CmpIPredicate::slt,
                               b.add(loader.origin, row), loader.extent);
  Value valid = b.select(isInside, vector, b.i32(0));
  if (!kValid)
    return valid;
  return b.minS(valid, b.clampS(b.sub(kValid, column), vector));
}
