//===- PackedPairs.cpp - Numbers of 4-bit elements ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of an element become bits of the significand of a power of two,
// which is subtracted: of 1024 in f16, which has 10 bits, of 128 in bf16, which
// has 7.
//
// A zero point changes the constant. bf16 has 8 bits for the sum of both, which
// may need more: 128 and a zero point of 255 are 383. Therefore an element is
// first subtracted from a constant, which costs nothing: its bits are inverted,
// and so is the sign of the number. Then the zero point is subtracted from the
// constant and not added to it.
//
//===----------------------------------------------------------------------===//

#include "PackedPairs.h"
#include "FragmentPieces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

PackedPairs::PackedPairs(IntegerBuilder &b, ScalarType from, ScalarType to,
                         Value zeroPoint)
    : b(b), isHalf(to == ScalarType::F16), sign(isUnsignedType(from) ? 0 : 8),
      pairType(VectorType::get({2}, getElementType(to, b.getContext()))),
      zeroPoint(zeroPoint), place(!isHalf && zeroPoint ? 1 : 0) {}

Value PackedPairs::makeNumbers(Value value, uint32_t mask, uint32_t bits) {
  return b.create<LLVM::BitcastOp>(pairType,
                                   createMaskedXor(b, value, mask, bits));
}

Value PackedPairs::makePair(double low, double high, bool subtractsZeroPoint) {
  Type element = pairType.getElementType();
  if (!zeroPoint)
    return b.create<arith::ConstantOp>(DenseElementsAttr::get(
        pairType, ArrayRef<Attribute>{b.getFloatAttr(element, low),
                                      b.getFloatAttr(element, high)}));
  auto make = [&](double start) -> Value {
    Value constant =
        b.create<arith::ConstantOp>(b.getF32FloatAttr(float(start)));
    Value sum = subtractsZeroPoint
                    ? b.create<arith::SubFOp>(constant, zeroPoint).getResult()
                    : b.create<arith::AddFOp>(constant, zeroPoint).getResult();
    return b.create<arith::TruncFOp>(element, sum);
  };
  Value first = make(low), second = low == high ? first : make(high);
  return b.create<vector::FromElementsOp>(pairType, ValueRange{first, second});
}

Value PackedPairs::convert(Value bits) {
  // With v as the unsigned value of an element, a number is -(64 + 15 - v). The
  // constants that are subtracted have at most 8 bits.
  if (!isHalf && zeroPoint) {
    Value numbers = makeNumbers(bits, inBoth(0xF << place),
                                inBoth(0xC280 | ((0xF ^ sign) << place)));
    double start = double(sign) - (64 + 15);
    return b.create<arith::SubFOp>(
        numbers, makePair(start, start, /*subtractsZeroPoint=*/false));
  }
  // An inverted sign bit adds half of the range.
  Value numbers =
      makeNumbers(bits, inBoth(0xF), inBoth((isHalf ? 0x6400 : 0x4300) | sign));
  double start = double(sign) + (isHalf ? 1024 : 128);
  return b.create<arith::SubFOp>(
      numbers, makePair(start, start, /*subtractsZeroPoint=*/false));
}

/// An element at bit 4 is 16 times its value, for which f16 has enough bits.
Value PackedPairs::convertToHalves(Value bits, int64_t low, int64_t high) {
  if (low == 0 && high == 0)
    return convert(bits);
  Value numbers =
      makeNumbers(bits, 0xFU << low | 0xFU << (16 + high),
                  inBoth(0x6400) | sign << low | sign << (16 + high));
  double factors[] = {low ? 0x1p-4 : 1, high ? 0x1p-4 : 1};
  Type element = pairType.getElementType();
  Value factor = b.create<arith::ConstantOp>(DenseElementsAttr::get(
      pairType, ArrayRef<Attribute>{b.getFloatAttr(element, factors[0]),
                                    b.getFloatAttr(element, factors[1])}));
  Value start = makePair(-1024 * factors[0] - sign, -1024 * factors[1] - sign,
                         /*subtractsZeroPoint=*/true);
  return b.create<LLVM::FMAOp>(numbers, factor, start);
}

Value PackedPairs::convertPair(
    Value word, int64_t i,
    llvm::function_ref<Value(Value, int64_t)> shiftRight) {
  if (isHalf) {
    int64_t place = i % 2 * 4;
    return convertToHalves(i < 2 ? word : shiftRight(word, 8), place, place);
  }
  int64_t by = 4 * i - place;
  return convert(by < 0   ? b.mul(word, int64_t(1) << -by)
                 : by > 0 ? shiftRight(word, by)
                          : word);
}

Values PackedPairs::convertWord(Value word) {
  Values numbers;
  for (int64_t i = 0; i < 4; ++i)
    numbers.push_back(convertPair(word, i, [&](Value bits, int64_t by) {
      return isHalf ? b.shiftRightU(bits, by)
                    : createShiftByProduct(b, bits, by);
    }));
  return numbers;
}
