//===- FragmentPieces.cpp - Loads of pieces of rows -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentPieces.h"
#include "InlineAssembly.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

PieceLoader::PieceLoader(LoweringContext &c, FragmentLoadOp op, int64_t bytes,
                         int64_t distance)
    : Lowering(c), op(op), ring(op.getRing().getType()),
      tile(ring.getTiles()[op.getTile()]),
      stage(getTileMemory(c, op.getRing(), op.getState(), op.getTile())),
      loader(op.getLoader() ? &c.loaders[op.getLoader()] : nullptr),
      bytes(bytes),
      elements(bytes * 8 / getStorageBits(tile.getElementType())) {
  Value lane = c.laneId();
  row = b.add(b.mul(one(op.getWarp()), op.getFragment().getType().getRows()),
              b.divU(lane, 4));
  k = b.mul(b.remU(lane, 4), elements * distance);
  if (op.getWarpK())
    k = b.add(k, b.mul(one(op.getWarpK()), tile.getColumns() / op.getWarpsK()));
}

// The swizzle puts the 8 rows' chunks of 16 bytes into different banks.
Value PieceLoader::loadVector(int64_t firstRow, int64_t firstK) {
  int64_t chunk = getChunkElements(tile), pitch = getRowElements(tile);
  Value column = b.add(k, firstK);
  Value swizzled = swizzleChunk(b, tile, row, b.divU(column, chunk), loader);
  Value offset = b.add(b.mul(row, pitch),
                       b.add(b.mul(swizzled, chunk), b.remU(column, chunk)));
  Type element = getStorageType(tile.getElementType());
  int64_t tileOffset =
      ring.getTileOffset(op.getTile()) * 8 / getStorageBits(element);
  Value index =
      createIndex(b, b.add(stage.stage, offset), tileOffset + firstRow * pitch);
  return b.create<vector::LoadOp>(
      VectorType::get({elements}, element), stage.memory, ValueRange(index),
      /*nontemporal=*/false, /*alignment=*/llvm::MaybeAlign(bytes));
}

Value PieceLoader::load(int64_t firstRow, int64_t firstK) {
  auto type = VectorType::get({1}, b.getIntegerType(8 * bytes));
  return b.create<vector::ExtractOp>(
      b.create<vector::BitCastOp>(type, loadVector(firstRow, firstK)), 0);
}

/// ptxas does not merge two operations that have a constant each. A constant of
/// `lop3` that does not fit into the instruction it holds in a register.
Value tcgemm::createMaskedXor(IntegerBuilder &b, Value value, uint32_t mask,
                              uint32_t bits) {
  // The operation is the table's value for the columns of its three operands.
  constexpr unsigned table = (0xF0 & 0xCC) ^ 0xAA;
  return createAssembly(
      b,
      llvm::formatv("lop3.b32 $0, $1, {0}, {1}, {2};", mask, bits, table).str(),
      "=r,r", b.getI32Type(), value, /*hasSideEffects=*/false);
}

Value tcgemm::createPermute(IntegerBuilder &b, Value first, Value second,
                            unsigned selector) {
  return createAssembly(
      b, llvm::formatv("prmt.b32 $0, $1, $2, {0};", selector).str(), "=r,r,r",
      b.getI32Type(), ValueRange{first, second}, /*hasSideEffects=*/false);
}

Value tcgemm::createPermute(IntegerBuilder &b, Value first, Value second,
                            Value selector) {
  return createAssembly(b, "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r",
                        b.getI32Type(), ValueRange{first, second, selector},
                        /*hasSideEffects=*/false);
}
