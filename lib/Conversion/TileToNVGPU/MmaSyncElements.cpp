//===- MmaSyncElements.cpp - Fragments of single elements -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register of such a fragment holds one element. Of each 8 rows (or columns
// of B) and 4 k, lane l holds row l / 4 and k l mod 4. Plain loads read 16
// lanes at a time: four elements of each of four rows, which the swizzle of
// tiles with 64-bit elements puts into different banks.
//
//===----------------------------------------------------------------------===//

#include "MmaSyncAccumulator.h"
#include "SharedMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

bool tcgemm::holdsElements(FragmentType type) {
  return type.getElementType().getIntOrFloatBitWidth() == 64;
}

namespace {
/// The indices of a lane's elements in shared memory.
class ElementIndices : public Lowering {
public:
  ElementIndices(LoweringContext &c, FragmentLoadOp op);
  /// The index of the element in 8 rows, from `row8`, and 4 k, from `k4`.
  Value get(int64_t row8, int64_t k4);

private:
  Value getOffset(Value row, Value column);

  FragmentLoadOp op;
  RingType ring;
  TileType tile;
  const LoaderState *loader;
  Value row, k; // of the lane, and of the warp's share of the tile
};
} // namespace

ElementIndices::ElementIndices(LoweringContext &c, FragmentLoadOp op)
    : Lowering(c), op(op), ring(op.getRing().getType()),
      tile(ring.getTiles()[op.getTile()]),
      loader(op.getLoader() ? &c.loaders[op.getLoader()] : nullptr) {
  Value lane = c.laneId();
  row = b.add(b.mul(one(op.getWarp()), op.getFragment().getType().getRows()),
              b.divU(lane, 4));
  k = b.remU(lane, 4);
  if (op.getWarpK()) {
    int64_t depth = op.getTransposed() ? tile.getRows() : tile.getColumns();
    k = b.add(k, b.mul(one(op.getWarpK()), depth / op.getWarpsK()));
  }
}

/// The offset of an element of the tile, in elements.
Value ElementIndices::getOffset(Value row, Value column) {
  int64_t chunk = getChunkElements(tile);
  Value swizzled = swizzleChunk(b, tile, row, b.divU(column, chunk), loader);
  return b.add(b.mul(row, getRowElements(tile)),
               b.add(b.mul(swizzled, chunk), b.remU(column, chunk)));
}

Value ElementIndices::get(int64_t row8, int64_t k4) {
  int64_t firstK = op.getKStep() * op.getFragment().getType().getDepth() + k4;
  int64_t constant = ring.getTileOffset(op.getTile()) * 8 /
                     tile.getElementType().getIntOrFloatBitWidth();
  Value offset;
  if (op.getTransposed()) {
    // The swizzle of a row recurs after eight rows, but not after four.
    offset = getOffset(b.add(k, firstK % 8), b.add(row, row8));
    constant += firstK / 8 * 8 * getRowElements(tile);
  } else {
    offset = getOffset(row, b.add(k, firstK));
    constant += row8 * getRowElements(tile);
  }
  return createIndex(b, b.add(one(op.getState()), offset), constant);
}

/// A vector for each 16 rows. Its elements alternate between the first and the
/// second 8 of them; pairs follow along k, as the registers of A do.
Values tcgemm::loadElements(LoweringContext &c, FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  int64_t depth = type.getDepth();
  auto vectorType = VectorType::get({depth / 2, 1}, type.getElementType());
  ElementIndices indices(c, op);
  Values loaded;
  for (int64_t row = 0; row < int64_t(type.getRows()); row += 16) {
    Values elements;
    for (int64_t k = 0; k < depth; k += 4)
      for (int64_t half : {0, 8})
        elements.push_back(c.b.create<memref::LoadOp>(
            c.one(op.getRing()), indices.get(row + half, k)));
    loaded.push_back(c.b.create<vector::FromElementsOp>(vectorType, elements));
  }
  return loaded;
}
