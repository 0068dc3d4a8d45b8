//===- TileLoweringStaged.cpp - Epilogue inputs in shared memory ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input that TMA has brought lies in boxes, one for each part that is
// stored; ldmatrix gives every thread just the elements that belong to its
// accumulator's.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tcgemm;

void TileLowering::readStaged(EpilogueOp op, const Part &part,
                              MutableArrayRef<SmallVector<Value>> inputs) {
  constexpr int64_t boxRows = 64;
  for (auto [input, list] : llvm::enumerate(inputs)) {
    int64_t index = op.getStagedTile(input);
    if (index < 0)
      continue;
    RingType ring = op.getRing().getType();
    TileType tile = ring.getTiles()[index];
    int64_t perGroup = tile.getRows() / boxRows / (role.getNumWarps() / 4);
    Value box = b.add(b.mul(roleGroup(), perGroup), part.number);
    Value start = b.add(b.mul(one(op.getToken()), ring.getStageBytes()),
                        b.mul(box, boxRows * tile.getRowBytes()));
    list = readMatrices(tile, start,
                        layout.stages.lookup(op.getRing().getDefiningOp()) +
                            ring.getTileOffset(index));
  }
}

/// A warp's 16 rows of a box of 16-bit elements, in pairs: those of its first 8
/// rows, then those of the others.
SmallVector<Value> TileLowering::readMatrices(TileType box, Value start,
                                              int64_t offset) {
  auto pairType = VectorType::get({2}, box.getElementType());
  int64_t count = box.getColumns() / 8;
  // A lane gives the address of one row of one matrix: of the two halves of the
  // rows, and of the first or second 8 columns.
  Value lane = laneId();
  Value row = b.add(b.mul(b.remU(warp, 4), 16), b.remU(lane, 16));
  Value second = b.divU(lane, 16);
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  SmallVector<Value> pairs(2 * count);
  for (int64_t column = 0; column < count; column += 2) {
    int64_t matrices = column + 1 < count ? 4 : 2;
    Value piece = b.add(matrices == 4 ? second : b.i32(0), column);
    Value address = b.add(start, swizzledPlace(box, row, piece));
    auto words = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(matrices, b.getI32Type()));
    Value loaded = b.create<NVVM::LdMatrixOp>(
        words, sharedAddress(address, offset), matrices, NVVM::MMALayout::row,
        shape, NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < matrices; ++i) {
      Value word = b.create<LLVM::ExtractValueOp>(loaded, i);
      pairs[i % 2 * count + column + i / 2] =
          b.create<LLVM::BitcastOp>(pairType, word);
    }
  }
  return pairs;
}
