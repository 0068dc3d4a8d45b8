//===- DotElements.cpp - The elements of dot products ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotElements.h"
#include "FragmentPieces.h"
#include "InlineAssembly.h"
#include "NarrowOperands.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// One element of bf16 is the upper half of its value.
static void widenBF16(IntegerBuilder &b, Value word, Values &elements) {
  Type f32 = b.getF32Type();
  bool isHalf = word.getType().isInteger(16);
  Value bits = isHalf ? b.create<arith::ExtUIOp>(b.getI32Type(), word) : word;
  Value low = b.create<arith::ShLIOp>(bits, b.i32(16));
  elements.push_back(b.create<arith::BitcastOp>(f32, low));
  if (!isHalf)
    elements.push_back(
        b.create<arith::BitcastOp>(f32, b.bitAnd(bits, b.i32(-65536))));
}

static void widenF16(IntegerBuilder &b, Value word, Values &elements) {
  Type f32 = b.getF32Type(), f16 = b.getF16Type();
  if (word.getType().isInteger(16)) {
    Value narrow = b.create<arith::BitcastOp>(f16, word);
    elements.push_back(b.create<arith::ExtFOp>(f32, narrow));
    return;
  }
  Value pair = b.create<LLVM::BitcastOp>(VectorType::get({2}, f16), word);
  for (int64_t i : {0, 1}) {
    Value narrow = b.create<vector::ExtractOp>(pair, i);
    elements.push_back(b.create<arith::ExtFOp>(f32, narrow));
  }
}

/// An i32 with the bits of `word` in its lowest bytes, and the elements of
/// `bits` that it holds.
static std::pair<Value, int64_t> extendWord(IntegerBuilder &b, Value word,
                                            int64_t bits) {
  if (!word.getType().isInteger(16))
    return {word, 32 / bits};
  return {b.create<arith::ExtUIOp>(b.getI32Type(), word), 8 / bits};
}

/// A number of f32 with these bits, less `bias`.
static Value subtractBias(IntegerBuilder &b, Value bits, Value bias) {
  Value number = b.create<arith::BitcastOp>(b.getF32Type(), bits);
  return b.create<arith::SubFOp>(number, bias);
}

static Value constant(IntegerBuilder &b, float value) {
  return b.create<arith::ConstantOp>(b.getF32FloatAttr(value));
}

/// A byte becomes the lowest one of 2^23, which is subtracted. The sign bits of
/// signed ones are inverted first.
static void widenBytes(IntegerBuilder &b, bool isSigned, Value word,
                       Values &elements) {
  auto [bits, count] = extendWord(b, word, 8);
  if (isSigned)
    bits = b.bitXor(bits, b.i32(0x80808080));
  Value start = constant(b, 0x1p23F + (isSigned ? 128 : 0));
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(subtractBias(
        b, createPermute(b, bits, b.i32(0x4B000000), 0x7440 | i), start));
}

/// 4 bits stay where they are in their word, as bits of the significand of a
/// power of two, which is subtracted together with the zero point. Those beyond
/// the significand are shifted into it.
static void widenPacked(IntegerBuilder &b, bool isSigned, Value word,
                        Value zeroPoint, Values &elements) {
  auto [bits, count] = extendWord(b, word, 4);
  constexpr int64_t places = 5, shift = 3;
  Value shifted = count > places ? b.shiftRightU(bits, 4 * shift) : Value();
  for (int64_t i = 0; i < count; ++i) {
    bool isShifted = i >= places;
    int64_t place = isShifted ? i - shift : i, exponent = 23 - 4 * place;
    // The sign bits of signed ones are inverted.
    auto numberBits =
        uint32_t((127 + exponent) << 23 | (isSigned ? 8 << 4 * place : 0));
    Value number = createMaskedXor(b, isShifted ? shifted : bits,
                                   0xFU << 4 * place, numberBits);
    auto start = static_cast<float>(int64_t(1) << exponent) +
                 static_cast<float>(isSigned ? 8 : 0);
    Value bias = constant(b, start);
    if (zeroPoint)
      bias = b.create<arith::AddFOp>(bias, zeroPoint);
    elements.push_back(subtractBias(b, number, bias));
  }
}

static void widenFP8(IntegerBuilder &b, ScalarType type, Value word,
                     Values &elements) {
  bool isSingle = word.getType().isInteger(16);
  auto convert = [&](Value pair, int64_t count) {
    Value halves = convertFP8ToHalves(b, type, pair);
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(b.create<arith::ExtFOp>(
          b.getF32Type(), b.create<vector::ExtractOp>(halves, i).getResult()));
  };
  if (isSingle)
    return convert(word, 1);
  for (int64_t half : {0, 1})
    convert(b.create<arith::TruncIOp>(b.getI16Type(),
                                      half ? b.shiftRightU(word, 16) : word),
            2);
}

static void widenF64(IntegerBuilder &b, ValueRange words, Values &elements) {
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    auto type = VectorType::get({2}, b.getI32Type());
    Value pair = b.create<vector::FromElementsOp>(
        type, ValueRange{words[i], words[i + 1]});
    elements.push_back(b.create<LLVM::BitcastOp>(b.getF64Type(), pair));
  }
}

Values tcgemm::widenElements(IntegerBuilder &b, ScalarType type, Type sum,
                             ValueRange words, Value zeroPoint) {
  using T = ScalarType;
  Values elements;
  if (type == T::F64) {
    widenF64(b, words, elements);
    return elements;
  }
  for (Value word : words)
    if (sum.isInteger(32))
      elements.push_back(extendWord(b, word, 8).first);
    else if (type == T::F32)
      elements.push_back(b.create<arith::BitcastOp>(b.getF32Type(), word));
    else if (type == T::BF16)
      widenBF16(b, word, elements);
    else if (type == T::F16)
      widenF16(b, word, elements);
    else if (isFP8(type))
      widenFP8(b, type, word, elements);
    else if (getPackedElements(type) > 1)
      widenPacked(b, type == T::I4, word, zeroPoint, elements);
    else
      widenBytes(b, type == T::I8, word, elements);
  return elements;
}

Value tcgemm::multiplyAddElements(IntegerBuilder &b, ScalarType typeX,
                                  ScalarType typeY, Value x, Value y,
                                  Value sum) {
  if (!x.getType().isInteger(32))
    return sum ? b.create<math::FmaOp>(x, y, sum).getResult()
               : b.create<arith::MulFOp>(x, y).getResult();
  // The bytes of two words.
  auto name = [](ScalarType type) {
    return type == ScalarType::U8 ? "u32" : "s32";
  };
  return createAssembly(
      b,
      llvm::formatv("dp4a.{0}.{1} $0, $1, $2, $3;", name(typeX), name(typeY))
          .str(),
      "=r,r,r,r", b.getI32Type(), ValueRange{x, y, sum ? sum : b.i32(0)},
      /*hasSideEffects=*/false);
}

Value tcgemm::addSums(IntegerBuilder &b, Value x, Value y) {
  return x.getType().isInteger() ? b.add(x, y)
                                 : b.create<arith::AddFOp>(x, y).getResult();
}

Value tcgemm::exchangeSums(IntegerBuilder &b, Value sum, int32_t distance) {
  auto exchange = [&](Value value) -> Value {
    return b.create<NVVM::ShflOp>(value.getType(), b.i32(-1), value,
                                  b.i32(distance), b.i32(31),
                                  NVVM::ShflKind::bfly, UnitAttr());
  };
  if (!sum.getType().isF64())
    return exchange(sum);
  auto type = VectorType::get({2}, b.getI32Type());
  Value pair = b.create<LLVM::BitcastOp>(type, sum);
  Values halves;
  for (int64_t i : {0, 1})
    halves.push_back(exchange(b.create<vector::ExtractOp>(pair, i)));
  return b.create<LLVM::BitcastOp>(
      b.getF64Type(),
      b.create<vector::FromElementsOp>(type, halves).getResult());
}
