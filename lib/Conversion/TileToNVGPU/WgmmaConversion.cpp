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

WgmmaConversion::WgmmaConversion(IntegerBuilder &b, ScalarType from,
                                 ScalarType to, Value lane, Value zeroPoint)
    : b(b), from(from), to(to),
      pairType(VectorType::get({2}, getElementType(to, b.getContext()))),
      packed(b, from, to, zeroPoint) {
  // A digit of the selector names one of 8 bytes, and its place the byte of the
  // result. Of 4 bits that become 16, one byte has the pair. It is twice in the
  // result for f16; for bf16, the others are those of zero.
  if (isFP8(to))
    bytes.emplace(b, from);
  if (isInterleaved(from))
    return;
  if (getBitWidth(from) == 4 && !bytes)
    selector = to == ScalarType::F16 ? b.mul(lane, 0x101) : b.add(lane, 0x4440);
  else if (bytes || isFP8(from))
    selector = b.add(b.mul(lane, 0x22), 0x10);
  else
    selector = b.add(b.mul(lane, 0x202), 0x100);
}

Value WgmmaConversion::select(ArrayRef<Value> words, int64_t group) {
  return createPermute(b, words[2 * group], words[2 * group + 1], selector);
}

Value WgmmaConversion::subtract(Value numbers, double subtrahend) {
  auto value = b.getFloatAttr(pairType.getElementType(), subtrahend);
  Value constant = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(pairType, ArrayRef<Attribute>(value)));
  return b.create<arith::SubFOp>(numbers, constant);
}

/// Products that shift (see createShiftByProduct) are slower here: with them,
/// 16 x 14336 x 4096 takes 15.1 us on an H200, and 13.3 with shifts.
Value WgmmaConversion::convertInterleaved(Value word, int64_t group) {
  return packed.convertPair(word, group, [&](Value bits, int64_t by) {
    return b.shiftRightU(bits, by);
  });
}

/// The lane's byte of a word has both elements.
Value WgmmaConversion::convertPacked(Value word) {
  Value byte = createPermute(b, word, b.i32(0), selector);
  if (to == ScalarType::F16)
    return packed.convertToHalves(byte, /*low=*/0, /*high=*/4);
  // The product has the byte's lower half at bit 0, and its upper half at bit
  // 16, or both higher. A shift would take a unit that has more of the other
  // instructions.
  return packed.convert(b.mul(byte, int64_t(0x1001) << packed.getPlace()));
}

Value WgmmaConversion::convertInteger(Value bytes) {
  bool isSigned = !isUnsignedType(from);
  if (to == ScalarType::F16) {
    // An inverted sign bit adds half of the range.
    uint32_t sign = isSigned ? 0x80 : 0;
    Value numbers =
        packed.makeNumbers(bytes, inBoth(0xFF), inBoth(0x6400 | sign));
    return subtract(numbers, 1024.0 + sign);
  }
  // bf16 has 7 bits. The eighth becomes the lowest bit of the exponent of
  // another number, which is 128 or 256.
  Value low = packed.makeNumbers(bytes, inBoth(0x7F), inBoth(0x4300));
  Value high = packed.makeNumbers(bytes, inBoth(0x80), inBoth(0x4300));
  if (isSigned)
    return b.create<arith::SubFOp>(low, high);
  return b.create<arith::AddFOp>(low, subtract(high, 256));
}

Value WgmmaConversion::convert(ArrayRef<Value> words, int64_t group) {
  if (bytes)
    return bytes->convert(select(words, group));
  Value pair;
  if (isInterleaved(from))
    pair = convertInterleaved(words.front(), group);
  else if (getBitWidth(from) == 4)
    pair = convertPacked(words[group]);
  else if (isFP8(from))
    pair = convertFP8Pair(
        b, from, to,
        b.create<arith::TruncIOp>(b.getI16Type(), select(words, group)));
  else
    pair = convertInteger(select(words, group));
  return b.create<LLVM::BitcastOp>(b.getI32Type(), pair);
}
