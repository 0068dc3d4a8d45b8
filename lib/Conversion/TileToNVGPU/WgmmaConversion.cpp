//===- WgmmaConversion.cpp - Narrow elements as A of wgmma ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bits of an integer become the lowest bits of a number whose ulp is 1, from
// which a constant is subtracted: 1024 is such a number of f16, for 10 bits,
// and 128 one of bf16, for 7 bits. Both halves of a register are converted at
// once.
//
//===----------------------------------------------------------------------===//

#include "WgmmaConversion.h"
#include "FragmentPieces.h"
#include "NarrowOperands.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tcgemm;

/// The same bits in both halves of a register.
static constexpr uint32_t inBoth(uint32_t bits) { return bits << 16 | bits; }

WgmmaConversion::WgmmaConversion(IntegerBuilder &b, ScalarType from,
                                 ScalarType to, Value lane)
    : b(b), from(from), to(to),
      pairType(VectorType::get({2}, getElementType(to, b.getContext()))) {
  // A digit of the selector names one of 8 bytes; digits 0 and 2 are the pair
  // of integers, digits 0 and 1 that of FP8.
  if (getBitWidth(from) == 4)
    selector = b.add(b.mul(lane, 0x101), 0x400);
  else if (isFP8(from))
    selector = b.add(b.mul(lane, 0x22), 0x10);
  else
    selector = b.add(b.mul(lane, 0x202), 0x100);
}

Value WgmmaConversion::select(ArrayRef<Value> words, int64_t eighth) {
  if (getBitWidth(from) == 4)
    return createPermute(b, words[eighth], b.shiftRightU(words[eighth], 4),
                         selector);
  return createPermute(b, words[2 * eighth], words[2 * eighth + 1], selector);
}

Value WgmmaConversion::makeNumbers(Value value, uint32_t mask, uint32_t bits) {
  Value masked = b.bitAnd(value, b.i32(int64_t(mask)));
  return b.create<LLVM::BitcastOp>(pairType,
                                   b.bitXor(masked, b.i32(int64_t(bits))));
}

Value WgmmaConversion::subtract(Value numbers, double subtrahend) {
  auto value = b.getFloatAttr(pairType.getElementType(), subtrahend);
  Value constant = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(pairType, ArrayRef<Attribute>(value)));
  return b.create<arith::SubFOp>(numbers, constant);
}

Value WgmmaConversion::convertInteger(Value bytes) {
  bool isHalf = to == ScalarType::F16, isSigned = !isUnsignedType(from);
  uint32_t bits = getBitWidth(from);
  uint32_t start = isHalf ? 0x6400 : 0x4300;
  double base = isHalf ? 1024 : 128;
  if (isHalf || bits == 4) {
    // An inverted sign bit adds half of the range.
    uint32_t sign = isSigned ? 1u << (bits - 1) : 0;
    Value numbers =
        makeNumbers(bytes, inBoth((1u << bits) - 1), inBoth(start | sign));
    return subtract(numbers, base + sign);
  }
  // bf16 has 7 bits. The eighth becomes the lowest bit of the exponent of
  // another number, which is 128 or 256.
  Value low = makeNumbers(bytes, inBoth(0x7F), inBoth(start));
  Value high = makeNumbers(bytes, inBoth(0x80), inBoth(start));
  if (isSigned)
    return b.create<arith::SubFOp>(low, high);
  return b.create<arith::AddFOp>(low, subtract(high, 256));
}

Value WgmmaConversion::convert(ArrayRef<Value> words, int64_t eighth) {
  Value bytes = select(words, eighth);
  Value pair;
  if (isFP8(from))
    pair = convertFP8Pair(b, from, to,
                          b.create<arith::TruncIOp>(b.getI16Type(), bytes));
  else
    pair = convertInteger(bytes);
  return b.create<LLVM::BitcastOp>(b.getI32Type(), pair);
}
