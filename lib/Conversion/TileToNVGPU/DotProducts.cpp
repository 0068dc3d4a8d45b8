//===- DotProducts.cpp - Dot products of rows in global memory ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of bytes in flight limits such a product. A lane therefore issues
// all loads of the large operand in an iteration before it uses the first. They
// are PTX text, whose order LLVM preserves, and bypass the L1 cache, which
// keeps the small operand. One more iteration processes the rest of K with
// predicated loads: a branch for each load would wait for each.
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "ControlFlow.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// Whether an operand is the one with few rows, or the one with many.
enum class Side { Few, Many };

/// The rows that acc.dot multiplies. Addresses are i64 and in bytes: of the
/// lane's next vector in each row. They go through the loop, as LLVM would
/// compute the rows' starts once more to make such ones.
class DotEmitter : public Lowering {
public:
  DotEmitter(LoweringContext &c, AccDotOp op);
  /// The thread's element of the result, of which threads beyond have the last.
  Value emit();

private:
  int64_t getElementBytes() const {
    return element.getIntOrFloatBitWidth() / 8;
  }
  /// Elements of a vector; of those that a group's lanes have together.
  int64_t getVector() const { return bytes / getElementBytes(); }
  int64_t getRound() const { return 32 * slices * getVector(); }

  void findRows();
  void addRows(Value base, Value address, Value stride, Value first,
               Value extent, int64_t count, Values &addresses);
  Values adopt(ValueRange carried);
  std::string formatLoad(Side side, int64_t words, StringRef type,
                         int64_t offset);
  Values loadWords(Side side, Value address, int64_t bytes, int64_t offset,
                   Value left, int64_t least);
  Values loadVector(Side side, Value address, int64_t vector, Value left);
  Value loadElement(Side side, Value address, Value left);
  Values widen(ValueRange words);
  void widenWord(Value word, Values &elements);
  Value multiplyWholeTrips(Values &sums);
  Values multiplyRest(Value rest, ArrayRef<Value> sums);
  Values multiplyVectors(int64_t count, Value left, ArrayRef<Value> sums);
  Values multiplyElements(Value rest, ArrayRef<Value> sums);
  void sumOverLanes(Values &sums);
  Value sumOverWarps(ArrayRef<Value> totals);

  AccDotOp op;
  Type element;
  int64_t slices, groupRows; // warps that share rows, and those rows
  int64_t unroll;            // vectors of a lane and row in a trip
  int64_t bytes;             // of a vector
  Values few, many;          // addresses
  Value depth;               // i32
  Value number;              // i32, the lane's among those of its group
  Value laneStart;           // i32, elements before its first vector
};
} // namespace

DotEmitter::DotEmitter(LoweringContext &c, AccDotOp op)
    : Lowering(c), op(op),
      element(cast<MemRefType>(op.getFew().getType()).getElementType()),
      slices(op.getSlices()), unroll(op.getUnroll()),
      bytes(std::max<int64_t>(op.getFewBytes(), op.getManyBytes())),
      depth(one(op.getDepth())) {
  findRows();
}

void DotEmitter::addRows(Value base, Value address, Value stride, Value first,
                         Value extent, int64_t count, Values &addresses) {
  Value start = b.create<arith::IndexCastUIOp>(
      b.getI64Type(), b.create<memref::ExtractAlignedPointerAsIndexOp>(base));
  for (int64_t i = 0; i < count; ++i) {
    Value row = b.minU(b.add(first, i), b.sub(extent, b.i32(1)));
    Value element =
        b.add(b.add(address, b.mul(b.ext(row), stride)), b.ext(laneStart));
    addresses.push_back(b.add(start, b.mul(element, getElementBytes())));
  }
}

void DotEmitter::findRows() {
  int64_t groups = analysis.getProgram().getThreads() / 32 / slices;
  groupRows = op.getColumns() / groups;
  Value warp = c.warpId();
  // A single group's number is known to be 0.
  Value group = groups > 1 ? b.divU(warp, slices) : b.i32(0);
  Value slice = groups > 1 ? b.remU(warp, slices) : warp;
  number = b.add(b.mul(slice, 32), c.laneId());
  laneStart = b.mul(number, getVector());
  addRows(one(op.getFew()), one(op.getFewAddress()), one(op.getFewStride()),
          one(op.getFewFirst()), one(op.getFewExtent()), op.getRows(), few);
  addRows(one(op.getMany()), one(op.getManyAddress()), one(op.getManyStride()),
          b.add(one(op.getManyFirst()), b.mul(group, groupRows)),
          one(op.getManyExtent()), groupRows, many);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The instruction that loads words into the first registers of the text, from
/// the address in the one behind them.
std::string DotEmitter::formatLoad(Side side, int64_t words, StringRef type,
                                   int64_t offset) {
  std::string list = "$0";
  for (int64_t i = 1; i < words; ++i)
    list += llvm::formatv(", ${0}", i);
  if (words > 1)
    list = "{" + list + "}";
  // Data that may be written while this kernel starts must not be read by .nc.
  StringRef cache = analysis.waitsForGrids() ? "" : ".nc";
  StringRef hints = side == Side::Many ? ".L1::no_allocate.L2::128B" : "";
  std::string vector =
      words > 1 ? llvm::formatv(".v{0}", words).str() : std::string();
  return llvm::formatv("ld.global{0}{1}{2}.{3} {4}, [${5} + {6}];", cache,
                       hints, vector, type, list, words, offset);
}

/// Loads `bytes` at `address` + `offset`, as i32 words or one i16. If `left` is
/// given, only where it is at least `least`, and zeros elsewhere.
Values DotEmitter::loadWords(Side side, Value address, int64_t bytes,
                             int64_t offset, Value left, int64_t least) {
  bool isHalf = bytes == 2;
  int64_t count = isHalf ? 1 : bytes / 4;
  StringRef type = isHalf ? "b16" : "b32";
  std::string load = formatLoad(side, count, type, offset), zeros;
  std::string constraints = isHalf ? "=h" : "=r";
  for (int64_t i = 0; i < count; ++i)
    zeros += llvm::formatv("mov.{0} ${1}, 0;\n", type, i);
  for (int64_t i = 1; i < count; ++i)
    constraints += ",=r";
  constraints += ",l";
  Values operands{address};
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
  return createAssembly(b, load, constraints, SmallVector<Type>(count, word),
                        operands);
}

/// Appends the elements of a word, in f32. One of bf16 is the upper half of its
/// value.
void DotEmitter::widenWord(Value word, Values &elements) {
  Type f32 = b.getF32Type();
  bool isHalf = word.getType().isInteger(16);
  if (element.isF32()) {
    elements.push_back(b.create<arith::BitcastOp>(f32, word));
  } else if (element.isBF16()) {
    Value bits = isHalf ? b.create<arith::ExtUIOp>(b.getI32Type(), word) : word;
    Value low = b.create<arith::ShLIOp>(bits, b.i32(16));
    elements.push_back(b.create<arith::BitcastOp>(f32, low));
    if (!isHalf)
      elements.push_back(
          b.create<arith::BitcastOp>(f32, b.bitAnd(bits, b.i32(-65536))));
  } else if (isHalf) {
    Value narrow = b.create<arith::BitcastOp>(element, word);
    elements.push_back(b.create<arith::ExtFOp>(f32, narrow));
  } else {
    Value pair = b.create<LLVM::BitcastOp>(VectorType::get({2}, element), word);
    for (int64_t i : {0, 1}) {
      Value narrow = b.create<vector::ExtractOp>(pair, i);
      elements.push_back(b.create<arith::ExtFOp>(f32, narrow));
    }
  }
}

Values DotEmitter::widen(ValueRange words) {
  Values elements;
  for (Value word : words)
    widenWord(word, elements);
  return elements;
}

/// The words of a vector of a row.
Values DotEmitter::loadVector(Side side, Value address, int64_t vector,
                              Value left) {
  int64_t perLoad = side == Side::Many ? op.getManyBytes() : op.getFewBytes();
  int64_t round = vector * getRound();
  Values words;
  for (int64_t at = 0; at < bytes; at += perLoad)
    llvm::append_range(words, loadWords(side, address, perLoad,
                                        round * getElementBytes() + at, left,
                                        round + getVector()));
  return words;
}

/// A single element, in f32.
Value DotEmitter::loadElement(Side side, Value address, Value left) {
  return widen(loadWords(side, address, getElementBytes(), 0, left, 1)).front();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Adds the products of the next `count` vectors of each row to `sums`, those
/// of a row of `few` side by side; with `left` (i32) only the elements below
/// that many from the lane's first one on.
Values DotEmitter::multiplyVectors(int64_t count, Value left,
                                   ArrayRef<Value> sums) {
  Values result(sums);
  SmallVector<Values> ahead;
  for (int64_t vector = 0; vector < count; ++vector)
    for (Value address : many)
      ahead.push_back(loadVector(Side::Many, address, vector, left));
  size_t columns = many.size();
  for (int64_t vector = 0; vector < count; ++vector) {
    SmallVector<Values> ofFew, ofMany;
    for (Value address : few)
      ofFew.push_back(widen(loadVector(Side::Few, address, vector, left)));
    for (size_t column = 0; column < columns; ++column)
      ofMany.push_back(widen(ahead[vector * columns + column]));
    for (int64_t k = 0; k < getVector(); ++k)
      for (size_t row = 0; row < few.size(); ++row)
        for (size_t column = 0; column < columns; ++column) {
          Value &sum = result[row * columns + column];
          sum = b.create<math::FmaOp>(ofFew[row][k], ofMany[column][k], sum);
        }
  }
  return result;
}

/// Adds the products of the last elements, fewer than a vector: one a lane.
/// `rest` (i32) are those that no whole trip had.
Values DotEmitter::multiplyElements(Value rest, ArrayRef<Value> sums) {
  Value last = b.remU(depth, getVector());
  // The lane's own exists if one is left from its number on; `distance` is from
  // the lane's next vector to it, in elements.
  Value left = b.sub(last, number);
  Value distance =
      b.sub(b.add(b.sub(rest, last), number), b.mul(number, getVector()));
  Value offset = b.mul(b.create<arith::ExtSIOp>(b.getI64Type(), distance),
                       getElementBytes());
  Values result(sums), ofMany;
  for (Value address : many)
    ofMany.push_back(loadElement(Side::Many, b.add(address, offset), left));
  for (auto [row, address] : llvm::enumerate(few)) {
    Value ofFew = loadElement(Side::Few, b.add(address, offset), left);
    for (auto [column, other] : llvm::enumerate(ofMany)) {
      Value &sum = result[row * ofMany.size() + column];
      sum = b.create<math::FmaOp>(ofFew, other, sum);
    }
  }
  return result;
}

/// Takes the addresses from what a loop carries; returns the sums.
Values DotEmitter::adopt(ValueRange carried) {
  auto takeNext = [&](Values &list) {
    llvm::copy(carried.take_front(list.size()), list.begin());
    carried = carried.drop_front(list.size());
  };
  takeNext(few);
  takeNext(many);
  return Values(carried);
}

/// Sets `sums` to the sums of all whole trips; returns the number of these.
Value DotEmitter::multiplyWholeTrips(Values &sums) {
  int64_t perTrip = unroll * getRound();
  Value zero = b.create<arith::ConstantOp>(b.getF32FloatAttr(0.0f));
  Value trips = b.divU(depth, perTrip);
  // The loop carries the addresses of `few`, of `many`, and the sums.
  Values carried(few);
  llvm::append_range(carried, many);
  carried.append(few.size() * many.size(), zero);
  auto loop = b.create<scf::ForOp>(b.i32(0), trips, b.i32(1), carried);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Values inLoop = adopt(loop.getRegionIterArgs());
    inLoop = multiplyVectors(unroll, Value(), inLoop);
    Values results;
    for (Value address : llvm::concat<Value>(few, many))
      results.push_back(b.add(address, perTrip * getElementBytes()));
    llvm::append_range(results, inLoop);
    b.create<scf::YieldOp>(results);
  }
  sums = adopt(loop.getResults());
  return trips;
}

/// Multiplies what is behind the whole trips; of a static K, as much as there
/// is.
Values DotEmitter::multiplyRest(Value rest, ArrayRef<Value> sums) {
  std::optional<int64_t> known = getConstantIntValue(depth);
  int64_t elements = known ? *known % getVector() : getVector() - 1;
  int64_t vectors = unroll;
  if (known)
    vectors =
        llvm::divideCeil(*known % (unroll * getRound()) - elements, getRound());
  Value left = b.sub(rest, b.mul(number, getVector()));
  Values all = vectors ? multiplyVectors(vectors, left, sums) : Values(sums);
  return elements ? multiplyElements(rest, all) : all;
}

Value DotEmitter::emit() {
  Values sums;
  Value trips = multiplyWholeTrips(sums);
  Value rest = b.sub(depth, b.mul(trips, unroll * getRound()));
  if (getConstantIntValue(depth)) {
    sums = multiplyRest(rest, sums);
  } else {
    Value isRagged = b.notEqual(rest, b.i32(0));
    sums = buildIfElse(
        b, isRagged, ValueRange(sums).getTypes(),
        [&] { return multiplyRest(rest, sums); }, [&] { return sums; });
  }
  sumOverLanes(sums);
  return sumOverWarps(sums);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void DotEmitter::sumOverLanes(Values &sums) {
  for (int32_t distance : {16, 8, 4, 2, 1})
    for (Value &sum : sums) {
      Value other = b.create<NVVM::ShflOp>(b.getF32Type(), b.i32(-1), sum,
                                           b.i32(distance), b.i32(31),
                                           NVVM::ShflKind::bfly, UnitAttr());
      sum = b.create<arith::AddFOp>(sum, other);
    }
}

/// Adds the sums of the warps of a group in their order.
Value DotEmitter::sumOverWarps(ArrayRef<Value> totals) {
  int64_t count = totals.size();
  int64_t warps = analysis.getProgram().getThreads() / 32;
  Value memory = createSharedView(b, b.getF32Type(), warps * count);
  buildIf(b, b.equal(c.laneId(), b.i32(0)), [&] {
    Value own = b.mul(c.warpId(), count);
    for (auto [i, total] : llvm::enumerate(totals))
      b.create<memref::StoreOp>(total, memory, createIndex(b, own, i));
  });
  b.create<gpu::BarrierOp>();
  int64_t across = groupRows * (warps / slices), rows = count / groupRows;
  Value thread = b.minU(c.threadId(), b.i32(rows * across - 1));
  Value row = b.divU(thread, across), column = b.remU(thread, across);
  Value group = b.divU(column, groupRows);
  Value first = b.add(b.mul(group, slices * count),
                      b.add(b.mul(row, groupRows), b.remU(column, groupRows)));
  Value sum;
  for (int64_t slice = 0; slice < slices; ++slice) {
    Value part =
        b.create<memref::LoadOp>(memory, createIndex(b, first, slice * count));
    sum = sum ? b.create<arith::AddFOp>(sum, part) : part;
  }
  return sum;
}

void DotProducts::lower(AccDotOp op) {
  set(op.getAcc(), DotEmitter(c, op).emit());
}
