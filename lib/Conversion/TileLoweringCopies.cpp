//===- TileLoweringCopies.cpp - Global to shared memory -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread t of T copies chunk t mod C of row t div C of the tile, then of the
// row T/C further down, and so on: consecutive threads read consecutive
// addresses. The global address is one loop-carried value; the rows of a pass
// follow by adding one stride. The shared address is the thread's own offset
// plus a constant. A transposed loader puts element k of a row into row k of
// the tile.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace tcgemm;

/// Elements that a 16-byte chunk of the tile holds.
static int64_t chunkElements(TileType tile) {
  return 128 / tile.getElementType().getIntOrFloatBitWidth();
}
int64_t tcgemm::getRowElements(TileType tile) {
  return tile.getRowBytes() * 8 / tile.getElementType().getIntOrFloatBitWidth();
}

Value TileLowering::swizzle(TileType tile, Value row, Value chunk,
                            const LoaderState *loader) {
  // TMA's swizzles are those of rows as wide as they are.
  if (tile.getSwizzle() != Swizzle::Xor &&
      tile.getSwizzle() != Swizzle::Sectors && !tile.getTmaSwizzle())
    return chunk;
  int64_t chunks =
      tile.getColumns() * tile.getElementType().getIntOrFloatBitWidth() / 128;
  // Eight rows of one chunk each must fall into different banks. Rows of less
  // than 128 bytes share a line of banks, so the key changes more slowly.
  int64_t keys = std::min<int64_t>(chunks, 8);
  Value key = b.remU(b.divU(row, 8 / keys), keys);
  if (tile.getSwizzle() == Swizzle::Sectors) {
    // A row that starts in the middle of a sector is turned by a chunk: then
    // the two halves of each sector are neighbours here too, and cp.async
    // fetches it once, not twice. Where every other row is turned, that alone
    // tells odd rows from even ones, and the key's last bit must not undo it.
    Value odd = b.createOrFold<arith::AndIOp>(row, loader->alternates);
    chunk = b.remU(b.add(chunk, b.bitXor(odd, loader->turned)), chunks);
    key = b.bitXor(key, odd);
  }
  return b.bitXor(chunk, key);
}

void TileLowering::lower(LoaderCreateOp op) {
  LoaderState loader;
  loader.type = op.getLoader().getType();
  loader.base = one(op.getBase());
  loader.stride = one(op.getStride());
  loader.origin = one(op.getOffset());
  loader.extent = one(op.getExtent());
  TileType tile = loader.type.getTile();
  Value number = role ? roleThread() : threadId();
  loader.row = b.divU(number, loader.type.getChunksPerRow());
  loader.column = b.mul(b.remU(number, loader.type.getChunksPerRow()),
                        loader.type.getVector());
  int64_t chunk = chunkElements(tile);
  if (op.getPhase()) {
    // A sector of global memory holds two chunks.
    auto parity = [&](Value elements) -> Value {
      Value low = b.createOrFold<arith::TruncIOp>(b.getI32Type(), elements);
      return b.remU(b.divU(low, chunk), 2);
    };
    loader.turned = parity(one(op.getPhase()));
    loader.alternates = parity(loader.stride);
  }
  for (int64_t phase = 0; phase < loader.type.getSwizzlePeriod(); ++phase) {
    Value row = b.add(loader.row, phase * loader.type.getRowsPerPass());
    if (loader.type.getTransposed()) {
      loader.shared.push_back(
          b.add(b.mul(loader.column, getRowElements(tile)), row));
      continue;
    }
    Value place = swizzle(tile, row, b.divU(loader.column, chunk), &loader);
    loader.shared.push_back(
        b.add(b.add(b.mul(row, getRowElements(tile)), b.mul(place, chunk)),
              b.remU(loader.column, chunk)));
  }
  if (loader.type.hasPartialPass()) {
    int64_t chunks = loader.type.getRows() * loader.type.getChunksPerRow();
    int64_t left = chunks % loader.type.getThreads();
    loader.active = b.cmp(arith::CmpIPredicate::ult, number, b.i32(left));
  }
  loaders[op.getLoader()] = loader;
  set(op.getLoader(), {});
}

void TileLowering::lower(LoaderStartOp op) {
  const LoaderState &loader = loaders[op.getLoader()];
  Value k = one(op.getK());
  bool kContiguous = loader.type.getKContiguous();
  Value row = b.add(loader.row, kContiguous ? loader.origin : k);
  Value column = b.add(loader.column, kContiguous ? k : loader.origin);
  Value address = b.add(b.mul(b.ext(row), loader.stride), b.ext(column));
  set(op.getAddress(), b.add(one(op.getBatchOffset()), address));
}

void TileLowering::lower(LoaderAdvanceOp op) {
  const LoaderState &loader = loaders[op.getLoader()];
  Value by = b.ext(one(op.getBy()));
  if (!loader.type.getKContiguous())
    by = b.mul(by, loader.stride);
  set(op.getNext(), b.add(one(op.getAddress()), by));
}

/// How many elements of its `copy`-th copy the thread reads; what is missing to
/// the copy's width becomes zero. `left`, where given, is how many rows there
/// are from the thread's first one on.
Value TileLowering::copyValid(const LoaderState &loader, int64_t copy,
                              Value kValid, Value left) {
  int64_t vector = loader.type.getVector();
  int64_t down = copy * loader.type.getRowsPerPass();
  Value row = b.add(loader.row, down);
  auto whole = [&](Value inside) {
    return b.select(inside, b.i32(vector), b.i32(0));
  };
  auto clamp = [&](Value left) {
    Value positive = b.createOrFold<arith::MaxSIOp>(left, b.i32(0));
    return b.createOrFold<arith::MinSIOp>(positive, b.i32(vector));
  };
  Value valid;
  if (loader.type.getKContiguous()) {
    valid = whole(left ? b.cmp(arith::CmpIPredicate::sgt, left, b.i32(down))
                       : b.cmp(arith::CmpIPredicate::slt,
                               b.add(loader.origin, row), loader.extent));
    if (kValid)
      valid = b.createOrFold<arith::MinSIOp>(
          valid, clamp(b.sub(kValid, loader.column)));
  } else {
    valid = clamp(b.sub(loader.extent, b.add(loader.origin, loader.column)));
    if (kValid)
      valid = b.select(b.cmp(arith::CmpIPredicate::slt, row, kValid), valid,
                       b.i32(0));
  }
  return valid;
}

void TileLowering::lower(LoaderCopyOp op) {
  if (hasBarriers(op.getRing()))
    return copyInRole(op);
  const LoaderState &loader = loaders[op.getLoader()];
  RingType ring = op.getRing().getType();
  TileType tile = loader.type.getTile();
  int64_t copies = loader.type.getNumCopies();
  int64_t first = copies * op.getPart() / op.getParts();
  int64_t end = copies * (op.getPart() + 1) / op.getParts();
  int64_t tileOffset = ring.getTileOffset(op.getTile()) * 8 /
                       tile.getElementType().getIntOrFloatBitWidth();
  Value kValid = op.getKValid() ? one(op.getKValid()) : Value();
  Value step = b.mul(loader.stride, loader.type.getRowsPerPass());
  Value memory = one(op.getRing()), stage = one(op.getState()), left;
  // Ahead of the loop the optimiser would compute the distance and the validity
  // of each copy, and keep them in registers, which f32 products have no more.
  if (tile.getElementType().isF32() && op->getParentOfType<scf::ForOp>()) {
    step = hide(step);
    if (loader.type.getKContiguous())
      left = hide(b.sub(loader.extent, b.add(loader.origin, loader.row)));
  }
  auto copyOne = [&](int64_t copy) {
    Value from = b.add(one(op.getAddress()), b.mul(step, copy));
    int64_t period = loader.type.getSwizzlePeriod(), phase = copy % period;
    int64_t down = (copy - phase) * loader.type.getRowsPerPass();
    int64_t pitch = loader.type.getTransposed() ? 1 : getRowElements(tile);
    Value to =
        indexAt(b.add(stage, loader.shared[phase]), tileOffset + down * pitch);
    Value valid = copyValid(loader, copy, kValid, left);
    if (loader.type.getBytes() > 2) {
      b.create<nvgpu::DeviceAsyncCopyOp>(
          nvgpu::DeviceAsyncTokenType::get(b.getContext()), memory, to,
          loader.base, b.index(from), b.getIndexAttr(loader.type.getVector()),
          b.index(valid),
          loader.type.getBytes() == 16 ? b.getUnitAttr() : UnitAttr());
      return;
    }
    // One element at a time, through a register.
    Value zero =
        b.create<arith::ConstantOp>(b.getZeroAttr(tile.getElementType()));
    Value inside = b.cmp(arith::CmpIPredicate::ne, valid, b.i32(0));
    auto load = b.create<scf::IfOp>(TypeRange(tile.getElementType()), inside,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard scope(b);
      b.setInsertionPointToStart(load.thenBlock());
      Value loaded = b.create<memref::LoadOp>(loader.base, b.index(from));
      b.create<scf::YieldOp>(loaded);
      b.setInsertionPointToStart(load.elseBlock());
      b.create<scf::YieldOp>(zero);
    }
    b.create<memref::StoreOp>(load.getResult(0), memory, to);
  };
  for (int64_t copy = first; copy < end; ++copy) {
    bool partial = loader.active && copy + 1 == copies;
    OpBuilder::InsertionGuard scope(b);
    if (partial) {
      auto guard = b.create<scf::IfOp>(loader.active, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guard.thenBlock());
    }
    copyOne(copy);
  }
}
