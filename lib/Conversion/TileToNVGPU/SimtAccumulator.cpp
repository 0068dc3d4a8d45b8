//===- SimtAccumulator.cpp - Accumulators of single threads ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without tensor cores: a thread reads its rows of A and columns of B of one k,
// or of a few, and adds their outer product by fused multiply-adds. Its rows
// are runs of neighbours, so that it reads them as vectors, and the runs of
// neighbouring threads are neighbours, so that these fall into different banks.
//
//===----------------------------------------------------------------------===//

#include "SimtAccumulator.h"
#include "SharedMemory.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

SmallVector<Type> SimtAccumulator::expand(AccType type) {
  return SmallVector<Type>(type.getRows() * type.getColumns(),
                           type.getElementType());
}

SmallVector<Type> SimtAccumulator::expand(FragmentType type) {
  return SmallVector<Type>(type.getRows() * type.getDepth(),
                           type.getElementType());
}

/// The fragment becomes its elements, all rows of a k before those of the next.
/// If the tile's rows run along k, a vector has several k of a row;
/// otherwise a run of one k.
void SimtAccumulator::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  RingType ring = op.getRing().getType();
  TileType tile = ring.getTiles()[op.getTile()];
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t pitch = tile.getRowBytes() / bytes;
  int64_t length = type.getRuns()[0], distance = type.getRuns()[1];
  int64_t rows = type.getRows(), depth = type.getDepth();
  int64_t firstK = op.getKStep() * depth;
  int64_t base = ring.getTileOffset(op.getTile()) / bytes;
  Value side = b.mul(one(op.getWarp()), length);
  Value origin =
      b.add(one(op.getState()), op.getTransposed() ? side : b.mul(side, pitch));
  Values elements(rows * depth);
  // Reads `count` elements, which go to `first` and every `step`-th after it.
  auto load = [&](int64_t offset, int64_t count, int64_t first, int64_t step) {
    auto vectorType = VectorType::get({count}, type.getElementType());
    Value vector = b.create<vector::LoadOp>(
        vectorType, one(op.getRing()), createIndex(b, origin, base + offset));
    for (int64_t i = 0; i < count; ++i)
      elements[first + i * step] = b.create<vector::ExtractOp>(vector, i);
  };
  if (op.getTransposed()) {
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t row = 0; row < rows; row += length)
        load((firstK + k) * pitch + row / length * distance, length,
             k * rows + row, 1);
  } else {
    for (int64_t row = 0; row < rows; ++row) {
      int64_t position = row / length * distance + row % length;
      load(position * pitch + firstK, depth, row, rows);
    }
  }
  set(op.getFragment(), elements);
}

Value SimtAccumulator::getIndexAlongK(FragmentType type, size_t number,
                                      ArrayRef<int64_t>) {
  return b.i32(number / type.getRows());
}

void SimtAccumulator::lower(MmaOp op) {
  ArrayRef<Value> a = all(op.getA()), columns = all(op.getB());
  Values acc(all(op.getAcc()));
  int64_t m = op.getAcc().getType().getRows();
  int64_t n = op.getAcc().getType().getColumns();
  for (int64_t k = 0; k < int64_t(op.getA().getType().getDepth()); ++k)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t step = 0; step < n; ++step) {
        // Every other row runs backwards, to reuse the last operands.
        int64_t j = i % 2 ? n - 1 - step : step;
        Value &sum = acc[i * n + j];
        sum = b.create<math::FmaOp>(a[k * m + i], columns[k * n + j], sum);
      }
  set(op.getResult(), acc);
}

AccView SimtAccumulator::view(EpilogueOp op, bool withValues) {
  AccType type = op.getAcc().getType();
  AccView view;
  auto getCoordinate = [&](Value origin, int64_t index,
                           ArrayRef<int64_t> runs) {
    return b.add(origin, index / runs[0] * runs[1] + index % runs[0]);
  };
  for (int64_t row = 0; row < type.getRows(); ++row)
    view.rows.push_back(
        getCoordinate(one(op.getM()), row, type.getRuns().take_front(2)));
  for (int64_t column = 0; column < type.getColumns(); ++column)
    view.columns.push_back(
        getCoordinate(one(op.getN()), column, type.getRuns().drop_front(2)));
  if (withValues)
    llvm::append_range(view.values, all(op.getAcc()));
  view.run = type.getRuns()[2];
  return view;
}
