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
/// The place of a lane's elements in their blocks. It is the same for all of
/// them, because they are multiples of four apart along k, and of eight across.
class BlockPlace : public Lowering {
public:
  /// `row` and `column` are those of an element in the tile.
  BlockPlace(LoweringContext &c, const Representation &representation,
             Value row, Value column);
  /// The column of the numbers that has the component of an element of
  /// `column`. Only the bits within a number change, so that the rest of the
  /// address stays what it was.
  Value locate(Value column);
  /// The element of the block whose component is `loaded`.
  Value takeSign(Value loaded);

private:
  int64_t count;
  Value component;
  Value sign; ///< i64 with the sign bit if the component is negated; or null.
};

/// The indices of a lane's elements in shared memory.
class ElementIndices : public Lowering {
public:
  ElementIndices(LoweringContext &c, FragmentLoadOp op);
  /// The element in 8 rows, from `row8`, and 4 k, from `k4`.
  Value load(int64_t row8, int64_t k4);

private:
  Value getIndex(int64_t row8, int64_t k4);
  Value getOffset(Value row, Value column);

  FragmentLoadOp op;
  RingType ring;
  TileType tile;
  const LoaderState *loader;
  Value row, column;    // of the lane's first element in the tile
  int64_t heldRows = 1; // of the fragment in a row of the tile
  std::optional<BlockPlace> place;
};
} // namespace

BlockPlace::BlockPlace(LoweringContext &c, const Representation &representation,
                       Value row, Value column)
    : Lowering(c), count(representation.getComponents()) {
  constexpr int64_t bits = 2;
  uint32_t components = 0, signs = 0;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = 0; j < count; ++j) {
      unsigned place = i * count + j;
      components |= representation.getComponent(i, j) << (bits * place);
      signs |= uint32_t(representation.isNegated(i, j)) << place;
    }
  Value place = b.add(b.mul(b.remU(row, count), count), b.remU(column, count));
  auto pick = [&](uint32_t table, Value by) {
    return b.create<arith::ShRUIOp>(b.i32(static_cast<int32_t>(table)), by);
  };
  component = b.bitAnd(pick(components, b.mul(place, bits)), b.i32(count - 1));
  if (signs == 0)
    return;
  Value bit = b.bitAnd(pick(signs, place), b.i32(1));
  Value wide = b.create<arith::ExtUIOp>(b.getI64Type(), bit);
  sign = b.create<arith::ShLIOp>(
      wide, b.create<arith::ConstantIntOp>(b.getI64Type(), 63));
}

Value BlockPlace::locate(Value column) {
  return b.add(b.mul(b.divU(column, count), count), component);
}

Value BlockPlace::takeSign(Value loaded) {
  if (!sign)
    return loaded;
  Value bits = b.create<arith::BitcastOp>(b.getI64Type(), loaded);
  return b.create<arith::BitcastOp>(loaded.getType(),
                                    b.create<arith::XOrIOp>(bits, sign));
}

ElementIndices::ElementIndices(LoweringContext &c, FragmentLoadOp op)
    : Lowering(c), op(op), ring(op.getRing().getType()),
      tile(ring.getTiles()[op.getTile()]),
      loader(op.getLoader() ? &c.loaders[op.getLoader()] : nullptr) {
  std::optional<RepresentationAttr> representation = op.getRepresentation();
  if (representation)
    heldRows = representation->getValue().getComponents();
  Value lane = c.laneId();
  Value side =
      b.add(b.mul(one(op.getWarp()), op.getFragment().getType().getRows()),
            b.divU(lane, 4));
  Value k = b.remU(lane, 4);
  if (op.getWarpK()) {
    int64_t depth =
        op.getTransposed() ? tile.getRows() * heldRows : tile.getColumns();
    k = b.add(k, b.mul(one(op.getWarpK()), depth / op.getWarpsK()));
  }
  row = op.getTransposed() ? k : side;
  column = op.getTransposed() ? side : k;
  if (!representation)
    return;
  place.emplace(c, representation->getValue(), row, column);
  row = b.divU(row, heldRows);
  column = place->locate(column);
}

/// The offset of an element of the tile, in elements.
Value ElementIndices::getOffset(Value row, Value column) {
  int64_t chunk = getChunkElements(tile);
  Value swizzled = swizzleChunk(b, tile, row, b.divU(column, chunk), loader);
  return b.add(b.mul(row, getRowElements(tile)),
               b.add(b.mul(swizzled, chunk), b.remU(column, chunk)));
}

Value ElementIndices::getIndex(int64_t row8, int64_t k4) {
  int64_t firstK = op.getKStep() * op.getFragment().getType().getDepth() + k4;
  int64_t firstRow = op.getTransposed() ? firstK : row8,
          firstColumn = op.getTransposed() ? row8 : firstK;
  firstRow /= heldRows;
  // The swizzle of a row recurs after eight rows, but not after four.
  Value offset =
      getOffset(b.add(row, firstRow % 8), b.add(column, firstColumn));
  int64_t constant = ring.getTileOffset(op.getTile()) * 8 /
                         tile.getElementType().getIntOrFloatBitWidth() +
                     firstRow / 8 * 8 * getRowElements(tile);
  return createIndex(b, b.add(one(op.getState()), offset), constant);
}

Value ElementIndices::load(int64_t row8, int64_t k4) {
  Value element =
      b.create<memref::LoadOp>(one(op.getRing()), getIndex(row8, k4));
  return place ? place->takeSign(element) : element;
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
        elements.push_back(indices.load(row + half, k));
    loaded.push_back(c.b.create<vector::FromElementsOp>(vectorType, elements));
  }
  return loaded;
}
