//===- TileLoweringDot.cpp - Dot products from global memory -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What limits such a product is how many bytes are under way, so a lane issues
// all loads of a trip of the large operand before it uses the first. They are
// PTX text, which LLVM leaves in this order, and pass by the L1 cache, which
// keeps the small operand. The rest of K comes in one more trip, whose loads
// have predicates: a branch each would be a wait each.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// What a thread knows of the rows that acc.dot multiplies. Addresses are i64
/// and in bytes: of the lane's next vector in each row. They go through the
/// loop, as LLVM would compute the rows' starts once more to make such ones.
struct tcgemm::DotPlan {
  Type element;
  int64_t slices = 1, groupRows = 1; // warps that share rows, and those rows
  int64_t unroll = 1;                // vectors of a lane and row in a trip
  int64_t bytes = 16, fewBytes = 16, manyBytes = 16; // a vector, its loads
  SmallVector<Value> few, many;                      // addresses
  Value depth;                                       // i32
  Value place; // i32, the lane's number among those of its group
  int64_t getElementBytes() const {
    return element.getIntOrFloatBitWidth() / 8;
  }
  /// Elements of a vector; of those that a group's lanes have together.
  int64_t getVector() const { return bytes / getElementBytes(); }
  int64_t getRound() const { return 32 * slices * getVector(); }
};

/// Loads `bytes` at `address` + `offset`, as i32 words or one i16. If `left` is
/// given, only where it is at least `least`, and zeros elsewhere.
SmallVector<Value> TileLowering::loadWords(bool ofMany, Value address,
                                           int64_t bytes, int64_t offset,
                                           Value left, int64_t least) {
  bool isHalf = bytes == 2;
  int64_t count = isHalf ? 1 : bytes / 4;
  StringRef type = isHalf ? "b16" : "b32";
  std::string list = "$0", zeros, constraints = isHalf ? "=h" : "=r";
  zeros = llvm::formatv("mov.{0} $0, 0;\n", type);
  for (int64_t i = 1; i < count; ++i) {
    list += llvm::formatv(", ${0}", i);
    zeros += llvm::formatv("mov.{0} ${1}, 0;\n", type, i);
    constraints += ",=r";
  }
  if (count > 1)
    list = "{" + list + "}";
  // What is written while this kernel starts must not be read by .nc.
  std::string load = llvm::formatv(
      "ld.global{0}{1}{2}.{3} {4}, [${5} + {6}];", waitsForGrids ? "" : ".nc",
      ofMany ? ".L1::no_allocate.L2::128B" : "",
      count > 1 ? llvm::formatv(".v{0}", count).str() : std::string(), type,
      list, count, offset);
  constraints += ",l";
  SmallVector<Value> operands{address};
  if (left) {
    load = llvm::formatv("{{\n"
                         ".reg .pred isThere;\n"
                         "setp.ge.s32 isThere, ${0}, {1};\n"
                         "{2}@isThere {3}\n"
                         "}",
                         count + 1, least, zeros, load);
    constraints += ",r";
    operands.push_back(left);
  }
  Type word = isHalf ? b.getI16Type() : b.getI32Type();
  Type result = count == 1
                    ? word
                    : LLVM::LLVMStructType::getLiteral(
                          b.getContext(), SmallVector<Type>(count, word));
  Value loaded =
      b.create<LLVM::InlineAsmOp>(
           result, operands, load, constraints, /*has_side_effects=*/true,
           /*is_align_stack=*/false, LLVM::TailCallKind::None,
           LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
           ArrayAttr())
          .getRes();
  if (count == 1)
    return {loaded};
  Values words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(b.create<LLVM::ExtractValueOp>(loaded, i));
  return words;
}

/// The elements of words, in f32. One of bf16 is the upper half of its value.
SmallVector<Value> TileLowering::widen(const DotPlan &dot, ValueRange words) {
  Type f32 = b.getF32Type(), type = b.getI32Type();
  Values elements;
  for (Value word : words) {
    bool isHalf = word.getType().isInteger(16);
    if (dot.element.isF32()) {
      elements.push_back(b.create<arith::BitcastOp>(f32, word));
    } else if (dot.element.isBF16()) {
      Value bits = isHalf ? b.create<arith::ExtUIOp>(type, word) : word;
      Value low = b.create<arith::ShLIOp>(bits, b.i32(16));
      elements.push_back(b.create<arith::BitcastOp>(f32, low));
      if (!isHalf)
        elements.push_back(
            b.create<arith::BitcastOp>(f32, b.bitAnd(bits, b.i32(-65536))));
    } else if (isHalf) {
      Value element = b.create<arith::BitcastOp>(dot.element, word);
      elements.push_back(b.create<arith::ExtFOp>(f32, element));
    } else {
      Value pair =
          b.create<LLVM::BitcastOp>(VectorType::get({2}, dot.element), word);
      for (int64_t i : {0, 1}) {
        Value element = b.create<vector::ExtractOp>(pair, i);
        elements.push_back(b.create<arith::ExtFOp>(f32, element));
      }
    }
  }
  return elements;
}

/// Adds the products of the next `count` vectors of each row to `sums`, those
/// of a row of `few` side by side; with `left` (i32) only the elements below
/// that many from the lane's first one on.
SmallVector<Value> TileLowering::dotVectors(const DotPlan &dot, int64_t count,
                                            Value left, ArrayRef<Value> sums) {
  Values result(sums);
  auto load = [&](bool ofMany, Value address, int64_t vector) {
    int64_t bytes = ofMany ? dot.manyBytes : dot.fewBytes;
    int64_t round = vector * dot.getRound();
    Values words;
    for (int64_t at = 0; at < dot.bytes; at += bytes)
      llvm::append_range(words, loadWords(ofMany, address, bytes,
                                          round * dot.getElementBytes() + at,
                                          left, round + dot.getVector()));
    return words;
  };
  SmallVector<Values> ahead;
  for (int64_t vector = 0; vector < count; ++vector)
    for (Value address : dot.many)
      ahead.push_back(load(/*ofMany=*/true, address, vector));
  size_t columns = dot.many.size();
  for (int64_t vector = 0; vector < count; ++vector) {
    SmallVector<Values> ofFew, ofMany;
    for (Value address : dot.few)
      ofFew.push_back(widen(dot, load(/*ofMany=*/false, address, vector)));
    for (size_t column = 0; column < columns; ++column)
      ofMany.push_back(widen(dot, ahead[vector * columns + column]));
    for (int64_t k = 0; k < dot.getVector(); ++k)
      for (size_t row = 0; row < dot.few.size(); ++row)
        for (size_t column = 0; column < columns; ++column) {
          Value &sum = result[row * columns + column];
          sum = b.create<math::FmaOp>(ofFew[row][k], ofMany[column][k], sum);
        }
  }
  return result;
}

/// Adds the products of the last elements, fewer than a vector: one a lane.
/// `rest` (i32) are those that no whole trip had.
SmallVector<Value> TileLowering::dotElements(const DotPlan &dot, Value rest,
                                             ArrayRef<Value> sums) {
  Value last = b.remU(dot.depth, dot.getVector());
  // The lane's own is there if one is left from its number on; `distance` is
  // from the lane's next vector to it, in elements.
  Value left = b.sub(last, dot.place);
  Value distance = b.sub(b.add(b.sub(rest, last), dot.place),
                         b.mul(dot.place, dot.getVector()));
  Value offset = b.mul(b.create<arith::ExtSIOp>(b.getI64Type(), distance),
                       dot.getElementBytes());
  auto load = [&](bool ofMany, Value address) {
    return widen(dot, loadWords(ofMany, b.add(address, offset),
                                dot.getElementBytes(), 0, left, 1))
        .front();
  };
  Values result(sums), ofMany;
  for (Value address : dot.many)
    ofMany.push_back(load(/*ofMany=*/true, address));
  for (auto [row, address] : llvm::enumerate(dot.few)) {
    Value ofFew = load(/*ofMany=*/false, address);
    for (auto [column, other] : llvm::enumerate(ofMany)) {
      Value &sum = result[row * ofMany.size() + column];
      sum = b.create<math::FmaOp>(ofFew, other, sum);
    }
  }
  return result;
}

/// Adds the lanes' sums, and those of the warps of a group in their order. The
/// thread's element of the result, of which threads beyond have the last.
Value TileLowering::sumOverWarps(const DotPlan &dot, ArrayRef<Value> sums) {
  Values totals(sums);
  for (int32_t distance : {16, 8, 4, 2, 1})
    for (Value &total : totals) {
      Value other = b.create<NVVM::ShflOp>(b.getF32Type(), b.i32(-1), total,
                                           b.i32(distance), b.i32(31),
                                           NVVM::ShflKind::bfly, UnitAttr());
      total = b.create<arith::AddFOp>(total, other);
    }
  int64_t count = totals.size(), columns = dot.groupRows;
  int64_t warps = program.getThreads() / 32;
  Value memory = sharedAs(b.getF32Type(), warps * count);
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, laneId(), b.i32(0));
  auto guard = b.create<scf::IfOp>(isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(guard.thenBlock());
    Value own = b.mul(b.divU(threadId(), 32), count);
    for (auto [i, total] : llvm::enumerate(totals))
      b.create<memref::StoreOp>(total, memory, indexAt(own, i));
  }
  b.create<gpu::BarrierOp>();
  int64_t across = columns * (warps / dot.slices);
  int64_t rows = count / columns;
  Value thread =
      b.createOrFold<arith::MinUIOp>(threadId(), b.i32(rows * across - 1));
  Value row = b.divU(thread, across), column = b.remU(thread, across);
  Value group = b.divU(column, columns);
  Value first = b.add(b.mul(group, dot.slices * count),
                      b.add(b.mul(row, columns), b.remU(column, columns)));
  Value sum;
  for (int64_t slice = 0; slice < dot.slices; ++slice) {
    Value part =
        b.create<memref::LoadOp>(memory, indexAt(first, slice * count));
    sum = sum ? b.create<arith::AddFOp>(sum, part) : part;
  }
  return sum;
}

DotPlan TileLowering::planDot(AccDotOp op) {
  DotPlan dot;
  dot.element = cast<MemRefType>(op.getFew().getType()).getElementType();
  dot.slices = op.getSlices();
  dot.unroll = op.getUnroll();
  dot.fewBytes = op.getFewBytes();
  dot.manyBytes = op.getManyBytes();
  dot.bytes = std::max(dot.fewBytes, dot.manyBytes);
  int64_t groups = program.getThreads() / 32 / dot.slices;
  dot.groupRows = op.getColumns() / groups;
  dot.depth = one(op.getDepth());
  Value warp = b.divU(threadId(), 32);
  // A single group's number is known to be 0.
  Value group = groups > 1 ? b.divU(warp, dot.slices) : b.i32(0);
  Value slice = groups > 1 ? b.remU(warp, dot.slices) : warp;
  dot.place = b.add(b.mul(slice, 32), laneId());
  Value lane = b.mul(dot.place, dot.getVector());
  auto addRows = [&](Value base, Value address, Value stride, Value first,
                     Value extent, int64_t count, Values &addresses) {
    Value start = b.create<arith::IndexCastUIOp>(
        b.getI64Type(), b.create<memref::ExtractAlignedPointerAsIndexOp>(base));
    for (int64_t i = 0; i < count; ++i) {
      Value row = b.createOrFold<arith::MinUIOp>(b.add(first, i),
                                                 b.sub(extent, b.i32(1)));
      Value element =
          b.add(b.add(address, b.mul(b.ext(row), stride)), b.ext(lane));
      addresses.push_back(b.add(start, b.mul(element, dot.getElementBytes())));
    }
  };
  addRows(one(op.getFew()), one(op.getFewAddress()), one(op.getFewStride()),
          one(op.getFewFirst()), one(op.getFewExtent()), op.getRows(), dot.few);
  addRows(one(op.getMany()), one(op.getManyAddress()), one(op.getManyStride()),
          b.add(one(op.getManyFirst()), b.mul(group, dot.groupRows)),
          one(op.getManyExtent()), dot.groupRows, dot.many);
  return dot;
}

void TileLowering::lower(AccDotOp op) {
  DotPlan dot = planDot(op);
  int64_t perTrip = dot.unroll * dot.getRound();
  Value zero = b.create<arith::ConstantOp>(b.getF32FloatAttr(0.0f));
  Value trips = b.divU(dot.depth, perTrip);
  // Loops carry the addresses of `few`, of `many`, and the sums.
  Values carried(dot.few);
  llvm::append_range(carried, dot.many);
  carried.append(dot.few.size() * dot.many.size(), zero);
  auto adopt = [&dot](ValueRange values) {
    auto next = [&](Values &list) {
      llvm::copy(values.take_front(list.size()), list.begin());
      values = values.drop_front(list.size());
    };
    next(dot.few);
    next(dot.many);
    return Values(values);
  };
  auto loop = b.create<scf::ForOp>(b.i32(0), trips, b.i32(1), carried);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Values sums = adopt(loop.getRegionIterArgs());
    sums = dotVectors(dot, dot.unroll, Value(), sums);
    Values results;
    for (Value address : llvm::concat<Value>(dot.few, dot.many))
      results.push_back(b.add(address, perTrip * dot.getElementBytes()));
    llvm::append_range(results, sums);
    b.create<scf::YieldOp>(results);
  }
  Values sums = adopt(loop.getResults());

  // What is behind the whole trips; of a static K, so much as there is.
  Value rest = b.sub(dot.depth, b.mul(trips, perTrip));
  std::optional<int64_t> depth = getConstantIntValue(dot.depth);
  int64_t elements = depth ? *depth % dot.getVector() : dot.getVector() - 1;
  int64_t vectors = dot.unroll;
  if (depth)
    vectors = llvm::divideCeil(*depth % perTrip - elements, dot.getRound());
  auto multiplyRest = [&] {
    Value left = b.sub(rest, b.mul(dot.place, dot.getVector()));
    Values all = vectors ? dotVectors(dot, vectors, left, sums) : sums;
    return elements ? dotElements(dot, rest, all) : all;
  };
  if (depth) {
    sums = multiplyRest();
  } else {
    SmallVector<Type> types(sums.size(), b.getF32Type());
    Value isRagged = b.cmp(arith::CmpIPredicate::ne, rest, b.i32(0));
    sums = choose(isRagged, types, multiplyRest, [&] { return sums; });
  }
  set(op.getAcc(), sumOverWarps(dot, sums));
}
