//===- TileLoweringEpilogue.cpp - Elementwise work and stores -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One implementation for every accumulator layout: the layout gives the
// thread's elements and their coordinates; the body is cloned for each. In a
// whole and aligned warp tile, inputs are read and outputs stored in the runs
// of columns that a thread has (or, staged, in runs of 16 bytes); in any other,
// inputs are read element by element at clamped coordinates and outputs stored
// under a predicate.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

AccView AccView::cut(size_t firstRow, size_t numRows, size_t firstColumn,
                     size_t numColumns) const {
  AccView part;
  part.run = run;
  part.rows = llvm::to_vector(ArrayRef(rows).slice(firstRow, numRows));
  part.columns =
      llvm::to_vector(ArrayRef(columns).slice(firstColumn, numColumns));
  for (size_t r = firstRow; !values.empty() && r < firstRow + numRows; ++r)
    for (size_t c = firstColumn; c < firstColumn + numColumns; ++c)
      part.values.push_back(at(r, c));
  return part;
}

AccView TileLowering::viewAcc(EpilogueOp op) {
  AccType type = op.getAcc().getType();
  Value m = one(op.getM()), n = one(op.getN());
  if (type.getLayout() == AccLayout::Wgmma)
    return viewWgmma(op);
  if (type.getLayout() == AccLayout::Simt)
    return viewSimt(op);
  AccView view;
  if (type.getLayout() == AccLayout::Row) {
    view.rows.push_back(m);
    for (int64_t column = 0; column < type.getColumns(); ++column)
      view.columns.push_back(b.add(n, column));
    llvm::append_range(view.values, all(op.getAcc()));
    // Segments of several columns start at multiples of their number.
    view.run = type.getColumns();
    return view;
  }
  // mma.sync: lane l holds rows l/4 and l/4 + 8, columns 2(l mod 4) and the
  // next.
  Value lane = laneId();
  Value row = b.add(m, b.divU(lane, 4)),
        column = b.add(n, b.mul(b.remU(lane, 4), 2));
  for (int64_t i = 0; i < type.getRows(); i += 8)
    view.rows.push_back(b.add(row, i));
  for (int64_t j = 0; j < type.getColumns(); j += 8)
    for (int64_t e : {0, 1})
      view.columns.push_back(b.add(column, j + e));
  ArrayRef<Value> registers = all(op.getAcc());
  int64_t across = type.getColumns() / 8;
  for (size_t r = 0; r < view.rows.size(); ++r)
    for (size_t c = 0; c < view.columns.size(); ++c)
      view.values.push_back(b.create<vector::ExtractOp>(
          registers[r / 2 * across + c / 2],
          ArrayRef<int64_t>{int64_t(r % 2), int64_t(c % 2)}));
  view.run = 2;
  return view;
}

/// Dimensions of the `buffer`-th of the inputs followed by the outputs.
static StringRef getDims(EpilogueOp op, unsigned buffer) {
  return cast<StringAttr>(op.getDims()[buffer]).getValue();
}

/// Where that buffer's strides begin in the operation's list.
static unsigned getFirstStride(EpilogueOp op, unsigned buffer) {
  unsigned stride = 0;
  for (unsigned i = 0; i < buffer; ++i)
    stride += getDims(op, i).empty() ? 0 : getDims(op, i).size() - 1;
  return stride;
}

/// The address, in elements, of (batch, m, n) in a buffer.
Value TileLowering::elementAddress(StringRef dims, ValueRange strides,
                                   Value batch, Value m, Value n) {
  Value address = b.i64(0);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Value coordinate = b.ext(dim == 'b' ? batch : dim == 'm' ? m : n);
    if (i + 1 < dims.size())
      coordinate = b.mul(coordinate, one(strides[i]));
    address = b.add(address, coordinate);
  }
  return address;
}

/// That in the `buffer`-th of the inputs followed by the outputs.
Value TileLowering::epilogueAddress(EpilogueOp op, unsigned buffer, Value m,
                                    Value n) {
  return elementAddress(getDims(op, buffer),
                        op.getStrides().drop_front(getFirstStride(op, buffer)),
                        one(op.getBatch()), m, n);
}

/// Whether `vector` neighbouring columns of a buffer may be accessed at once:
/// they lie side by side and every row starts at a multiple of them. Null if
/// never.
Value TileLowering::isVectorizable(EpilogueOp op, unsigned buffer,
                                   int64_t vector) {
  StringRef dims = getDims(op, buffer);
  if (dims.empty() || dims.back() != 'n')
    return nullptr;
  unsigned stride = getFirstStride(op, buffer);
  Value base = getBuffer(op, buffer);
  int64_t bytes =
      vector * cast<MemRefType>(base.getType()).getElementTypeBitWidth() / 8;
  Value address = b.create<memref::ExtractAlignedPointerAsIndexOp>(base);
  Value rest =
      b.remU(b.create<arith::IndexCastUIOp>(b.getI64Type(), address), bytes);
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    rest = b.createOrFold<arith::OrIOp>(
        rest, b.remU(one(op.getStrides()[stride + i]), vector));
  return b.cmp(arith::CmpIPredicate::eq, rest, b.i64(0));
}

Value TileLowering::getBuffer(EpilogueOp op, unsigned buffer) {
  unsigned inputs = op.getInputs().size();
  return one(buffer < inputs ? op.getInputs()[buffer]
                             : op.getOutputs()[buffer - inputs]);
}

/// Builds `condition ? then() : otherwise()` for lists of `count` values.
SmallVector<Value>
TileLowering::choose(Value condition, TypeRange types,
                     llvm::function_ref<SmallVector<Value>()> then,
                     llvm::function_ref<SmallVector<Value>()> otherwise) {
  auto branch = b.create<scf::IfOp>(types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard scope(b);
  for (auto [block, values] : {std::make_pair(branch.thenBlock(), then),
                               {branch.elseBlock(), otherwise}}) {
    b.setInsertionPointToEnd(block);
    // Without results the block comes with its terminator.
    if (!block->empty())
      block->back().erase();
    b.create<scf::YieldOp>(values());
  }
  return branch.getResults();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Reads the elements (rows × columns) of an input that the block needs, each
/// at coordinates clamped into the output; in place, only those inside it.
SmallVector<Value> TileLowering::loadEach(EpilogueOp op, unsigned input,
                                          ValueRange rows, ValueRange columns) {
  if (op.getInPlace())
    return loadInside(op, input, rows, columns);
  auto clamp = [&](Value x, Value extent) {
    return b.createOrFold<arith::MinUIOp>(x, b.sub(extent, b.i32(1)));
  };
  SmallVector<Value> loaded;
  for (Value m : rows)
    for (Value n : columns) {
      Value address = epilogueAddress(op, input, clamp(m, one(op.getExtentM())),
                                      clamp(n, one(op.getExtentN())));
      loaded.push_back(
          b.create<memref::LoadOp>(getBuffer(op, input), b.index(address)));
    }
  return loaded;
}

/// The same, with zero for what lies outside.
SmallVector<Value> TileLowering::loadInside(EpilogueOp op, unsigned input,
                                            ValueRange rows,
                                            ValueRange columns) {
  Value buffer = getBuffer(op, input);
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  auto isBelow = [&](Value x, Value extent) -> Value {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, x, extent);
  };
  SmallVector<Value> loaded;
  for (Value m : rows)
    for (Value n : columns) {
      Value isInside = b.bitAnd(isBelow(m, one(op.getExtentM())),
                                isBelow(n, one(op.getExtentN())));
      loaded.append(choose(
          isInside, {type},
          [&] {
            Value address = epilogueAddress(op, input, m, n);
            return SmallVector<Value>{
                b.create<memref::LoadOp>(buffer, b.index(address))};
          },
          [&] {
            return SmallVector<Value>{
                b.create<arith::ConstantOp>(b.getZeroAttr(type))};
          }));
    }
  return loaded;
}

/// The same as vectors of `run` columns; all of them are inside and aligned.
SmallVector<Value> TileLowering::loadRuns(EpilogueOp op, unsigned input,
                                          ValueRange rows, ValueRange columns,
                                          int64_t run) {
  SmallVector<Value> loaded;
  auto element =
      cast<MemRefType>(op.getInputs()[input].getType()).getElementType();
  auto type = VectorType::get({run}, element);
  for (Value m : rows)
    for (size_t c = 0; c < columns.size(); c += run)
      loaded.push_back(b.create<vector::LoadOp>(
          type, getBuffer(op, input),
          b.index(epilogueAddress(op, input, m, columns[c]))));
  return loaded;
}

/// Whether all inputs can be read in pairs, where they ever can. Null if there
/// are none that can.
Value TileLowering::canLoadPairs(EpilogueOp op, const AccView &view,
                                 Value whole) {
  Value all;
  for (unsigned input = 0; view.run == 2 && input < op.getInputs().size();
       ++input)
    if (Value pairs = op.getStagedTile(input) < 0 ? isVectorizable(op, input, 2)
                                                  : Value())
      all = b.bitAnd(all ? all : whole, pairs);
  return all;
}

/// What the block needs of an input, row-major: elements, or with `inPairs`,
/// which says that canLoadPairs holds, pairs where it ever has them. What the
/// input does not depend on is read once.
SmallVector<Value> TileLowering::loadBlock(EpilogueOp op, unsigned input,
                                           const AccView &view, Value whole,
                                           bool inPairs) {
  StringRef dims = getDims(op, input);
  Type element =
      cast<MemRefType>(op.getInputs()[input].getType()).getElementType();
  auto rows =
      ArrayRef(view.rows).take_front(dims.contains('m') ? view.rows.size() : 1);
  auto columns = ArrayRef(view.columns)
                     .take_front(dims.contains('n') ? view.columns.size() : 1);
  Value hasRuns = view.run > 1 ? isVectorizable(op, input, view.run) : Value();
  inPairs &= bool(hasRuns);
  SmallVector<Type> types(rows.size() * columns.size(), element);
  if (inPairs)
    types.assign(types.size() / 2, VectorType::get({2}, element));
  auto load = [&]() -> SmallVector<Value> {
    if (inPairs)
      return loadRuns(op, input, rows, columns, view.run);
    if (!hasRuns)
      return loadEach(op, input, rows, columns);
    return choose(
        b.bitAnd(hasRuns, whole), types,
        [&] {
          SmallVector<Value> elements;
          for (Value vector : loadRuns(op, input, rows, columns, view.run))
            for (int64_t e = 0; e < view.run; ++e)
              elements.push_back(b.create<vector::ExtractOp>(vector, e));
          return elements;
        },
        [&] { return loadEach(op, input, rows, columns); });
  };
  int64_t guard = op.getGuards()[input];
  if (guard < 0)
    return load();
  Value scalar = one(op.getScalars()[guard]);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(scalar.getType()));
  Value isUsed =
      b.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, scalar, zero);
  return choose(isUsed, types, load, [&] {
    Value none = b.create<arith::ConstantOp>(b.getZeroAttr(types.front()));
    return SmallVector<Value>(types.size(), none);
  });
}

/// The element of an input, of which the block has `loaded`, at a place of the
/// block.
Value TileLowering::getLoaded(EpilogueOp op, unsigned input,
                              ArrayRef<Value> loaded, const AccView &view,
                              size_t row, size_t column) {
  StringRef dims = getDims(op, input);
  bool isPair = isa<VectorType>(loaded.front().getType());
  size_t perRow = dims.contains('n') ? view.columns.size() : 1;
  size_t place = (dims.contains('m') ? row * perRow : 0) +
                 (dims.contains('n') ? column : 0);
  if (!isPair)
    return loaded[place];
  return b.create<vector::ExtractOp>(loaded[place / 2], int64_t(place % 2));
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// Evaluates the body on one element.
SmallVector<Value> TileLowering::evaluate(EpilogueOp op, Value acc,
                                          ValueRange inputs, Value m, Value n) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), acc);
  for (auto [i, source] : llvm::enumerate(op.getArgumentOrder()))
    mapping.map(body.getArgument(i + 1), source < 0
                                             ? one(op.getScalars()[-1 - source])
                                             : inputs[source]);
  for (Operation &inner : body.without_terminator()) {
    auto coordinate = dyn_cast<IndexOp>(inner);
    if (!coordinate) {
      b.clone(inner, mapping);
      continue;
    }
    Value source = coordinate.getDim() == "b"   ? one(op.getBatch())
                   : coordinate.getDim() == "m" ? m
                                                : n;
    mapping.map(coordinate.getResult(), b.index(source));
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

/// Whether all of the accumulator is inside the output.
Value TileLowering::isWhole(EpilogueOp op) {
  AccType acc = op.getAcc().getType();
  int64_t rows = acc.getRowExtent(), columns = acc.getColumnExtent();
  if (op.getTransposed())
    std::swap(rows, columns);
  auto fits = [&](Value origin, int64_t size, Value extent) {
    return b.cmp(arith::CmpIPredicate::ule, b.add(origin, size), extent);
  };
  return b.bitAnd(fits(one(op.getM()), rows, one(op.getExtentM())),
                  fits(one(op.getN()), columns, one(op.getExtentN())));
}

/// Rounds neighbours that are `distance` apart together: of two conversions
/// and a move, ptxas believes that they read accumulators in flight.
void TileLowering::narrowInPairs(MutableArrayRef<Value> list, size_t distance) {
  for (size_t i = 0; i + distance < list.size(); ++i) {
    auto low = list[i].getDefiningOp<arith::TruncFOp>();
    auto high = list[i + distance].getDefiningOp<arith::TruncFOp>();
    if (i / distance % 2 || !low || !high || !low.getIn().getType().isF32() ||
        !high.getIn().getType().isF32() || low.getType() != high.getType() ||
        low.getType().getIntOrFloatBitWidth() != 16)
      continue;
    auto type = VectorType::get({2}, low.getType());
    Value pair;
    if (low.getType().isBF16())
      pair = b.create<NVVM::ConvertF32x2ToBF16x2Op>(
          type, high.getIn(), low.getIn(), Value(), NVVM::FPRoundingMode::RN);
    else
      pair = b.create<NVVM::ConvertF32x2ToF16x2Op>(
          type, high.getIn(), low.getIn(), Value(), NVVM::FPRoundingMode::RN);
    list[i] = b.create<vector::ExtractOp>(pair, 0);
    list[i + distance] = b.create<vector::ExtractOp>(pair, 1);
  }
}

/// What the view needs of each input, but nothing of those in shared memory.
SmallVector<SmallVector<Value>> TileLowering::loadInputs(EpilogueOp op,
                                                         const AccView &view,
                                                         Value whole,
                                                         bool inPairs) {
  SmallVector<SmallVector<Value>> inputs;
  for (unsigned input = 0; input < op.getInputs().size(); ++input)
    inputs.push_back(op.getStagedTile(input) < 0
                         ? loadBlock(op, input, view, whole, inPairs)
                         : SmallVector<Value>());
  return inputs;
}

/// The outputs' elements of the view, row-major.
SmallVector<SmallVector<Value>>
TileLowering::evaluateBlock(EpilogueOp op, const AccView &sums,
                            ArrayRef<SmallVector<Value>> inputs) {
  AccView view = guardRounding(op, sums);
  size_t columns = view.columns.size();
  SmallVector<SmallVector<Value>> results(
      op.getBody().front().getTerminator()->getNumOperands());
  for (size_t i = 0; i < view.values.size(); ++i) {
    size_t row = i / columns, column = i % columns;
    SmallVector<Value> elements;
    for (auto [input, loaded] : llvm::enumerate(inputs))
      elements.push_back(getLoaded(op, input, loaded, view, row, column));
    SmallVector<Value> yielded = evaluate(op, view.values[i], elements,
                                          view.rows[row], view.columns[column]);
    for (auto [list, value] : llvm::zip_equal(results, yielded))
      list.push_back(value);
  }
  if (op.getAcc().getType().getLayout() == AccLayout::Wgmma)
    for (SmallVector<Value> &list : results)
      narrowInPairs(list, op.getTransposed() ? columns : 1);
  return results;
}

/// The parts of a view that go out block by block: of 16 rows, so that few
/// inputs and results are alive at once; a warpgroup's are wide, so that it
/// also goes by up to 32 columns. What lies behind a static extent for every
/// warp is left out.
PartGrid TileLowering::cutBlocks(EpilogueOp op, const AccView &view) {
  AccType acc = op.getAcc().getType();
  bool transposed = op.getTransposed();
  int64_t rows = transposed ? acc.getColumns() : acc.getRows();
  int64_t columns = transposed ? acc.getRows() : acc.getColumns();
  PartGrid grid;
  grid.heldRows = view.rows.size() % 2 ? 1 : 2;
  grid.numRows = rows * grid.heldRows / view.rows.size();
  grid.heldColumns = view.columns.size();
  if (acc.getLayout() == AccLayout::Wgmma)
    for (grid.heldColumns = 8; view.columns.size() % grid.heldColumns;)
      grid.heldColumns -= 2;
  grid.numColumns = columns * grid.heldColumns / view.columns.size();
  std::optional<int64_t> extent = getConstantIntValue(one(op.getExtentM()));
  int64_t end = rows;
  if (extent && acc.getLayout() == AccLayout::MmaSync)
    end = std::min<int64_t>(rows, llvm::alignTo(*extent, 16));
  for (int64_t row = 0; row < end; row += grid.numRows)
    grid.rows.push_back(row);
  for (int64_t column = 0; column < columns; column += grid.numColumns)
    grid.columns.push_back(column);
  return grid;
}

void TileLowering::lower(EpilogueOp op) {
  if (op.storesBoxes())
    return storeBoxes(op);
  if (getWmmaShape(op.getAcc().getType().getLayout()))
    return storeMatrices(op);
  AccView all = viewAcc(op);
  Value whole = isWhole(op);
  storeParts(op, all, cutBlocks(op, all), whole,
             [&](const Part &part, ArrayRef<SmallVector<Value>> results) {
               for (auto [output, list] : llvm::enumerate(results))
                 storeBlock(op, output, part.view, list, whole,
                            stagings == 1 && part.isLast &&
                                output + 1 == results.size());
             });
}
