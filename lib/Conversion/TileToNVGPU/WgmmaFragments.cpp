//===- WgmmaFragments.cpp - A of wgmma in registers -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaFragments.h"
#include "FragmentPieces.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "WgmmaConversion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tcgemm;

/// The rows of a lane among 64, and the words of its piece of one row.
static constexpr int64_t kLaneRows = 2, kWords = 4;
/// Registers of one instruction.
static constexpr int64_t kRegisters = 4;

SmallVector<Type> WgmmaFragments::expand(FragmentType type) {
  bool isNarrow = getElementBits(type.getElementType()) < 16;
  int64_t each = isNarrow ? kLaneRows * kWords
                          : int64_t(type.getDepth()) / 16 * kRegisters;
  return SmallVector<Type>(int64_t(type.getRows()) / 64 * each, b.getI32Type());
}

// TMA's swizzle puts the pieces of 8 rows into different banks.
void WgmmaFragments::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  RingType ring = op.getRing().getType();
  TileType tile = ring.getTiles()[op.getTile()];
  int64_t rowBytes = tile.getRowBytes();
  Value row = b.add(b.mul(one(op.getWarp()), type.getRows()),
                    b.add(b.mul(c.warpInGroup(), 16), b.divU(c.laneId(), 4)));
  // Stages start at multiples of a row's size, so that the step changes bits of
  // the lane's offset only. The rows of a lane are multiples of 8 apart, as the
  // rows of a swizzle's pattern are.
  Value start = b.add(b.mul(one(op.getState()), ring.getStageBytes()),
                      getBoxOffset(b, tile, row, b.i32(0)));
  Value offset = b.bitXor(start, op.getKStep() * 16);
  int64_t constant = analysis.getSharedMemory().getStages(op.getRing()) +
                     ring.getTileOffset(op.getTile());
  auto words = VectorType::get({kWords}, b.getI32Type());
  Values loaded;
  for (int64_t each = 0; each < int64_t(type.getRows()); each += 64)
    for (int64_t half : {0, 8}) {
      Value address =
          createSharedAddress(c, offset, constant + (each + half) * rowBytes);
      Value piece = b.create<LLVM::LoadOp>(words, address, /*alignment=*/16);
      for (int64_t i = 0; i < kWords; ++i)
        loaded.push_back(b.create<LLVM::ExtractElementOp>(piece, b.i32(i)));
    }
  set(op.getFragment(), loaded);
}

void WgmmaFragments::lower(FragmentConvertOp op) {
  FragmentType from = op.getFragment().getType();
  ScalarType type = *getScalarType(from.getElementType());
  ScalarType wide = *getScalarType(op.getResult().getType().getElementType());
  WgmmaConversion conversion(b, type, wide, b.remU(c.laneId(), 4));
  int64_t instructions = int64_t(from.getDepth()) / 16;
  Values converted;
  // What is computed from opaque values stays behind the wait for the products
  // that read the registers before.
  Values words;
  for (Value word : all(op.getFragment()))
    words.push_back(makeOpaque(b, word));
  ArrayRef<Value> rest(words);
  for (; !rest.empty(); rest = rest.drop_front(kLaneRows * kWords))
    for (int64_t i = 0; i < instructions; ++i)
      // The registers alternate between the lane's rows, and then along k.
      for (int64_t half : {0, 1})
        for (int64_t row = 0; row < kLaneRows; ++row)
          converted.push_back(conversion.convert(
              rest.slice(row * kWords, kWords), 2 * i + half));
  set(op.getResult(), converted);
}
