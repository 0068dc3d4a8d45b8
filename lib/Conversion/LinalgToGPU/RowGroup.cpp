//===- RowGroup.cpp - Operations on the same rows -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::linalg_to_gpu;
using linalg::LinalgOp;

/// The loops of the dimensions of an operand, or none if a dimension is not
/// indexed by a single loop.
static std::optional<SmallVector<unsigned>> getLoops(AffineMap map) {
  if (!map.isProjectedPermutation())
    return std::nullopt;
  SmallVector<unsigned> loops;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    loops.push_back(map.getDimPosition(i));
  return loops;
}

/// The operation that combines a value with the output `position`, if it is
/// associative and has a neutral element.
static Operation *matchCombiner(LinalgOp op, unsigned position) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), position, combiners) ||
      combiners.size() != 1 || !arith::getNeutralElement(combiners[0]))
    return nullptr;
  Type type = combiners[0]->getResult(0).getType();
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64
             ? combiners[0]
             : nullptr;
}

std::optional<RowOp> linalg_to_gpu::matchRowReduction(LinalgOp op) {
  RowOp result{op, {}, {}, {}};
  op.getReductionDims(result.columns);
  if (result.columns.empty() ||
      result.columns.size() + op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    auto rows = getLoops(op.getMatchingIndexingMap(&output));
    if (!rows || rows->size() != op.getNumParallelLoops() ||
        (!result.combiners.empty() && *rows != result.rows) ||
        llvm::any_of(*rows, [&](unsigned loop) {
          return llvm::is_contained(result.columns, loop);
        }))
      return std::nullopt;
    result.rows = *rows;
    Operation *combiner = matchCombiner(op, result.combiners.size());
    if (!combiner)
      return std::nullopt;
    result.combiners.push_back(combiner);
  }
  // Threads of a row read neighbouring elements only if rows are contiguous.
  bool readsRows = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
    auto loops = getLoops(op.getMatchingIndexingMap(in));
    return loops && !loops->empty() &&
           llvm::is_contained(result.columns, loops->back());
  });
  return readsRows ? std::optional(result) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

/// The buffer of which a value is a view.
static Value getBase(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Returns whether a buffer is known to be different from other such buffers:
/// allocations, constants, and arguments of functions, which overlap completely
/// or not at all.
static bool isIdentified(Value base) {
  if (auto argument = dyn_cast<BlockArgument>(base))
    return isa_and_nonnull<func::FuncOp>(argument.getOwner()->getParentOp());
  return isa_and_nonnull<memref::AllocOp, gpu::AllocOp, memref::GetGlobalOp>(
      base.getDefiningOp());
}

static bool mayAlias(Value a, Value b) {
  a = getBase(a);
  b = getBase(b);
  return a == b || !isIdentified(a) || !isIdentified(b);
}

/// The dimension of the operand that each of the rows' loops indexes; none if
/// some loop indexes no dimension.
static std::optional<SmallVector<unsigned>> getRowDims(const RowOp &rowOp,
                                                       OpOperand &operand) {
  LinalgOp op = rowOp.op;
  auto loops = getLoops(op.getMatchingIndexingMap(&operand));
  if (!loops)
    return std::nullopt;
  SmallVector<unsigned> dims;
  for (unsigned row : rowOp.rows) {
    auto *it = llvm::find(*loops, row);
    if (it == loops->end())
      return std::nullopt;
    dims.push_back(it - loops->begin());
  }
  return dims;
}

/// Returns whether two accesses have common elements only for equal rows.
static bool areConfinedToRows(const RowOp &first, OpOperand &a,
                              const RowOp &second, OpOperand &b) {
  if (!mayAlias(a.get(), b.get()))
    return true;
  auto dims = getRowDims(first, a);
  return a.get() == b.get() && dims && dims == getRowDims(second, b);
}

static bool areConfinedToRows(const RowOp &first, const RowOp &second) {
  auto isBuffer = [](OpOperand &operand) {
    return isa<MemRefType>(operand.get().getType());
  };
  for (OpOperand &a : LinalgOp(first.op)->getOpOperands())
    for (OpOperand &b : LinalgOp(second.op)->getOpOperands()) {
      bool isWritten =
          LinalgOp(first.op).isDpsInit(&a) || LinalgOp(second.op).isDpsInit(&b);
      if (isWritten && isBuffer(a) && isBuffer(b) &&
          !areConfinedToRows(first, a, second, b))
        return false;
    }
  return true;
}

/// Returns whether row `index` of both has the same extent: a static one, or
/// that of a dimension of a buffer that both access.
static bool haveEqualExtents(const RowOp &first, const RowOp &second,
                             unsigned index) {
  LinalgOp a = first.op, b = second.op;
  int64_t extentA = a.getStaticLoopRanges()[first.rows[index]];
  int64_t extentB = b.getStaticLoopRanges()[second.rows[index]];
  if (ShapedType::isStatic(extentA) && ShapedType::isStatic(extentB))
    return extentA == extentB;
  for (OpOperand &operandA : a->getOpOperands())
    for (OpOperand &operandB : b->getOpOperands()) {
      if (operandA.get() != operandB.get())
        continue;
      auto dimsA = getRowDims(first, operandA);
      auto dimsB = getRowDims(second, operandB);
      if (dimsA && dimsB && (*dimsA)[index] == (*dimsB)[index])
        return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// RowGroup
//===----------------------------------------------------------------------===//

/// Matches an operation on the rows of the group: the leading dimensions of its
/// output.
std::optional<RowOp> RowGroup::match(LinalgOp op) const {
  std::optional<RowOp> result = matchRowReduction(op);
  size_t numRows = ops.front().rows.size();
  if (!result) {
    if (op.getNumLoops() != op.getNumParallelLoops())
      return std::nullopt;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&output);
      auto loops = getLoops(map);
      if (!map.isPermutation() || loops->size() < numRows)
        return std::nullopt;
      RowOp candidate{op, {}, {}, {}};
      candidate.rows.assign(loops->begin(), loops->begin() + numRows);
      candidate.columns.assign(loops->begin() + numRows, loops->end());
      if (result && (result->rows != candidate.rows ||
                     result->columns != candidate.columns))
        return std::nullopt;
      result = candidate;
    }
  }
  if (result->rows.size() != numRows)
    return std::nullopt;
  for (const RowOp &other : ops)
    if (!areConfinedToRows(*result, other))
      return std::nullopt;
  for (size_t i = 0; i < numRows; ++i)
    if (llvm::none_of(ops, [&](const RowOp &other) {
          return haveEqualExtents(*result, other, i);
        }))
      return std::nullopt;
  return result;
}

bool RowGroup::addFront(LinalgOp op) {
  std::optional<RowOp> rowOp = match(op);
  if (rowOp)
    ops.insert(ops.begin(), std::move(*rowOp));
  return rowOp.has_value();
}

bool RowGroup::addBack(LinalgOp op) {
  std::optional<RowOp> rowOp = match(op);
  if (rowOp)
    ops.push_back(std::move(*rowOp));
  return rowOp.has_value();
}
