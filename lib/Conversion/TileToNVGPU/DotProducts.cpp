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
#include "DotElements.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// Whether an operand is the one with few rows, or the one with many.
enum Side : unsigned { Few, Many };

/// An operand. Addresses are i64 and in bytes: of the lane's next vector in
/// each row.
struct DotSide {
  DotSide(Type element, int64_t loadBytes)
      : type(*getScalarType(element)), bits(getBitWidth(type)),
        loadBytes(loadBytes) {}

  /// The bytes of `count` elements.
  int64_t getBytes(int64_t count) const { return count * bits / 8; }
  int64_t getLoadElements() const { return loadBytes * 8 / bits; }
  /// Elements in one of the memref's, whose size is that of the smallest load.
  int64_t getPacked() const { return getPackedElements(type); }
  int64_t getStorageBytes() const { return getBytes(getPacked()); }

  ScalarType type;
  int64_t bits, loadBytes;
  Values addresses;
};

/// A matrix with one value for each row of the large operand and each group.
struct DotGroups {
  Value memory;
  Values starts;     ///< i64, in bytes: of the rows' first values.
  Value groupStride; ///< i64, in elements.
  int64_t bytes = 0; ///< Of a value.
};

/// The rows that acc.dot multiplies. Addresses go through the loop, as LLVM
/// would compute the rows' starts once more to make such ones.
class DotEmitter : public Lowering {
public:
  DotEmitter(LoweringContext &c, AccDotOp op);
  /// The thread's element of the result, of which threads beyond have the last.
  Value emit();

private:
  /// Elements of a vector; of those that a group's lanes have together.
  int64_t getVector() const {
    return std::max(sides[Few].getLoadElements(),
                    sides[Many].getLoadElements());
  }
  int64_t getRound() const { return 32 * slices * getVector(); }
  /// The elements that are loaded together at the end: those of a byte.
  int64_t getUnit() const {
    return std::max(sides[Few].getPacked(), sides[Many].getPacked());
  }

  void findRows();
  void addRows(Side side, Value base, Value address, Value stride, Value first,
               Value extent, int64_t count);
  DotGroups findGroups(Value memory, ValueRange places);
  Values adopt(ValueRange carried);
  std::string formatLoad(StringRef hints, int64_t words, StringRef type,
                         int64_t offset);
  Values loadWords(Side side, Value address, int64_t bytes, int64_t offset,
                   Value left, int64_t least);
  Values loadVector(Side side, Value address, int64_t vector, Value left);
  Values loadUnit(Side side, Value address, Value left);
  Values loadOfGroups(const DotGroups &groups, Value position, Value left,
                      int64_t least);
  Values widen(Side side, ValueRange words, Value zeroPoint = {});
  Values loadScales(Value position, Value left, int64_t least);
  Values loadZeroPoints(Value position, Value left, int64_t least);
  void addProducts(ArrayRef<Values> ofFew, ArrayRef<Values> ofMany,
                   ArrayRef<Value> ownScales, MutableArrayRef<Value> sums);
  Value multiplyWholeTrips(Values &sums);
  Value getPosition(Value trip);
  Values multiplyRest(Value trips, Value rest, ArrayRef<Value> sums);
  Values multiplyVectors(int64_t count, Value start, Value left,
                         ArrayRef<Value> sums);
  Values multiplyElements(Value rest, ArrayRef<Value> sums);
  Value sumOverWarps(ArrayRef<Value> totals);

  AccDotOp op;
  DotSide sides[2];
  Type sumType;
  int64_t slices, groupRows; // warps that share rows, and those rows
  int64_t unroll;            // vectors of a lane and row in a trip
  Values manyRows;           // i32, of the large operand
  std::optional<DotGroups> scales, zeroPoints;
  Value depth;  // i32
  Value number; // i32, the lane's among those of its group
};
} // namespace

DotEmitter::DotEmitter(LoweringContext &c, AccDotOp op)
    : Lowering(c), op(op),
      sides{{op.getFewElement(), int64_t(op.getFewBytes())},
            {op.getManyElement(), int64_t(op.getManyBytes())}},
      sumType(op.getAcc().getType().getElementType()), slices(op.getSlices()),
      unroll(op.getUnroll()), depth(one(op.getDepth())) {
  findRows();
  if (op.getScales())
    scales = findGroups(one(op.getScales()), op.getScalePlaces());
  if (op.getZeroPoints())
    zeroPoints = findGroups(one(op.getZeroPoints()), op.getZeroPlaces());
}

static Value getStart(IntegerBuilder &b, Value memory) {
  return b.create<arith::IndexCastUIOp>(
      b.getI64Type(), b.create<memref::ExtractAlignedPointerAsIndexOp>(memory));
}

void DotEmitter::addRows(Side side, Value base, Value address, Value stride,
                         Value first, Value extent, int64_t count) {
  DotSide &own = sides[side];
  Value laneStart = b.mul(number, getVector() / own.getPacked());
  Value start = getStart(b, base);
  for (int64_t i = 0; i < count; ++i) {
    Value row = b.minU(b.add(first, i), b.sub(extent, b.i32(1)));
    if (side == Many)
      manyRows.push_back(row);
    Value element =
        b.add(b.add(address, b.mul(b.ext(row), stride)), b.ext(laneStart));
    own.addresses.push_back(
        b.add(start, b.mul(element, own.getStorageBytes())));
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
  addRows(Few, one(op.getFew()), one(op.getFewAddress()),
          one(op.getFewStride()), one(op.getFewFirst()), one(op.getFewExtent()),
          op.getRows());
  addRows(Many, one(op.getMany()), one(op.getManyAddress()),
          one(op.getManyStride()),
          b.add(one(op.getManyFirst()), b.mul(group, groupRows)),
          one(op.getManyExtent()), groupRows);
}

DotGroups DotEmitter::findGroups(Value memory, ValueRange places) {
  DotGroups groups;
  groups.memory = memory;
  groups.bytes =
      cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  Value start = getStart(b, memory), first = one(places[0]);
  for (Value row : manyRows) {
    Value element = b.add(first, b.mul(b.ext(row), one(places[1])));
    groups.starts.push_back(b.add(start, b.mul(element, groups.bytes)));
  }
  groups.groupStride = one(places[2]);
  return groups;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The instruction that loads words into the first registers of the text, from
/// the address in the one behind them.
std::string DotEmitter::formatLoad(StringRef hints, int64_t words,
                                   StringRef type, int64_t offset) {
  std::string list = "$0";
  for (int64_t i = 1; i < words; ++i)
    list += llvm::formatv(", ${0}", i);
  if (words > 1)
    list = "{" + list + "}";
  // Data that may be written while this kernel starts must not be read by .nc.
  StringRef cache = analysis.waitsForGrids() ? "" : ".nc";
  std::string vector =
      words > 1 ? llvm::formatv(".v{0}", words).str() : std::string();
  return llvm::formatv("ld.global{0}{1}{2}.{3} {4}, [${5} + {6}];", cache,
                       hints, vector, type, list, words, offset);
}

/// Loads `bytes` at `address` + `offset`, as i32 words or, if there are two or
/// one, as an i16. If `left` is given, only where it is at least `least`, and
/// zeros elsewhere.
Values DotEmitter::loadWords(Side side, Value address, int64_t bytes,
                             int64_t offset, Value left, int64_t least) {
  bool isHalf = bytes <= 2;
  int64_t count = isHalf ? 1 : bytes / 4;
  StringRef type = isHalf ? "b16" : "b32";
  StringRef hints = side == Many ? ".L1::no_allocate.L2::128B" : "";
  std::string load = formatLoad(hints, count, bytes == 1 ? "b8" : type, offset);
  std::string zeros;
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

Values DotEmitter::widen(Side side, ValueRange words, Value zeroPoint) {
  return widenElements(b, sides[side].type, sumType, words, zeroPoint);
}

/// The words of a vector of a row.
Values DotEmitter::loadVector(Side side, Value address, int64_t vector,
                              Value left) {
  const DotSide &own = sides[side];
  int64_t round = vector * getRound();
  Values words;
  for (int64_t at = 0; at < own.getBytes(getVector()); at += own.loadBytes)
    llvm::append_range(words, loadWords(side, address, own.loadBytes,
                                        own.getBytes(round) + at, left,
                                        round + getVector()));
  return words;
}

/// The words of the elements of a unit: those of a byte, or single ones.
Values DotEmitter::loadUnit(Side side, Value address, Value left) {
  const DotSide &own = sides[side];
  Values words;
  for (int64_t i = 0; i < getUnit(); i += own.getPacked())
    llvm::append_range(words, loadWords(side, address, own.getStorageBytes(),
                                        own.getBytes(i), left, 1));
  return words;
}

/// The values of the lane's rows for the group of element `position` (i32) of
/// k, as an i32 or i16 each.
Values DotEmitter::loadOfGroups(const DotGroups &groups, Value position,
                                Value left, int64_t least) {
  Value group = b.divU(position, *op.getGroup());
  Value offset = b.mul(b.mul(b.ext(group), groups.groupStride), groups.bytes);
  Values loaded;
  for (Value start : groups.starts)
    loaded.push_back(
        loadWords(Few, b.add(start, offset), groups.bytes, 0, left, least)
            .front());
  return loaded;
}

/// The scales of the lane's rows, in f32; none without scales.
Values DotEmitter::loadScales(Value position, Value left, int64_t least) {
  if (!scales)
    return {};
  Type type = cast<MemRefType>(scales->memory.getType()).getElementType();
  Values loaded = loadOfGroups(*scales, position, left, least);
  for (Value &scale : loaded)
    scale = widenElements(b, *getScalarType(type), sumType, scale).front();
  return loaded;
}

/// The zero points of the lane's rows, in f32; null without zero points.
Values DotEmitter::loadZeroPoints(Value position, Value left, int64_t least) {
  if (!zeroPoints)
    return Values(manyRows.size());
  ScalarType type = *getScalarType(*op.getZeroType());
  Values loaded = loadOfGroups(*zeroPoints, position, left, least);
  for (Value &zero : loaded)
    zero = widenElements(b, type, sumType, zero).front();
  return loaded;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Adds the products of elements of each row, which are of one group, to
/// `sums`, those of a row of `few` side by side.
void DotEmitter::addProducts(ArrayRef<Values> ofFew, ArrayRef<Values> ofMany,
                             ArrayRef<Value> ownScales,
                             MutableArrayRef<Value> sums) {
  Values parts(sums.size());
  if (ownScales.empty())
    llvm::copy(sums, parts.begin());
  size_t columns = ofMany.size();
  for (size_t k = 0; k < ofMany.front().size(); ++k)
    for (size_t row = 0; row < ofFew.size(); ++row)
      for (size_t column = 0; column < columns; ++column) {
        Value &part = parts[row * columns + column];
        part = multiplyAddElements(b, sides[Few].type, sides[Many].type,
                                   ofFew[row][k], ofMany[column][k], part);
      }
  for (auto [i, part] : llvm::enumerate(parts))
    sums[i] = ownScales.empty()
                  ? part
                  : b.create<math::FmaOp>(part, ownScales[i % columns], sums[i])
                        .getResult();
}

/// Adds the products of the next `count` vectors of each row to `sums`; with
/// `left` (i32) only of the elements below that many from the lane's first one
/// on. `start` (i32) is the position of the lane's next vector along k.
Values DotEmitter::multiplyVectors(int64_t count, Value start, Value left,
                                   ArrayRef<Value> sums) {
  Values result(sums);
  SmallVector<Values> ahead, ownScales, ownZeros;
  for (int64_t vector = 0; vector < count; ++vector) {
    for (Value address : sides[Many].addresses)
      ahead.push_back(loadVector(Many, address, vector, left));
    Value position = scales ? b.add(start, vector * getRound()) : Value();
    int64_t least = vector * getRound() + getVector();
    ownScales.push_back(loadScales(position, left, least));
    ownZeros.push_back(loadZeroPoints(position, left, least));
  }
  size_t columns = manyRows.size();
  for (int64_t vector = 0; vector < count; ++vector) {
    SmallVector<Values> ofFew, ofMany;
    for (Value address : sides[Few].addresses)
      ofFew.push_back(widen(Few, loadVector(Few, address, vector, left)));
    for (size_t column = 0; column < columns; ++column)
      ofMany.push_back(widen(Many, ahead[vector * columns + column],
                             ownZeros[vector][column]));
    addProducts(ofFew, ofMany, ownScales[vector], result);
  }
  return result;
}

/// Adds the products of the last elements, fewer than a vector: a unit of them
/// a lane. `rest` (i32) are those that no whole trip had.
Values DotEmitter::multiplyElements(Value rest, ArrayRef<Value> sums) {
  int64_t unit = getUnit();
  auto countUnits = [&](Value elements) {
    return unit > 1 ? b.divU(elements, unit) : elements;
  };
  Value last = b.remU(depth, getVector());
  // The lane's own exists if one is left from its number on; `distance` is from
  // the lane's next vector to it, in units.
  Value left = b.sub(countUnits(last), number);
  Value distance = b.sub(b.add(countUnits(b.sub(rest, last)), number),
                         b.mul(number, getVector() / unit));
  Value wide = b.create<arith::ExtSIOp>(b.getI64Type(), distance);
  auto getAddress = [&](Side side, Value address) {
    return b.add(address, b.mul(wide, sides[side].getBytes(unit)));
  };
  Value position;
  if (scales)
    position = b.add(b.sub(depth, last), b.mul(number, unit));
  Values ownScales = loadScales(position, left, 1);
  Values ownZeros = loadZeroPoints(position, left, 1);
  Values result(sums);
  SmallVector<Values> ofMany;
  for (auto [address, zero] : llvm::zip_equal(sides[Many].addresses, ownZeros))
    ofMany.push_back(
        widen(Many, loadUnit(Many, getAddress(Many, address), left), zero));
  for (auto [row, address] : llvm::enumerate(sides[Few].addresses)) {
    Values ofFew = widen(Few, loadUnit(Few, getAddress(Few, address), left));
    addProducts(ofFew, ofMany, ownScales,
                MutableArrayRef<Value>(result).slice(row * ofMany.size(),
                                                     ofMany.size()));
  }
  return result;
}

/// Takes the addresses from what a loop carries; returns the sums.
Values DotEmitter::adopt(ValueRange carried) {
  for (DotSide &side : sides) {
    Values &list = side.addresses;
    llvm::copy(carried.take_front(list.size()), list.begin());
    carried = carried.drop_front(list.size());
  }
  return Values(carried);
}

/// Sets `sums` to the sums of all whole trips; returns the number of these.
Value DotEmitter::multiplyWholeTrips(Values &sums) {
  int64_t perTrip = unroll * getRound();
  Value zero = b.zero(sumType);
  Value trips = b.divU(depth, perTrip);
  // The loop carries the addresses of both operands, and the sums.
  Values carried(sides[Few].addresses);
  llvm::append_range(carried, sides[Many].addresses);
  carried.append(op.getRows() * groupRows, zero);
  auto loop = b.create<scf::ForOp>(b.i32(0), trips, b.i32(1), carried);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Values inLoop = adopt(loop.getRegionIterArgs());
    inLoop = multiplyVectors(unroll, getPosition(loop.getInductionVar()),
                             Value(), inLoop);
    Values results;
    for (const DotSide &side : sides)
      for (Value address : side.addresses)
        results.push_back(b.add(address, side.getBytes(perTrip)));
    llvm::append_range(results, inLoop);
    b.create<scf::YieldOp>(results);
  }
  sums = adopt(loop.getResults());
  return trips;
}

/// Where the lane's first vector of a trip is along k; null without groups,
/// which need it.
Value DotEmitter::getPosition(Value trip) {
  if (!scales)
    return {};
  return b.add(b.mul(trip, unroll * getRound()), b.mul(number, getVector()));
}

/// Multiplies what is behind the whole trips; of a static K, as much as there
/// is.
Values DotEmitter::multiplyRest(Value trips, Value rest, ArrayRef<Value> sums) {
  std::optional<int64_t> known = getConstantIntValue(depth);
  int64_t elements = known ? *known % getVector() : getVector() - 1;
  int64_t vectors = unroll;
  if (known)
    vectors =
        llvm::divideCeil(*known % (unroll * getRound()) - elements, getRound());
  Value left = b.sub(rest, b.mul(number, getVector()));
  Values all = vectors
                   ? multiplyVectors(vectors, getPosition(trips), left, sums)
                   : Values(sums);
  return elements ? multiplyElements(rest, all) : all;
}

Value DotEmitter::emit() {
  Values sums;
  Value trips = multiplyWholeTrips(sums);
  Value rest = b.sub(depth, b.mul(trips, unroll * getRound()));
  if (getConstantIntValue(depth)) {
    sums = multiplyRest(trips, rest, sums);
  } else {
    Value isRagged = b.notEqual(rest, b.i32(0));
    sums = buildIfElse(
        b, isRagged, ValueRange(sums).getTypes(),
        [&] { return multiplyRest(trips, rest, sums); }, [&] { return sums; });
  }
  for (int32_t distance : {16, 8, 4, 2, 1})
    for (Value &sum : sums)
      sum = addSums(b, sum, exchangeSums(b, sum, distance));
  return sumOverWarps(sums);
}

/// Adds the sums of the warps of a group in their order.
Value DotEmitter::sumOverWarps(ArrayRef<Value> totals) {
  int64_t count = totals.size();
  int64_t warps = analysis.getProgram().getThreads() / 32;
  Value memory = createSharedView(b, sumType, warps * count);
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
    sum = sum ? addSums(b, sum, part) : part;
  }
  return sum;
}

void DotProducts::lower(AccDotOp op) {
  set(op.getAcc(), DotEmitter(c, op).emit());
}
