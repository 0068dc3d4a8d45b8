//===- TileLoweringParts.cpp - An epilogue part by part -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp's or warpgroup's accumulator is evaluated and stored in parts, so that
// few inputs and results are alive at once. Where the elementwise work is more
// than a conversion, a warpgroup goes through its parts in a loop: unrolled,
// the code would be larger than the instruction cache, and every instruction of
// it would be fetched anew for every tile.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

/// The parts' values, one of which is chosen at run time: registers cannot be
/// indexed, so it is copied.
SmallVector<Value> TileLowering::choosePart(ArrayRef<SmallVector<Value>> parts,
                                            Value number, int64_t first) {
  if (parts.size() == 1)
    return parts.front();
  size_t half = parts.size() / 2;
  return choose(
      b.cmp(arith::CmpIPredicate::ult, number, b.i32(first + half)),
      ValueRange(parts.front()).getTypes(),
      [&] { return choosePart(parts.take_front(half), number, first); },
      [&] { return choosePart(parts.drop_front(half), number, first + half); });
}

/// Whether the work on an element is more than to convert it.
static bool isHeavy(EpilogueOp op) {
  constexpr size_t light = 4;
  return !op.getInputs().empty() ||
         op.getBody().front().getOperations().size() > light;
}

/// The parts of a view, row by row.
static SmallVector<AccView> cutParts(const AccView &all, const PartGrid &grid) {
  SmallVector<AccView> views;
  for (int64_t row : grid.rows)
    for (int64_t column : grid.columns)
      views.push_back(all.cut(row * grid.heldRows / grid.numRows, grid.heldRows,
                              column * grid.heldColumns / grid.numColumns,
                              grid.heldColumns));
  return views;
}

/// Reads what the role's epilogue has read early, if it has one.
void TileLowering::loadEarly() {
  for (EpilogueOp op : role.getBody().front().getOps<EpilogueOp>()) {
    if (!op.getEarly() || earlyInputs.contains(op))
      continue;
    AccView all = viewWgmma(op, /*withValues=*/false);
    PartGrid grid = op.storesBoxes() ? cutBoxes(op) : cutBlocks(op, all);
    Value whole = isWhole(op);
    for (const AccView &view : cutParts(all, grid))
      earlyInputs[op].push_back(loadInputs(op, view, whole, /*inPairs=*/false));
  }
}

void TileLowering::storeParts(EpilogueOp op, const AccView &all,
                              const PartGrid &grid, Value whole,
                              StorePart store) {
  SmallVector<AccView> views = cutParts(all, grid);
  size_t count = views.size();
  bool isWgmma = op.getAcc().getType().getLayout() == AccLayout::Wgmma;
  if (!isWgmma || !isHeavy(op) || count == 1 || op.getEarly()) {
    for (auto [i, view] : llvm::enumerate(views)) {
      Part part{view, b.i32(i), b.i32(grid.rows[i / grid.columns.size()]),
                b.i32(grid.columns[i % grid.columns.size()]),
                /*isLast=*/i + 1 == count};
      auto inputs = op.getEarly()
                        ? earlyInputs[op][i]
                        : loadInputs(op, view, whole, /*inPairs=*/false);
      readStaged(op, part, inputs);
      store(part, evaluateBlock(op, view, inputs));
    }
    return;
  }
  SmallVector<SmallVector<Value>> values;
  for (AccView &view : views)
    values.push_back(view.values);
  auto emit = [&](bool inPairs) -> SmallVector<Value> {
    storePartsInLoop(op, views.front(), values, grid, whole, inPairs, store);
    return {};
  };
  if (Value inPairs = canLoadPairs(op, views.front(), whole))
    choose(
        inPairs, {}, [&] { return emit(true); }, [&] { return emit(false); });
  else
    emit(false);
}

/// `view` is the first part's. With `inPairs` the inputs of a part are loaded
/// before the part ahead of it is evaluated: a warpgroup alone cannot hide
/// their latency otherwise.
void TileLowering::storePartsInLoop(EpilogueOp op, const AccView &view,
                                    ArrayRef<SmallVector<Value>> values,
                                    const PartGrid &grid, Value whole,
                                    bool inPairs, StorePart store) {
  int64_t across = grid.columns.size(), count = values.size();
  auto startOf = [&](Value index, ArrayRef<int64_t> starts, int64_t size) {
    Value start = b.mul(index, size);
    // The last part of a row or column may overlap the one before it.
    if (starts.back() != int64_t(starts.size() - 1) * size)
      start = b.createOrFold<arith::MinUIOp>(start, b.i32(starts.back()));
    return start;
  };
  auto place = [&](Value number) {
    Part part{view, number,
              startOf(b.divU(number, across), grid.rows, grid.numRows),
              startOf(b.remU(number, across), grid.columns, grid.numColumns),
              /*isLast=*/false};
    for (Value &row : part.view.rows)
      row = b.add(row, part.row);
    for (Value &column : part.view.columns)
      column = b.add(column, part.column);
    return part;
  };
  SmallVector<SmallVector<Value>> inputs;
  if (inPairs)
    inputs = loadInputs(op, place(b.i32(0)).view, whole, /*inPairs=*/true);
  SmallVector<Value> carried;
  for (const SmallVector<Value> &list : inputs)
    llvm::append_range(carried, list);
  auto loop = createRolledLoop(count, carried);
  OpBuilder::InsertionGuard scope(b);
  if (carried.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Part part = place(number);
  SmallVector<Value> ahead;
  if (inPairs) {
    Value next =
        b.createOrFold<arith::MinUIOp>(b.add(number, 1), b.i32(count - 1));
    for (SmallVector<Value> &list :
         loadInputs(op, place(next).view, whole, /*inPairs=*/true))
      llvm::append_range(ahead, list);
    ValueRange current = loop.getRegionIterArgs();
    for (SmallVector<Value> &list : inputs) {
      list.assign(current.begin(), current.begin() + list.size());
      current = current.drop_front(list.size());
    }
  } else {
    inputs = loadInputs(op, part.view, whole, /*inPairs=*/false);
  }
  readStaged(op, part, inputs);
  part.view.values = choosePart(values, number, 0);
  store(part, evaluateBlock(op, part.view, inputs));
  if (!carried.empty())
    b.create<scf::YieldOp>(ahead);
}

//===----------------------------------------------------------------------===//
// Prefetch
//===----------------------------------------------------------------------===//

/// A line of the cache each. Where a row does not start with a line, its last
/// elements may stay behind.
void TileLowering::lower(PrefetchOp op) {
  constexpr int64_t lineBytes = 128, threads = 128;
  int64_t bytes =
      cast<MemRefType>(op.getInput().getType()).getElementTypeBitWidth() / 8;
  bool alongN = op.getDims().back() == 'n';
  int64_t inner = alongN ? op.getColumns() : op.getRows();
  int64_t outer = alongN ? op.getRows() : op.getColumns();
  if (!op.getDims().contains(alongN ? 'm' : 'n'))
    outer = 1;
  int64_t perLine = lineBytes / bytes;
  int64_t lines = llvm::divideCeil(inner, perLine);
  Value isUsed;
  if (op.getGuard()) {
    Value scalar = one(op.getGuard());
    Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(scalar.getType()));
    isUsed = b.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, scalar, zero);
  }
  Value base = b.create<arith::IndexCastUIOp>(
      b.getI64Type(),
      b.create<memref::ExtractAlignedPointerAsIndexOp>(one(op.getInput())));
  for (int64_t first = 0; first < outer * lines; first += threads) {
    Value index = b.add(b.remU(roleThread(), threads), first);
    Value alongOuter = b.divU(index, lines);
    Value alongInner = b.mul(b.remU(index, lines), perLine);
    Value m = b.add(one(op.getM()), alongN ? alongOuter : alongInner);
    Value n = b.add(one(op.getN()), alongN ? alongInner : alongOuter);
    Value fetches =
        b.bitAnd(b.cmp(arith::CmpIPredicate::ult, m, one(op.getExtentM())),
                 b.cmp(arith::CmpIPredicate::ult, n, one(op.getExtentN())));
    if (first + threads > outer * lines)
      fetches = b.bitAnd(fetches, b.cmp(arith::CmpIPredicate::ult, index,
                                        b.i32(outer * lines)));
    if (isUsed)
      fetches = b.bitAnd(fetches, isUsed);
    auto branch = b.create<scf::IfOp>(fetches, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value offset = b.mul(
        elementAddress(op.getDims(), op.getStrides(), one(op.getBatch()), m, n),
        bytes);
    Value pointer = b.create<LLVM::IntToPtrOp>(
        LLVM::LLVMPointerType::get(b.getContext(), 1), b.add(base, offset));
    b.create<NVVM::PrefetchOp>(
        NVVM::PrefetchCacheLevelAttr::get(b.getContext(),
                                          NVVM::PrefetchCacheLevel::L2),
        NVVM::CacheEvictionPriorityAttr(), pointer, Value(), UnitAttr());
  }
}
