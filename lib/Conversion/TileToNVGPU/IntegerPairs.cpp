//===- IntegerPairs.cpp - Numbers of small integers -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instruction makes a number of an element's bits, and a second one, a
// multiply-add, makes the element of the number.
//
// In f16, the bits become bits of the significand of 1024, which has ten of
// them.
//
// In bf16, the significand has seven bits, too few for an element at bit 4, and
// for one of 8 bits. But a pattern of up to 8 bits is a number in proportion to
// it: the pattern times 2^-133. Patterns below 128 are subnormal numbers; the
// others have the least exponent, and the same distance from each other. The
// largest power of two, 2^127, makes 2^-6 of 2^-133. The sums of the products
// are multiplied by 2^6 in the end.
//
//===----------------------------------------------------------------------===//

#include "IntegerPairs.h"
#include "FragmentPieces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Target/Instructions.h"
#include <cmath>

using namespace mlir;
using namespace tcgemm;

/// The same bits in both halves of a register.
static uint32_t inBoth(uint32_t bits) { return bits << 16 | bits; }

/// `bits` that start at bits `low` and `high` of the halves.
static uint32_t inPlace(uint32_t bits, int64_t low, int64_t high) {
  return bits << low | bits << (16 + high);
}

IntegerPairs::IntegerPairs(IntegerBuilder &b, ScalarType from, ScalarType to,
                           Value zeroPoint)
    : b(b), to(to), isSigned(!isUnsignedType(from)),
      mask((1U << getBitWidth(from)) - 1),
      unit(std::ldexp(1.0, static_cast<int>(getProductExponent(from, to)))),
      pairType(VectorType::get({2}, getElementType(to, b.getContext()))),
      zeroPoint(zeroPoint) {}

Value IntegerPairs::makeConstants(double low, double high) {
  Type element = pairType.getElementType();
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(
      pairType, ArrayRef<Attribute>{b.getFloatAttr(element, low),
                                    b.getFloatAttr(element, high)}));
}

/// Returns `low` and `high` less the zero point, which has the unit of an
/// element.
Value IntegerPairs::subtractZeroPoint(double low, double high) {
  if (!zeroPoint)
    return makeConstants(low, high);
  auto make = [&](double start) -> Value {
    auto constant = [&](double value) {
      return b.create<arith::ConstantOp>(b.getF32FloatAttr(float(value)));
    };
    Value sum = b.create<LLVM::FMAOp>(zeroPoint, constant(-unit).getResult(),
                                      constant(start).getResult());
    return b.create<arith::TruncFOp>(pairType.getElementType(), sum);
  };
  Value first = make(low), second = low == high ? first : make(high);
  return b.create<vector::FromElementsOp>(pairType, ValueRange{first, second});
}

/// The inverted sign bit of a signed element adds half of the range to it.
Value IntegerPairs::convert(Value bits, int64_t low, int64_t high) {
  bool isF16 = to == ScalarType::F16;
  double base = isF16 ? 1024 : 0, factor = isF16 ? 1 : 0x1p127;
  uint32_t half = isSigned ? mask / 2 + 1 : 0;
  Value numbers =
      createMaskedXor(b, bits, inPlace(mask, low, high),
                      inBoth(isF16 ? 0x6400 : 0) | inPlace(half, low, high));
  double ofLow = std::ldexp(factor, -static_cast<int>(low));
  double ofHigh = std::ldexp(factor, -static_cast<int>(high));
  double added = half * unit;
  return b.create<LLVM::FMAOp>(
      b.create<LLVM::BitcastOp>(pairType, numbers).getResult(),
      makeConstants(ofLow, ofHigh),
      subtractZeroPoint(-base * ofLow - added, -base * ofHigh - added));
}

Value IntegerPairs::convertPair(Value word, int64_t i) {
  int64_t place = i % 2 * 4;
  return convert(i < 2 ? word : b.shiftRightU(word, 8), place, place);
}

Values IntegerPairs::convertWord(Value word) {
  Values numbers;
  for (int64_t i = 0; i < 4; ++i)
    numbers.push_back(convertPair(word, i));
  return numbers;
}
