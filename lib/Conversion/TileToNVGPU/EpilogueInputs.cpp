//===- EpilogueInputs.cpp - What an epilogue reads ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueInputs.h"
#include "ControlFlow.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

Value tcgemm::isNonZero(IntegerBuilder &b, Value scalar) {
  return b.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, scalar,
                                 b.zero(scalar.getType()));
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Reads each element at coordinates clamped into the output; in place, only
/// those inside it.
Values EpilogueInputs::loadEach(unsigned input, ValueRange rows,
                                ValueRange columns) {
  if (op.getInPlace())
    return loadInside(input, rows, columns);
  auto clamp = [&](Value x, Value extent) {
    return b.minU(x, b.sub(extent, b.i32(1)));
  };
  Values loaded;
  for (Value m : rows)
    for (Value n : columns) {
      Value address = getAddress(input, clamp(m, one(op.getExtentM())),
                                 clamp(n, one(op.getExtentN())));
      loaded.push_back(b.create<memref::LoadOp>(
          getBuffer(input), b.index(address), isStreamed(input)));
    }
  return loaded;
}

/// Reads each element, with zero for what lies outside the output.
Values EpilogueInputs::loadInside(unsigned input, ValueRange rows,
                                  ValueRange columns) {
  Type type = getElementType(input);
  auto isBelow = [&](Value x, Value extent) -> Value {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, x, extent);
  };
  Values loaded;
  for (Value m : rows)
    for (Value n : columns) {
      Value isInside = b.bitAnd(isBelow(m, one(op.getExtentM())),
                                isBelow(n, one(op.getExtentN())));
      loaded.append(buildIfElse(
          b, isInside, {type},
          [&] {
            return Values{b.create<memref::LoadOp>(
                getBuffer(input), getIndex(input, m, n), isStreamed(input))};
          },
          [&] { return Values{b.zero(type)}; }));
    }
  return loaded;
}

/// Reads vectors of `run` columns; all of them are inside and aligned.
Values EpilogueInputs::loadRuns(unsigned input, ValueRange rows,
                                ValueRange columns, int64_t run) {
  Values loaded;
  auto type = VectorType::get({run}, getElementType(input));
  for (Value m : rows)
    for (size_t i = 0; i < columns.size(); i += run)
      loaded.push_back(b.create<vector::LoadOp>(type, getBuffer(input),
                                                getIndex(input, m, columns[i]),
                                                isStreamed(input)));
  return loaded;
}

Value EpilogueInputs::canLoadPairs(const AccView &view, Value whole) {
  Value all;
  for (unsigned input = 0; view.run == 2 && input < op.getInputs().size();
       ++input)
    if (Value pairs =
            op.getStagedTile(input) < 0 ? isVectorizable(input, 2) : Value())
      all = b.bitAnd(all ? all : whole, pairs);
  return all;
}

/// Reads an input only where the scalar that guards it is not zero.
Values EpilogueInputs::loadIfUsed(unsigned input, TypeRange types,
                                  llvm::function_ref<Values()> load) {
  int64_t guard = op.getGuards()[input];
  if (guard < 0)
    return load();
  Value isUsed = isNonZero(b, one(op.getScalars()[guard]));
  return buildIfElse(b, isUsed, types, load, [&] {
    return Values(types.size(), b.zero(types.front()));
  });
}

Values EpilogueInputs::loadInput(unsigned input, const AccView &view,
                                 Value whole, bool inPairs) {
  StringRef dims = getDims(input);
  Type element = getElementType(input);
  auto rows =
      ArrayRef(view.rows).take_front(dims.contains('m') ? view.rows.size() : 1);
  auto columns = ArrayRef(view.columns)
                     .take_front(dims.contains('n') ? view.columns.size() : 1);
  Value hasRuns = view.run > 1 ? isVectorizable(input, view.run) : Value();
  inPairs &= bool(hasRuns);
  SmallVector<Type> types(rows.size() * columns.size(), element);
  if (inPairs)
    types.assign(types.size() / 2, VectorType::get({2}, element));
  auto loadElements = [&] {
    Values elements;
    for (Value vector : loadRuns(input, rows, columns, view.run))
      for (int64_t e = 0; e < view.run; ++e)
        elements.push_back(b.create<vector::ExtractOp>(vector, e));
    return elements;
  };
  auto load = [&]() -> Values {
    if (inPairs)
      return loadRuns(input, rows, columns, view.run);
    if (!hasRuns)
      return loadEach(input, rows, columns);
    return buildIfElse(b, b.bitAnd(hasRuns, whole), types, loadElements,
                       [&] { return loadEach(input, rows, columns); });
  };
  return loadIfUsed(input, types, load);
}

SmallVector<Values> EpilogueInputs::load(const AccView &view, Value whole,
                                         bool inPairs) {
  SmallVector<Values> inputs;
  for (unsigned input = 0; input < op.getInputs().size(); ++input)
    inputs.push_back(op.getStagedTile(input) < 0
                         ? loadInput(input, view, whole, inPairs)
                         : Values());
  return inputs;
}

Value EpilogueInputs::getElement(unsigned input, ArrayRef<Value> loaded,
                                 const AccView &view, size_t row,
                                 size_t column) {
  StringRef dims = getDims(input);
  bool isPair = isa<VectorType>(loaded.front().getType());
  size_t perRow = dims.contains('n') ? view.columns.size() : 1;
  size_t index = (dims.contains('m') ? row * perRow : 0) +
                 (dims.contains('n') ? column : 0);
  if (!isPair)
    return loaded[index];
  return b.create<vector::ExtractOp>(loaded[index / 2], int64_t(index % 2));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// An input that TMA has brought lies in boxes, one for each slice that is
/// stored.
void EpilogueInputs::loadStaged(Value slice, MutableArrayRef<Values> inputs) {
  constexpr int64_t boxRows = 64;
  for (auto [input, list] : llvm::enumerate(inputs)) {
    int64_t index = op.getStagedTile(input);
    if (index < 0)
      continue;
    RingType ring = op.getRing().getType();
    TileType tile = ring.getTiles()[index];
    int64_t perGroup =
        tile.getRows() / boxRows / (analysis.getRole(op).getNumWarps() / 4);
    Value box = b.add(b.mul(getGroupInRole(c, op), perGroup), slice);
    Value start = b.add(b.mul(one(op.getToken()), ring.getStageBytes()),
                        b.mul(box, boxRows * tile.getRowBytes()));
    int64_t offset = analysis.getSharedMemory().getStages(op.getRing()) +
                     ring.getTileOffset(index);
    SmallVector<Type> types(tile.getColumns() / 4,
                            VectorType::get({2}, tile.getElementType()));
    // Nothing was copied if the scalar is zero.
    list = loadIfUsed(input, types,
                      [&] { return loadMatrices(tile, start, offset); });
  }
}

/// Reads a warp's 16 rows of a box of 16-bit elements, in pairs: those of its
/// first 8 rows, then those of the others. ldmatrix gives every thread just the
/// elements that belong to its accumulator's.
Values EpilogueInputs::loadMatrices(TileType box, Value start, int64_t offset) {
  auto pairType = VectorType::get({2}, box.getElementType());
  int64_t count = box.getColumns() / 8;
  // A lane gives the address of one row of one matrix: of the two halves of the
  // rows, and of the first or second 8 columns.
  Value lane = c.laneId();
  Value row = b.add(b.mul(c.warpInGroup(), 16), b.remU(lane, 16));
  Value second = b.divU(lane, 16);
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Values pairs(2 * count);
  for (int64_t column = 0; column < count; column += 2) {
    int64_t matrices = column + 1 < count ? 4 : 2;
    Value chunk = b.add(matrices == 4 ? second : b.i32(0), column);
    Value address = b.add(start, getBoxOffset(b, box, row, chunk));
    auto words = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(matrices, b.getI32Type()));
    Value loaded = b.create<NVVM::LdMatrixOp>(
        words, createSharedAddress(c, address, offset), matrices,
        NVVM::MMALayout::row, shape, NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < matrices; ++i) {
      Value word = b.create<LLVM::ExtractValueOp>(loaded, i);
      pairs[i % 2 * count + column + i / 2] =
          b.create<LLVM::BitcastOp>(pairType, word);
    }
  }
  return pairs;
}
