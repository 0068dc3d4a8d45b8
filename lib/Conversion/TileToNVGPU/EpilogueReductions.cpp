//===- EpilogueReductions.cpp - Reductions of epilogues' values -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueReductions.h"
#include "ControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

EpilogueReductions::EpilogueReductions(LoweringContext &c, EpilogueOp op)
    : EpilogueAccess(c, op),
      layout(createAccumulator(c, op.getAcc().getType().getLayout())),
      tile(getPartialTile(op.getAcc().getType(), op.getTransposed())) {
  auto yields = op.getBody().front().getTerminator()->getOperandTypes();
  for (unsigned i = 0; i < op.getNumReductions(); ++i) {
    Type type =
        cast<MemRefType>(op.getPartials()[i].getType()).getElementType();
    PartialAttr partial = op.getPartial(i);
    states.push_back({partial,
                      type,
                      createStates(b, partial.getCombiner(),
                                   yields[op.getNumStored() + i], type),
                      {}});
  }
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

EpilogueReductions::Elements EpilogueReductions::takeNew(const AccView &view,
                                                         size_t firstRow,
                                                         size_t firstColumn) {
  rows.resize(std::max(rows.size(), firstRow + view.rows.size()));
  columns.resize(std::max(columns.size(), firstColumn + view.columns.size()));
  llvm::copy(view.rows, rows.begin() + firstRow);
  llvm::copy(view.columns, columns.begin() + firstColumn);
  Elements elements;
  for (size_t row = 0; row < view.rows.size(); ++row)
    for (size_t column = 0; column < view.columns.size(); ++column)
      if (seen.insert({firstRow + row, firstColumn + column}).second)
        elements.push_back({row, column});
  return elements;
}

/// The number of a state's value to which an element belongs.
size_t EpilogueReductions::getTarget(const State &state, size_t row,
                                     size_t column) const {
  StringRef dim = state.partial.getDim();
  return dim == "m" ? row : dim == "n" ? column : 0;
}

/// The place of an element along the dimension that is reduced (i32), or among
/// all elements (i64); null if the states do not have it.
Value EpilogueReductions::getCoordinate(const State &state, Value row,
                                        Value column) {
  if (getStateKind(state.partial.getCombiner()) != StateKind::Index)
    return {};
  StringRef dim = state.partial.getDim();
  if (!dim.empty())
    return dim == "m" ? column : row;
  Value before = b.mul(b.ext(row), b.ext(one(op.getExtentN())));
  return b.add(before, b.ext(column));
}

/// Combines the elements of a slice, for each of its rows or columns or for
/// all; null where there are none.
Values EpilogueReductions::combine(const State &state, const AccView &view,
                                   ArrayRef<Value> values,
                                   const Elements &elements, bool isMasked) {
  StringRef dim = state.partial.getDim();
  Value neutral = state.states->createNeutral();
  // The results of rows and columns outside are not stored.
  auto isInside = [&](const Values &coordinates, StringRef kept, Value extent) {
    Values inside;
    for (Value coordinate : coordinates)
      inside.push_back(isMasked && dim != kept ? b.lessU(coordinate, extent)
                                               : Value());
    return inside;
  };
  Values rowInside = isInside(view.rows, "m", one(op.getExtentM()));
  Values columnInside = isInside(view.columns, "n", one(op.getExtentN()));
  SmallVector<StateList> lists(dim == "m"   ? view.rows.size()
                               : dim == "n" ? view.columns.size()
                                            : 1,
                               StateList(*state.states));
  for (auto [row, column] : elements) {
    Value value = state.states->createState(
        values[row * view.columns.size() + column],
        getCoordinate(state, view.rows[row], view.columns[column]));
    for (Value inside : {rowInside[row], columnInside[column]})
      if (inside)
        value = b.select(inside, value, neutral);
    lists[getTarget(state, row, column)].add(value);
  }
  return llvm::map_to_vector(lists,
                             [](StateList &list) { return list.take(); });
}

/// The same without a mask if the elements are `whole`.
Values EpilogueReductions::combineSlice(const State &state, const AccView &view,
                                        ArrayRef<Value> values,
                                        const Elements &elements, Value whole) {
  // For few elements a branch costs more than it saves.
  constexpr size_t few = 4;
  if (elements.size() <= few)
    return combine(state, view, values, elements, /*isMasked=*/true);
  SmallVector<size_t> present;
  // Which values there are does not depend on the mask.
  for (const auto &element : elements)
    if (size_t target = getTarget(state, element.first, element.second);
        !llvm::is_contained(present, target))
      present.push_back(target);
  llvm::sort(present);
  auto build = [&](bool isMasked) {
    Values all = combine(state, view, values, elements, isMasked);
    return llvm::map_to_vector(present,
                               [&](size_t target) { return all[target]; });
  };
  Values results = buildIfElse(
      b, whole, SmallVector<Type>(present.size(), state.type),
      [&] { return build(false); }, [&] { return build(true); });
  Values combined(present.empty() ? 0 : present.back() + 1);
  for (auto [target, result] : llvm::zip_equal(present, results))
    combined[target] = result;
  return combined;
}

void EpilogueReductions::add(const AccView &view, size_t firstRow,
                             size_t firstColumn, ArrayRef<Values> values,
                             Value whole) {
  if (states.empty())
    return;
  Elements elements = takeNew(view, firstRow, firstColumn);
  for (auto [state, list] : llvm::zip_equal(states, values)) {
    Values combined = combineSlice(state, view, list, elements, whole);
    size_t first = getTarget(state, firstRow, firstColumn);
    state.values.resize(std::max(state.values.size(), first + combined.size()));
    for (auto [i, value] : llvm::enumerate(combined)) {
      Value &total = state.values[first + i];
      if (value)
        total = total ? state.states->combine(total, value) : value;
    }
  }
}

//===----------------------------------------------------------------------===//
// Loops over slices
//===----------------------------------------------------------------------===//

bool EpilogueReductions::canLoop(const SliceGrid &grid) const {
  if (states.empty())
    return true;
  bool overlaps =
      grid.columns.back() != int64_t(grid.columns.size() - 1) * grid.numColumns;
  return grid.rows.size() == 1 && !overlaps &&
         llvm::none_of(states, [](const State &state) {
           return state.partial.getDim() == "n";
         });
}

Values EpilogueReductions::start(const AccView &view) {
  rows = view.rows;
  Values initial;
  for (State &state : states) {
    size_t number = state.partial.getDim() == "m" ? view.rows.size() : 1;
    state.values.assign(number, state.states->createNeutral());
    llvm::append_range(initial, state.values);
  }
  return initial;
}

void EpilogueReductions::resume(ValueRange current) {
  for (State &state : states) {
    size_t number = state.values.size();
    state.values.assign(current.begin(), current.begin() + number);
    current = current.drop_front(number);
  }
}

Values EpilogueReductions::addNext(const AccView &view, ArrayRef<Values> values,
                                   Value whole) {
  // The coordinates of the rows are known before the loop.
  Values known = rows;
  seen.clear();
  add(view, /*firstRow=*/0, /*firstColumn=*/0, values, whole);
  rows = std::move(known);
  Values next;
  for (const State &state : states)
    llvm::append_range(next, state.values);
  return next;
}

//===----------------------------------------------------------------------===//
// Partial results
//===----------------------------------------------------------------------===//

/// The number of the slots along a dimension (i32).
Value EpilogueReductions::getSlot(char dim) {
  AccType acc = op.getAcc().getType();
  Value origin = dim == 'm' ? one(op.getM()) : one(op.getN());
  int64_t size = dim == 'm' ? tile.rows : tile.columns;
  int64_t parts = dim == 'm' ? tile.rowParts : tile.columnParts;
  Value slot = b.mul(b.divU(origin, size), parts);
  if (parts == 1)
    return slot;
  // A warp of a warpgroup, or a thread among those of the CTA.
  Value part =
      acc.getRuns().empty()
          ? b.remU(c.warpId(), 4)
          : b.divU(b.remU(origin, size), acc.getRuns()[dim == 'm' ? 0 : 2]);
  return b.add(slot, part);
}

/// Returns whether the accumulator's tile starts inside the outputs along a
/// dimension.
Value EpilogueReductions::hasSlot(char dim) {
  int64_t size = dim == 'm' ? tile.rows : tile.columns;
  Value origin = dim == 'm' ? one(op.getM()) : one(op.getN());
  if (!op.getAcc().getType().getRuns().empty())
    origin = b.mul(b.divU(origin, size), size);
  return b.lessU(origin,
                 dim == 'm' ? one(op.getExtentM()) : one(op.getExtentN()));
}

void EpilogueReductions::store(unsigned reduction) {
  const State &state = states[reduction];
  StringRef dim = state.partial.getDim();
  LaneBits bits = layout->getLaneBits(op);
  unsigned lanes =
      (dim == "m" ? 0 : bits.rows) | (dim == "n" ? 0 : bits.columns);
  Value slot = dim == "m" ? getSlot('n') : getSlot('m');
  if (dim.empty()) {
    Value across =
        b.mul(b.ceilDiv(one(op.getExtentN()), tile.columns), tile.columnParts);
    slot = b.add(b.mul(slot, across), getSlot('n'));
  }
  Value base =
      b.add(b.mul(b.ext(slot), one(op.getPartialStrides()[2 * reduction])),
            b.mul(b.ext(one(op.getBatch())),
                  one(op.getPartialStrides()[2 * reduction + 1])));
  // Tiles beyond the outputs have no slots.
  Value stores;
  auto addCondition = [&](Value condition) {
    stores = stores ? b.bitAnd(stores, condition) : condition;
  };
  if (dim != "m")
    addCondition(hasSlot('m'));
  if (dim != "n")
    addCondition(hasSlot('n'));
  if (lanes)
    addCondition(b.equal(b.bitAnd(c.laneId(), b.i32(lanes)), b.i32(0)));
  for (auto [i, value] : llvm::enumerate(state.values)) {
    if (!value)
      continue;
    Value total = state.states->combineLanes(value, lanes), index = base;
    Value isStored = stores;
    if (!dim.empty()) {
      Value coordinate = dim == "m" ? rows[i] : columns[i];
      Value isInside = b.lessU(
          coordinate, one(dim == "m" ? op.getExtentM() : op.getExtentN()));
      isStored = b.bitAnd(stores, isInside);
      index = b.add(base, b.ext(coordinate));
    }
    buildIf(b, isStored, [&] {
      b.create<memref::StoreOp>(total, one(op.getPartials()[reduction]),
                                b.index(index));
    });
  }
}

void EpilogueReductions::store() {
  for (unsigned i = 0; i < states.size(); ++i)
    store(i);
}
