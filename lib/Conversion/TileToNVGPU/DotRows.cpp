//===- DotRows.cpp - Rows that dot products read --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotRows.h"
#include "DotElements.h"
#include "InlineAssembly.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

DotRows::DotRows(LoweringContext &c, AccDotOp op, const DotLanes &lanes)
    : Lowering(c), op(op),
      sides{{op.getFewElement(), int64_t(op.getFewBytes())},
            {op.getManyElement(), int64_t(op.getManyBytes())}},
      sumType(op.getAcc().getType().getElementType()), slices(op.getSlices()),
      groupRows(op.getColumns() /
                (analysis.getProgram().getThreads() / 32 / slices)),
      depth(one(op.getDepth())), lanes(lanes.alongK) {
  if (op.getFewStep())
    sides[Few].step = one(op.getFewStep());
  if (op.getManyStep())
    sides[Many].step = one(op.getManyStep());
  findRows(lanes);
  if (op.getScales())
    scales = findGroups(one(op.getScales()), op.getScalePlaces());
  if (op.getZeroPoints())
    zeroPoints = findGroups(one(op.getZeroPoints()), op.getZeroPlaces());
}

static Value getStart(IntegerBuilder &b, Value memory) {
  return b.create<arith::IndexCastUIOp>(
      b.getI64Type(), b.create<memref::ExtractAlignedPointerAsIndexOp>(memory));
}

Value DotRows::advance(Side side, Value address, int64_t elements) {
  const DotSide &own = sides[side];
  if (!own.step)
    return b.add(address, own.getBytes(elements));
  return b.add(address, b.mul(own.step, own.getBytes(elements)));
}

Value DotRows::advance(Side side, Value address, Value count, int64_t unit) {
  const DotSide &own = sides[side];
  if (own.step)
    count = b.mul(own.step, count);
  return b.add(address, b.mul(count, own.getBytes(unit)));
}

/// `rows` are numbers (i32) of the operand's rows, which may be too large.
void DotRows::addRows(Side side, Value base, Value address, Value stride,
                      Value extent, ArrayRef<Value> rows) {
  DotSide &own = sides[side];
  Value laneStart = b.ext(b.mul(number, getVector() / own.getPacked()));
  if (own.step)
    laneStart = b.mul(laneStart, own.step);
  Value start = getStart(b, base);
  // A load may be of several rows, which begin at a multiple of their number.
  int64_t together = side == Many && own.step ? own.getLoadElements() : 1;
  Value last = b.sub(extent, b.i32(1));
  if (together > 1)
    last = b.mul(b.divU(last, together), together);
  for (Value each : rows) {
    Value row = b.minU(each, last);
    if (side == Many)
      manyRows.push_back(row);
    Value element = b.add(b.add(address, b.mul(b.ext(row), stride)), laneStart);
    own.addresses.push_back(
        b.add(start, b.mul(element, own.getStorageBytes())));
  }
}

void DotRows::findRows(const DotLanes &place) {
  int64_t groups = analysis.getProgram().getThreads() / 32 / slices;
  Value warp = c.warpId();
  // A single group's number is known to be 0.
  Value group = groups > 1 ? b.divU(warp, slices) : b.i32(0);
  Value slice = groups > 1 ? b.remU(warp, slices) : warp;
  firstNumber = b.mul(slice, lanes);
  number = b.add(firstNumber, place.number);
  auto shift = [&](ArrayRef<Value> rows, Value first) {
    Values shifted;
    for (Value row : rows)
      shifted.push_back(b.add(first, row));
    return shifted;
  };
  addRows(Few, one(op.getFew()), one(op.getFewAddress()),
          one(op.getFewStride()), one(op.getFewExtent()),
          shift(place.fewRows, one(op.getFewFirst())));
  Value first = b.add(one(op.getManyFirst()), b.mul(group, groupRows));
  addRows(Many, one(op.getMany()), one(op.getManyAddress()),
          one(op.getManyStride()), one(op.getManyExtent()),
          shift(place.manyRows, first));
}

DotGroups DotRows::findGroups(Value memory, ValueRange places) {
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
std::string DotRows::formatLoad(StringRef hints, int64_t words, StringRef type,
                                int64_t offset) {
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

Values DotRows::loadWords(Side side, Value address, int64_t bytes,
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

Values DotRows::loadVector(Side side, Value address, int64_t vector,
                           Value left) {
  const DotSide &own = sides[side];
  int64_t round = vector * getRound();
  if (own.step)
    return loadSteps(side, address, round, left, round + getVector());
  Values words;
  for (int64_t at = 0; at < own.getBytes(getVector()); at += own.loadBytes)
    llvm::append_range(words, loadWords(side, address, own.loadBytes,
                                        own.getBytes(round) + at, left,
                                        round + getVector()));
  return words;
}

/// The words of the elements of a vector that are no neighbours, from the
/// element `first` of the row on.
Values DotRows::loadSteps(Side side, Value address, int64_t first, Value left,
                          int64_t least) {
  const DotSide &own = sides[side];
  Values words;
  for (int64_t i = 0; i < getVector(); ++i)
    llvm::append_range(words, loadWords(side, advance(side, address, first + i),
                                        own.loadBytes, 0, left, least));
  // Sums of integers are of words with four bytes.
  if (!sumType.isInteger(32) || getVector() == 1)
    return words;
  Values packed;
  for (size_t i = 0; i < words.size(); i += 4) {
    Value word;
    for (int64_t byte = 0; byte < 4; ++byte) {
      Value part = b.create<arith::ExtUIOp>(b.getI32Type(), words[i + byte]);
      if (byte)
        part = b.create<arith::ShLIOp>(part, b.i32(8 * byte));
      word = word ? b.bitOr(word, part) : part;
    }
    packed.push_back(word);
  }
  return packed;
}

/// The values of the lane's rows for the group of element `position` (i32) of
/// k, as an i32 or i16 each.
Values DotRows::loadOfGroups(const DotGroups &groups, Value position,
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

Values DotRows::loadScales(Value position, Value left, int64_t least) {
  return scales ? loadOfGroups(*scales, position, left, least) : Values();
}

Values DotRows::widenScales(ArrayRef<Value> loaded) {
  Values wide;
  for (Value scale : loaded) {
    Type type = cast<MemRefType>(scales->memory.getType()).getElementType();
    llvm::append_range(wide,
                       widenElements(b, *getScalarType(type), sumType, scale));
  }
  return wide;
}

Values DotRows::loadZeroPoints(Value position, Value left, int64_t least) {
  return zeroPoints ? loadOfGroups(*zeroPoints, position, left, least)
                    : Values();
}

Values DotRows::widenZeroPoints(ArrayRef<Value> loaded) {
  if (!zeroPoints)
    return Values(manyRows.size());
  Values wide;
  for (Value zero : loaded)
    llvm::append_range(wide, widenElements(b, *getScalarType(*op.getZeroType()),
                                           sumType, zero));
  return wide;
}
