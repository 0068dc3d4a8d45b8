//===- PackedOperands.cpp - Products with operands of 4 bits --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedOperands.h"
#include "FragmentPieces.h"
#include "IntegerPairs.h"
#include "PackedBytes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

/// The registers of a lane, for 8 rows and two instructions.
static constexpr int64_t kRegisters = 4;

/// Bytes of a run: a lane has a quarter of the row.
static int64_t getRunBytes(FragmentType type) {
  return type.getDepth() * getElementBits(type.getElementType()) / 32;
}

bool tcgemm::holdsRuns(FragmentType type) {
  if (!type.getRuns().empty() || type.getLayout() != AccLayout::MmaSync)
    return false;
  int64_t bits = getElementBits(type.getElementType());
  constexpr int64_t runBytes = 4 * kRegisters;
  return bits == 4 || (bits <= 16 && getRunBytes(type) == runBytes);
}

VectorType tcgemm::getRunVector(FragmentType type) {
  Type element = getStorageType(type.getElementType());
  int64_t bits = getElementBits(type.getElementType());
  if (bits == 4)
    return VectorType::get(
        {2, 1}, IntegerType::get(type.getContext(), 8 * getRunBytes(type)));
  return VectorType::get({2 * kRegisters, 32 / bits}, element);
}

/// Orders the registers of both 8 rows as the instructions take them: those of
/// A alternate along m, those of B are for 8 columns each.
static Values orderRegisters(FragmentRole role, ArrayRef<Value> first,
                             ArrayRef<Value> second) {
  Values ordered;
  if (role == FragmentRole::B) {
    llvm::append_range(ordered, first);
    llvm::append_range(ordered, second);
    return ordered;
  }
  for (auto [low, high] : llvm::zip_equal(first, second)) {
    ordered.push_back(low);
    ordered.push_back(high);
  }
  return ordered;
}

/// Makes one vector of registers, each of which is a vector.
static Value joinRegisters(IntegerBuilder &b, VectorType type,
                           ArrayRef<Value> registers) {
  Value joined = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  for (auto [i, value] : llvm::enumerate(registers))
    joined = b.create<vector::InsertOp>(value, joined,
                                        ArrayRef<int64_t>{int64_t(i)});
  return joined;
}

/// How many runs further on along k the next lane of a row reads. It depends on
/// the tile's depth only, so that both operands agree.
static int64_t getRunDistance(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  // Tiles of 4-bit elements have columns of whole bytes.
  int64_t depth = op.getRing().getType().getTiles()[op.getTile()].getColumns() *
                  getPackedElements(type.getElementType()) / op.getWarpsK();
  return depth % (2 * type.getDepth()) == 0 ? 2 : 1;
}

Values tcgemm::loadRuns(LoweringContext &c, FragmentLoadOp op) {
  IntegerBuilder &b = c.b;
  FragmentType type = op.getFragment().getType();
  VectorType vectorType = getRunVector(type);
  // The lanes of a row read every second run and leave the others to the next
  // step: runs of 16 bytes in two neighbouring rows are then in different
  // banks.
  int64_t run = type.getDepth() / 4;
  int64_t distance = getRunDistance(op);
  int64_t group = op.getKStep() / distance, place = op.getKStep() % distance;
  int64_t storedBits =
      getStorageType(type.getElementType()).getIntOrFloatBitWidth();
  int64_t step = run * (4 * distance * group + place) *
                 getElementBits(type.getElementType()) / storedBits;
  PieceLoader loader(c, op, getRunBytes(type), distance);
  bool isPacked = getElementBits(type.getElementType()) == 4;
  auto load = [&](int64_t row) {
    Value run = loader.loadVector(row, step);
    int64_t size = vectorType.getDimSize(1);
    Values registers;
    for (int64_t i = 0; i < kRegisters; ++i)
      registers.push_back(b.create<vector::ShuffleOp>(
          run, run,
          llvm::to_vector(llvm::seq<int64_t>(i * size, (i + 1) * size))));
    return registers;
  };
  Values loaded;
  for (int64_t rows = 0; rows < int64_t(type.getRows()); rows += 16)
    loaded.push_back(
        isPacked ? b.create<vector::FromElementsOp>(
                        vectorType, ValueRange{loader.load(rows, step),
                                               loader.load(rows + 8, step)})
                       .getResult()
                 : joinRegisters(b, vectorType,
                                 orderRegisters(type.getRole(), load(rows),
                                                load(rows + 8))));
  return loaded;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Converts 8 elements to 4 registers of 2 and subtracts the zero point, if one
/// is given.
static Values convertEight(IntegerBuilder &b, ScalarType from, ScalarType to,
                           Value word, Value zeroPoint) {
  if (zeroPoint)
    zeroPoint = b.create<arith::SIToFPOp>(b.getF32Type(), zeroPoint);
  IntegerPairs pairs(b, from, to, zeroPoint);
  Values registers;
  for (int64_t i = 0; i < kRegisters; ++i) {
    // Byte i has both elements. The halves start with it.
    unsigned selector = i | i << 8;
    registers.push_back(pairs.convert(
        createPermute(b, word, b.i32(0), selector), /*low=*/0, /*high=*/4));
  }
  return registers;
}

/// Extends 16 elements to 4 registers of 4 bytes.
static Values extendSixteen(IntegerBuilder &b, bool isSigned, Value run) {
  auto type = VectorType::get({4}, b.getI8Type());
  Values registers;
  for (int64_t i = 0; i < kRegisters; ++i) {
    Value word = b.trunc(i < 2 ? run : b.shiftRightU(run, 32));
    Value upper = b.shiftRightU(word, 4);
    // The elements of two bytes alternate with their upper halves.
    unsigned selector = i % 2 ? 0x7362 : 0x5140;
    Value bits =
        b.bitAnd(createPermute(b, word, upper, selector), b.i32(0x0F0F0F0F));
    // A sign bit is copied to the 4 bits above it.
    if (isSigned)
      bits = b.bitOr(bits, b.mul(b.bitAnd(bits, b.i32(0x08080808)), 0x1E));
    registers.push_back(b.create<LLVM::BitcastOp>(type, bits));
  }
  return registers;
}

/// Converts 16 elements to 4 registers of 4 e4m3.
static Values convertSixteen(IntegerBuilder &b, ScalarType from, Value run) {
  auto type = VectorType::get({4}, b.getI8Type());
  PackedBytes bytes(b, from);
  Values registers;
  for (int64_t shift : {0, 32})
    for (Value four :
         bytes.convertWord(b.trunc(shift ? b.shiftRightU(run, shift) : run)))
      registers.push_back(b.create<LLVM::BitcastOp>(type, four));
  return registers;
}

Value tcgemm::convertRuns(IntegerBuilder &b, FragmentType type, ScalarType to,
                          Value packed, ArrayRef<Value> zeroPoints) {
  ScalarType from = *getScalarType(type.getElementType());
  auto convert = [&](int64_t half) {
    Value run = b.create<vector::ExtractOp>(packed, ArrayRef<int64_t>{half, 0});
    Value zeroPoint = zeroPoints.empty() ? Value() : zeroPoints[half];
    if (isFP8(to))
      return convertSixteen(b, from, run);
    return isFloatType(to) ? convertEight(b, from, to, run, zeroPoint)
                           : extendSixteen(b, from == ScalarType::I4, run);
  };
  auto converted =
      VectorType::get({2 * kRegisters, 32 / getBitWidth(to)},
                      getStorageType(getElementType(to, b.getContext())));
  return joinRegisters(b, converted,
                       orderRegisters(type.getRole(), convert(0), convert(1)));
}
