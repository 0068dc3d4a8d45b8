//===- TileLoweringEpilogue.cpp - Elementwise work and stores -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One implementation for every accumulator layout: the layout gives the thread's
// elements and their coordinates; the body is cloned for each. Inputs are read at
// clamped coordinates, without branches, once for each coordinate they depend
// on. Stores of a whole, aligned warp tile are pairs; any other goes element by
// element under a predicate.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

AccView TileLowering::viewAcc(EpilogueOp op) {
  AccType type = op.getAcc().getType();
  Value m = one(op.getM()), n = one(op.getN());
  AccView view;
  if (type.getLayout() == AccLayout::Row) {
    view.rows.push_back(m);
    for (int64_t column = 0; column < type.getColumns(); ++column)
      view.columns.push_back(add(n, column));
    llvm::append_range(view.values, all(op.getAcc()));
    return view;
  }
  // mma.sync: lane l holds rows l/4 and l/4 + 8, columns 2(l mod 4) and the next.
  Value lane = laneId();
  Value row = add(m, divU(lane, 4)), column = add(n, mul(remU(lane, 4), 2));
  for (int64_t i = 0; i < type.getRows(); i += 8)
    view.rows.push_back(add(row, i));
  for (int64_t j = 0; j < type.getColumns(); j += 8)
    for (int64_t e : {0, 1})
      view.columns.push_back(add(column, j + e));
  ArrayRef<Value> registers = all(op.getAcc());
  int64_t across = type.getColumns() / 8;
  for (size_t r = 0; r < view.rows.size(); ++r)
    for (size_t c = 0; c < view.columns.size(); ++c)
      view.values.push_back(b.create<vector::ExtractOp>(
          registers[r / 2 * across + c / 2], ArrayRef<int64_t>{int64_t(r % 2), int64_t(c % 2)}));
  view.pairs = true;
  return view;
}

/// The address, in elements, of (batch, m, n) in the `buffer`-th of the inputs
/// followed by the outputs.
Value TileLowering::epilogueAddress(EpilogueOp op, unsigned buffer, Value m, Value n) {
  auto dimsOf = [&](unsigned i) { return cast<StringAttr>(op.getDims()[i]).getValue(); };
  unsigned stride = 0;
  for (unsigned i = 0; i < buffer; ++i)
    stride += dimsOf(i).empty() ? 0 : dimsOf(i).size() - 1;
  Value address = i64(0);
  StringRef dims = dimsOf(buffer);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Value coordinate = ext(dim == 'b' ? one(op.getBatch()) : dim == 'm' ? m : n);
    if (i + 1 < dims.size())
      coordinate = mul(coordinate, one(op.getStrides()[stride + i]));
    address = add(address, coordinate);
  }
  return address;
}

/// Reads an input at coordinates clamped into the output.
Value TileLowering::loadInput(EpilogueOp op, unsigned input, Value m, Value n) {
  auto load = [&]() -> Value {
    auto clamp = [&](Value x, Value extent) {
      return b.createOrFold<arith::MinUIOp>(x, sub(extent, i32(1)));
    };
    Value address = epilogueAddress(op, input, clamp(m, one(op.getExtentM())),
                                    clamp(n, one(op.getExtentN())));
    return b.create<memref::LoadOp>(one(op.getInputs()[input]), index(address));
  };
  int64_t guard = op.getGuards()[input];
  if (guard < 0)
    return load();
  Value scalar = one(op.getScalars()[guard]);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(scalar.getType()));
  Value isUsed = b.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, scalar, zero);
  Type element = cast<MemRefType>(op.getInputs()[input].getType()).getElementType();
  auto branch = b.create<scf::IfOp>(TypeRange(element), isUsed, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(
      Value(b.create<arith::ConstantOp>(b.getZeroAttr(element))));
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(load());
  return branch.getResult(0);
}

/// Whether pairs of columns of `output` may be stored at once: they lie side by
/// side and every row starts at a multiple of a pair.
Value TileLowering::canStorePairs(EpilogueOp op, unsigned output) {
  unsigned buffer = op.getInputs().size() + output;
  StringRef dims = cast<StringAttr>(op.getDims()[buffer]).getValue();
  if (dims.back() != 'n')
    return nullptr;
  unsigned stride = 0;
  for (unsigned i = 0; i < buffer; ++i)
    stride += std::max<size_t>(cast<StringAttr>(op.getDims()[i]).size(), 1) - 1;
  Value base = one(op.getOutputs()[output]);
  int64_t pair = cast<MemRefType>(base.getType()).getElementTypeBitWidth() / 4;
  Value address = b.create<memref::ExtractAlignedPointerAsIndexOp>(base);
  Value bits = b.create<arith::IndexCastUIOp>(b.getI64Type(), address);
  bits = remU(bits, pair);
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    bits = b.createOrFold<arith::OrIOp>(bits, remU(one(op.getStrides()[stride + i]), 2));
  return cmp(arith::CmpIPredicate::eq, bits, i64(0));
}

void TileLowering::storeOutputs(EpilogueOp op, const AccView &view,
                                ArrayRef<SmallVector<Value>> results) {
  unsigned inputs = op.getInputs().size();
  Value extentM = one(op.getExtentM()), extentN = one(op.getExtentN());
  size_t columns = view.columns.size();
  auto storeEach = [&](unsigned output) {
    for (size_t i = 0; i < results.size(); ++i) {
      Value m = view.rows[i / columns], n = view.columns[i % columns];
      Value inside = bitAnd(cmp(arith::CmpIPredicate::ult, m, extentM),
                            cmp(arith::CmpIPredicate::ult, n, extentN));
      auto guard = b.create<scf::IfOp>(inside, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard scope(b);
      b.setInsertionPointToStart(guard.thenBlock());
      Value address = epilogueAddress(op, inputs + output, m, n);
      b.create<memref::StoreOp>(results[i][output], one(op.getOutputs()[output]),
                                index(address));
    }
  };
  auto storePairs = [&](unsigned output) {
    for (size_t i = 0; i < results.size(); i += 2) {
      Value first = results[i][output], second = results[i + 1][output];
      auto type = VectorType::get({2}, first.getType());
      Value pair = b.create<vector::FromElementsOp>(type, ValueRange{first, second});
      Value address = epilogueAddress(op, inputs + output, view.rows[i / columns],
                                      view.columns[i % columns]);
      b.create<vector::StoreOp>(pair, one(op.getOutputs()[output]), index(address));
    }
  };
  for (unsigned output = 0; output < op.getOutputs().size(); ++output) {
    Value pairs = view.pairs ? canStorePairs(op, output) : Value();
    if (!pairs) {
      storeEach(output);
      continue;
    }
    AccType acc = op.getAcc().getType();
    auto fits = [&](Value origin, int64_t size, Value extent) {
      return cmp(arith::CmpIPredicate::ule, add(origin, size), extent);
    };
    Value whole = bitAnd(fits(one(op.getM()), acc.getRows(), extentM),
                         fits(one(op.getN()), acc.getColumns(), extentN));
    auto branch = b.create<scf::IfOp>(bitAnd(pairs, whole), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(branch.thenBlock());
    storePairs(output);
    b.setInsertionPointToStart(branch.elseBlock());
    storeEach(output);
  }
}

void TileLowering::lower(EpilogueOp op) {
  AccView view = viewAcc(op);
  Block &body = op.getBody().front();
  // Values of an input, shared by all elements whose coordinates it does not see.
  llvm::DenseMap<std::tuple<unsigned, int, int>, Value> cache;
  auto inputAt = [&](unsigned input, size_t r, size_t c) {
    StringRef dims = cast<StringAttr>(op.getDims()[input]).getValue();
    auto key = std::make_tuple(input, dims.contains('m') ? int(r) : -1,
                               dims.contains('n') ? int(c) : -1);
    Value &value = cache[key];
    if (!value)
      value = loadInput(op, input, view.rows[r], view.columns[c]);
    return value;
  };
  SmallVector<SmallVector<Value>> results;
  for (size_t r = 0; r < view.rows.size(); ++r)
    for (size_t c = 0; c < view.columns.size(); ++c) {
      IRMapping mapping;
      mapping.map(body.getArgument(0), view.at(r, c));
      for (auto [i, source] : llvm::enumerate(op.getArgumentOrder()))
        mapping.map(body.getArgument(i + 1),
                    source < 0 ? one(op.getScalars()[-1 - source])
                               : inputAt(source, r, c));
      for (Operation &inner : body.without_terminator()) {
        if (auto coordinate = dyn_cast<IndexOp>(inner)) {
          Value source = coordinate.getDim() == "b"   ? one(op.getBatch())
                         : coordinate.getDim() == "m" ? view.rows[r]
                                                      : view.columns[c];
          mapping.map(coordinate.getResult(), index(source));
          continue;
        }
        b.clone(inner, mapping);
      }
      SmallVector<Value> &yielded = results.emplace_back();
      for (Value value : body.getTerminator()->getOperands())
        yielded.push_back(mapping.lookup(value));
    }
  storeOutputs(op, view, results);
}
