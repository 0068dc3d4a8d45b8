//===- EpilogueSlices.cpp - Epilogues, slice by slice ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueSlices.h"
#include "ControlFlow.h"
#include "EpilogueBody.h"
#include "EpilogueReductions.h"
#include "Reductions.h"

using namespace mlir;
using namespace tcgemm;

/// The slices of a view, row by row.
static std::vector<AccView> cutSlices(const AccView &all,
                                      const SliceGrid &grid) {
  std::vector<AccView> views;
  for (int64_t row : grid.rows)
    for (int64_t column : grid.columns)
      views.push_back(all.slice(
          row * grid.heldRows / grid.numRows, grid.heldRows,
          column * grid.heldColumns / grid.numColumns, grid.heldColumns));
  return views;
}

/// Returns whether a loop over slices is faster than their unrolled code: for
/// long bodies, which exceed the instruction cache, and for matrices in global
/// memory, whose elements the loop loads ahead. On an H200 a bias with a ReLU
/// is up to 1 % faster unrolled, and a SiLU in a loop.
bool EpilogueSlices::isFasterInLoop() {
  constexpr size_t light = 16;
  for (unsigned input = 0; input < op.getInputs().size(); ++input)
    if (op.getStagedTile(input) < 0 && inputs.isMatrix(input))
      return true;
  return op.getBody().front().getOperations().size() > light;
}

void EpilogueSlices::loadEarly(const AccView &all, const SliceGrid &grid) {
  Value whole = inputs.isWhole();
  for (const AccView &view : cutSlices(all, grid))
    c.earlyInputs[op].push_back(inputs.load(view, whole, /*inPairs=*/false));
}

void EpilogueSlices::store(const AccView &all, const SliceGrid &grid,
                           Value whole, StoreSlice storeSlice) {
  std::vector<AccView> views = cutSlices(all, grid);
  auto layout = createAccumulator(c, op.getAcc().getType().getLayout());
  if (!layout->storesInLoop() || !isFasterInLoop() || views.size() == 1 ||
      op.getEarly() || !EpilogueReductions(c, op).canLoop(grid))
    return storeUnrolled(views, grid, whole, storeSlice);
  auto store = [&](bool inPairs) {
    storeInLoop(views, grid, whole, inPairs, storeSlice);
  };
  if (Value inPairs = inputs.canLoadPairs(views.front(), whole))
    buildIfElse(b, inPairs, [&] { store(true); }, [&] { store(false); });
  else
    store(false);
}

void EpilogueSlices::storeUnrolled(ArrayRef<AccView> views,
                                   const SliceGrid &grid, Value whole,
                                   StoreSlice storeSlice) {
  EpilogueReductions reductions(c, op);
  for (auto [i, view] : llvm::enumerate(views)) {
    int64_t row = grid.rows[i / grid.columns.size()],
            column = grid.columns[i % grid.columns.size()];
    Slice slice{view, b.i32(i), b.i32(row), b.i32(column),
                /*isLast=*/i + 1 == views.size()};
    auto loaded = op.getEarly() ? c.earlyInputs[op][i]
                                : inputs.load(view, whole, /*inPairs=*/false);
    inputs.loadStaged(slice.number, loaded);
    SmallVector<Values> results = EpilogueBody(c, op).evaluate(view, loaded);
    ArrayRef<Values> stored = ArrayRef(results).take_front(op.getNumStored());
    reductions.add(view, row * grid.heldRows / grid.numRows,
                   column * grid.heldColumns / grid.numColumns,
                   ArrayRef(results).drop_front(stored.size()), whole);
    storeSlice(slice, stored);
  }
  reductions.store();
}

/// The start of the slices with this index along a side.
Value EpilogueSlices::getStart(Value index, ArrayRef<int64_t> starts,
                               int64_t size) {
  Value start = b.mul(index, size);
  // The last slice of a side may overlap the one before it.
  if (starts.back() != int64_t(starts.size() - 1) * size)
    start = b.minU(start, b.i32(starts.back()));
  return start;
}

/// The slice with a number that is known at run time, without its values.
Slice EpilogueSlices::getSlice(const AccView &first, const SliceGrid &grid,
                               Value number) {
  int64_t across = grid.columns.size();
  Slice slice{first, number,
              getStart(b.divU(number, across), grid.rows, grid.numRows),
              getStart(b.remU(number, across), grid.columns, grid.numColumns),
              /*isLast=*/false};
  for (Value &row : slice.view.rows)
    row = b.add(row, slice.row);
  for (Value &column : slice.view.columns)
    column = b.add(column, slice.column);
  return slice;
}

/// The elements of one of two accumulators of the slice with a number that is
/// known at run time.
Values EpilogueSlices::select(ArrayRef<AccView> views, Values AccView::*list,
                              Value number) {
  SmallVector<Values> sums;
  for (const AccView &view : views)
    sums.push_back(view.*list);
  return selectSlice(b, sums, number);
}

/// With `inPairs` the inputs of a slice are loaded before the slice ahead of it
/// is evaluated: a warpgroup alone cannot hide their latency otherwise.
void EpilogueSlices::storeInLoop(ArrayRef<AccView> views, const SliceGrid &grid,
                                 Value whole, bool inPairs,
                                 StoreSlice storeSlice) {
  int64_t count = views.size();
  auto load = [&](Value number) {
    return inputs.load(getSlice(views.front(), grid, number).view, whole,
                       /*inPairs=*/true);
  };
  SmallVector<Values> loaded;
  if (inPairs)
    loaded = load(b.i32(0));
  EpilogueReductions reductions(c, op);
  Values carried = reductions.start(views.front());
  size_t numReduced = carried.size();
  for (const Values &list : loaded)
    llvm::append_range(carried, list);
  auto loop = createRolledLoop(b, count, carried);
  OpBuilder::InsertionGuard scope(b);
  if (carried.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Slice slice = getSlice(views.front(), grid, number);
  Values ahead;
  reductions.resume(loop.getRegionIterArgs().take_front(numReduced));
  if (inPairs) {
    for (Values &list : load(b.minU(b.add(number, 1), b.i32(count - 1))))
      llvm::append_range(ahead, list);
    ValueRange current =
        ValueRange(loop.getRegionIterArgs()).drop_front(numReduced);
    for (Values &list : loaded) {
      list.assign(current.begin(), current.begin() + list.size());
      current = current.drop_front(list.size());
    }
  } else {
    loaded = inputs.load(slice.view, whole, /*inPairs=*/false);
  }
  inputs.loadStaged(number, loaded);
  slice.view.values = select(views, &AccView::values, number);
  if (op.getSecond())
    slice.view.seconds = select(views, &AccView::seconds, number);
  SmallVector<Values> results =
      EpilogueBody(c, op).evaluate(slice.view, loaded);
  ArrayRef<Values> stored = ArrayRef(results).take_front(op.getNumStored());
  Values reduced = reductions.addNext(
      slice.view, ArrayRef(results).drop_front(stored.size()), whole);
  storeSlice(slice, stored);
  if (carried.empty())
    return;
  llvm::append_range(reduced, ahead);
  b.create<scf::YieldOp>(reduced);
  b.setInsertionPointAfter(loop);
  reductions.resume(loop.getResults().take_front(numReduced));
  reductions.store();
}
