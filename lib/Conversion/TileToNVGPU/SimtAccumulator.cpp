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
// Integers of 8 bits are multiplied by dp4a: a register holds 4 neighbours
// along k, and one instruction adds their products. Other algebras have no such
// instruction: the 4 are extended to registers of their own.
//
//===----------------------------------------------------------------------===//

#include "SimtAccumulator.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Dialect/AlgebraOps.h"

using namespace mlir;
using namespace tcgemm;

SmallVector<Type> SimtAccumulator::expand(AccType type) {
  return SmallVector<Type>(type.getRows() * type.getColumns(),
                           type.getElementType());
}

/// The neighbours along k that a register holds.
static int64_t getPerRegister(FragmentType type) {
  return getStorageBits(type.getElementType()) == 8 ? 4 : 1;
}

SmallVector<Type> SimtAccumulator::expand(FragmentType type) {
  int64_t packed = getPerRegister(type);
  Type element = type.getElementType();
  return SmallVector<Type>(type.getRows() * type.getDepth() / packed,
                           packed > 1 ? b.getI32Type() : element);
}

/// Reads `count` elements, whose registers go to number `first` and every
/// `step`-th after it.
void SimtAccumulator::loadVector(FragmentType type, Value memory, Value index,
                                 int64_t count, int64_t first, int64_t step,
                                 MutableArrayRef<Value> registers) {
  Type element = getStorageType(type.getElementType());
  int64_t packed = getPerRegister(type);
  Value vector = b.create<vector::LoadOp>(VectorType::get({count}, element),
                                          memory, index);
  if (packed > 1)
    vector = b.create<LLVM::BitcastOp>(
        VectorType::get({count / packed}, b.getI32Type()), vector);
  for (int64_t i = 0; i < count / packed; ++i)
    registers[first + i * step] = b.create<vector::ExtractOp>(vector, i);
}

/// The fragment becomes its registers, all rows of a k, or of 4 that share one,
/// before those of the next. If the tile's rows run along k, a vector has
/// several k of a row; otherwise a run of one k.
void SimtAccumulator::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  RingType ring = op.getRing().getType();
  TileType tile = ring.getTiles()[op.getTile()];
  int64_t bytes = getStorageBits(type.getElementType()) / 8;
  int64_t pitch = tile.getRowBytes() / bytes;
  int64_t length = type.getRuns()[0], distance = type.getRuns()[1];
  int64_t rows = type.getRows(), depth = type.getDepth();
  int64_t firstK = op.getKStep() * depth;
  int64_t base = ring.getTileOffset(op.getTile()) / bytes;
  Value side = b.mul(one(op.getWarp()), length);
  Value origin =
      b.add(one(op.getState()), op.getTransposed() ? side : b.mul(side, pitch));
  if (op.getWarpK()) {
    int64_t along = op.getTransposed() ? tile.getRows() : tile.getColumns();
    int64_t part = along / int64_t(op.getWarpsK());
    origin = b.add(origin, b.mul(one(op.getWarpK()),
                                 op.getTransposed() ? part * pitch : part));
  }
  Values registers(rows * depth / getPerRegister(type));
  auto load = [&](int64_t offset, int64_t count, int64_t first, int64_t step) {
    loadVector(type, one(op.getRing()), createIndex(b, origin, base + offset),
               count, first, step, registers);
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
  set(op.getFragment(), registers);
}

/// Runs, or single rows, outside the operand are replaced by the last ones.
void SimtAccumulator::lower(FragmentFetchOp op) {
  FragmentType type = op.getFragment().getType();
  int64_t length = type.getRuns()[0], distance = type.getRuns()[1];
  int64_t rows = type.getRows(), depth = type.getDepth();
  Value address = one(op.getAddress()), stride = one(op.getStride());
  int64_t loaded = op.getTransposed() ? length : 1;
  Value last = b.sub(one(op.getExtent()), b.i32(loaded));
  Values registers(rows * depth / getPerRegister(type));
  auto load = [&](Value element, int64_t count, int64_t first, int64_t step) {
    loadVector(type, one(op.getBase()), b.index(element), count, first, step,
               registers);
  };
  for (int64_t row = 0; row < rows; row += length) {
    Value start = b.add(one(op.getFirst()), row / length * distance);
    auto clamp = [&](int64_t i) {
      return b.ext(b.minU(b.add(start, i), last));
    };
    if (op.getTransposed()) {
      for (int64_t k = 0; k < depth; ++k)
        load(b.add(b.add(address, b.mul(stride, k)), clamp(0)), length,
             k * rows + row, 1);
      continue;
    }
    for (int64_t i = 0; i < length; ++i)
      load(b.add(address, b.mul(clamp(i), stride)), depth, row + i, rows);
  }
  set(op.getFragment(), registers);
}

static bool isUnsigned(FragmentType type) {
  return isUnsignedType(*getScalarType(type.getElementType()));
}

/// Adds the product of two registers to a sum.
///
/// For sm_90, ptxas makes one instruction (DPX) of an addition of integers and
/// a maximum or minimum.
Value SimtAccumulator::multiplyAdd(MmaOp op, Value a, Value column, Value sum) {
  Algebra algebra = c.analysis.getProgram().getProductAlgebra();
  if (algebra.isDefault() && isa<FloatType>(sum.getType()))
    return b.create<math::FmaOp>(a, column, sum);
  if (!usesDots(op))
    return createAlgebraOperation(
        b, b.getLoc(), algebra.reduce, sum,
        createAlgebraOperation(b, b.getLoc(), algebra.combine, a, column));
  auto getSign = [](FragmentType type) {
    return isUnsigned(type) ? NVVM::DotAccumulateType::UNSIGNED
                            : NVVM::DotAccumulateType::SIGNED;
  };
  auto vectorType = VectorType::get({4}, b.getI8Type());
  return b.create<NVVM::DotAccumulate4WayOp>(
      sum.getType(), b.create<LLVM::BitcastOp>(vectorType, a),
      getSign(op.getA().getType()),
      b.create<LLVM::BitcastOp>(vectorType, column),
      getSign(op.getB().getType()), sum);
}

bool SimtAccumulator::usesDots(MmaOp op) {
  return getPerRegister(op.getA().getType()) > 1 &&
         c.analysis.getProgram().getProductAlgebra().isDefault();
}

/// The registers that are multiplied, all rows of a k before those of the next.
Values SimtAccumulator::getFactors(MmaOp op, Value fragment) {
  Values registers(all(fragment));
  auto type = cast<FragmentType>(fragment.getType());
  int64_t packed = getPerRegister(type), rows = type.getRows();
  if (packed == 1 || usesDots(op))
    return registers;
  auto vectorType = VectorType::get({packed}, b.getI8Type());
  Values elements(registers.size() * packed);
  for (auto [number, word] : llvm::enumerate(registers)) {
    Value bytes = b.create<LLVM::BitcastOp>(vectorType, word);
    int64_t k = number / rows * packed, row = number % rows;
    for (int64_t i = 0; i < packed; ++i) {
      Value element = b.create<vector::ExtractOp>(bytes, i);
      elements[(k + i) * rows + row] =
          isUnsigned(type)
              ? Value(b.create<arith::ExtUIOp>(b.getI32Type(), element))
              : b.create<arith::ExtSIOp>(b.getI32Type(), element);
    }
  }
  return elements;
}

Value SimtAccumulator::getIndexAlongK(FragmentType type, size_t number,
                                      ArrayRef<int64_t>) {
  return b.i32(number / type.getRows());
}

void SimtAccumulator::lower(MmaOp op) {
  Values a = getFactors(op, op.getA()), columns = getFactors(op, op.getB());
  Values acc(all(op.getAcc()));
  int64_t m = op.getAcc().getType().getRows();
  int64_t n = op.getAcc().getType().getColumns();
  for (int64_t k = 0; k * m < static_cast<int64_t>(a.size()); ++k)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t step = 0; step < n; ++step) {
        // Every other row runs backwards, to reuse the last operands.
        int64_t j = i % 2 ? n - 1 - step : step;
        Value &sum = acc[i * n + j];
        sum = multiplyAdd(op, a[k * m + i], columns[k * n + j], sum);
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
