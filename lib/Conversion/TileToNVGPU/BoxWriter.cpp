//===- BoxWriter.cpp - Writes boxes to staging memory ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxWriter.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

/// Bytes that a swizzle keeps together.
static constexpr int64_t kChunk = 16;

Value BoxWriter::getStagingAddress(Value offset) {
  return createSharedAddress(
      c, offset, analysis.getSharedMemory().getStaging(analysis.getRole(op)));
}

void BoxWriter::writeBox(TileType box, const AccView &view, ValueRange results,
                         int64_t first, Value start) {
  if (op.getTransposed() || box.getElementType().getIntOrFloatBitWidth() == 16)
    writeMatrices(view, results, box, first, start);
  else
    writePairs(view, results, box, first, start);
}

/// The words of 8x8 matrix number `matrix` of a box, for both halves of the
/// warp's 16 rows of the instruction.
Values BoxWriter::getWords(const AccView &view, ValueRange results,
                           TileType box, int64_t first, int64_t matrix) {
  auto pairType = VectorType::get({2}, box.getElementType());
  size_t held = view.columns.size();
  auto getWord = [&](Value low, Value high) {
    Value pair =
        b.create<vector::FromElementsOp>(pairType, ValueRange{low, high});
    return b.create<LLVM::BitcastOp>(b.getI32Type(), pair).getResult();
  };
  Values words;
  for (int64_t half : {0, 1}) {
    if (op.getTransposed()) {
      words.push_back(getWord(results[(2 * matrix) * held + half],
                              results[(2 * matrix + 1) * held + half]));
      continue;
    }
    size_t index = half * held + first / 4 + 2 * matrix;
    words.push_back(getWord(results[index], results[index + 1]));
  }
  return words;
}

/// Elements of 16 bits: four 8x8 matrices at once.
void BoxWriter::writeMatrices(const AccView &view, ValueRange results,
                              TileType box, int64_t first, Value start) {
  bool transposed = op.getTransposed();
  Value lane = c.laneId(), inGroup = c.warpInGroup();
  // A lane gives the address of one row of one matrix: of the two halves of
  // the warp's 16 rows of the instruction, and of the first or second 8 of its
  // columns.
  Value low = b.remU(lane, 8), half = b.remU(b.divU(lane, 8), 2),
        second = b.divU(lane, 16);
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  auto layout = transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  int64_t count = (transposed ? box.getRows() : box.getColumns()) / 8;
  for (int64_t j = 0; j < count; j += 2) {
    bool isPair = j + 1 < count;
    Values words;
    for (int64_t matrix = j; matrix < std::min(j + 2, count); ++matrix)
      llvm::append_range(words, getWords(view, results, box, first, matrix));
    Value across = b.add(isPair ? second : b.i32(0), j);
    Value row, chunk;
    if (transposed) {
      row = b.add(b.mul(across, 8), low);
      chunk = b.add(b.mul(inGroup, 2), half);
    } else {
      row = b.add(b.add(b.mul(inGroup, 16), b.mul(half, 8)), low);
      chunk = across;
    }
    Value address = b.add(start, getBoxOffset(b, box, row, chunk));
    b.create<NVVM::StMatrixOp>(getStagingAddress(address), words, layout, shape,
                               NVVM::LdStMatrixEltType::B16);
  }
}

/// Elements of 8 or 32 bits: two neighbours at once. The 8 rows and 4 pairs of
/// a warp lie in different banks, those of 8 bits with two to a bank's word.
void BoxWriter::writePairs(const AccView &view, ValueRange results,
                           TileType box, int64_t first, Value start) {
  auto pairType = VectorType::get({2}, results.front().getType());
  size_t held = view.columns.size();
  int64_t bytes = getStorageBits(box.getElementType()) / 8;
  Value lane = c.laneId(), inGroup = c.warpInGroup(), quad = b.remU(lane, 4);
  for (int64_t half : {0, 1})
    for (int64_t j = 0; j < box.getColumns() / 8; ++j) {
      size_t index = half * held + first / 4 + 2 * j;
      Value pair = b.create<vector::FromElementsOp>(
          pairType, ValueRange{results[index], results[index + 1]});
      Value row = b.add(b.add(b.mul(inGroup, 16), b.divU(lane, 4)), 8 * half);
      Value inRow = b.mul(quad, 2 * bytes);
      int64_t before = 8 * j * bytes;
      Value chunk = b.add(b.divU(inRow, kChunk), before / kChunk);
      Value inChunk = b.add(b.remU(inRow, kChunk), before % kChunk);
      Value address =
          b.add(b.add(start, getBoxOffset(b, box, row, chunk)), inChunk);
      b.create<LLVM::StoreOp>(pair, getStagingAddress(address),
                              /*alignment=*/2 * bytes);
    }
}
