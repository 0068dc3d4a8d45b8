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
  // A digit of the selector names one of 8 bytes, and its place the byte of the
  // result. Of 4 bits, one byte has the pair. It is twice in the result for
  // f16; for bf16, the others are those of zero.
  if (getBitWidth(from) == 4)
    selector = to == ScalarType::F16 ? b.mul(lane, 0x101) : b.add(lane, 0x4440);
  else if (isFP8(from))
    selector = b.add(b.mul(lane, 0x22), 0x10);
  else
    selector = b.add(b.mul(lane, 0x202), 0x100);
}

Value WgmmaConversion::select(ArrayRef<Value> words, int64_t eighth) {
  if (getBitWidth(from) == 4) {
    Value byte = createPermute(b, words[eighth], b.i32(0), selector);
    // The product has the byte's lower half at bit 0, and its upper half at bit
    // 16. A shift would take a unit that has more of the other instructions.
    return to == ScalarType::F16 ? byte : b.mul(byte, 0x1001);
  }
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

/// The upper half of a byte is 16 times its value, for which f16 has enough
/// bits.
Value WgmmaConversion::convertByteToHalves(Value bytes) {
  uint32_t sign = isUnsignedType(from) ? 0 : 8;
  Value numbers =
      makeNumbers(bytes, 0x00F0000F, inBoth(0x6400) | sign << 20 | sign);
  auto makePair = [&](float low, float high) -> Value {
    return b.create<arith::ConstantOp>(
        DenseElementsAttr::get(pairType, {b.getF16FloatAttr(low).getValue(),
                                          b.getF16FloatAttr(high).getValue()}));
  };
  float offset = float(sign);
  return b.create<LLVM::FMAOp>(numbers, makePair(1, 0x1p-4F),
                               makePair(-1024 - offset, -64 - offset));
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
  else if (getBitWidth(from) == 4 && to == ScalarType::F16)
    pair = convertByteToHalves(bytes);
  else
    pair = convertInteger(bytes);
  return b.create<LLVM::BitcastOp>(b.getI32Type(), pair);
}
