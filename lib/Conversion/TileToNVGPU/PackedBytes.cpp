//===- PackedBytes.cpp - FP8 of 4-bit elements ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// prmt selects four bytes of eight: it looks up four numbers in a table of
// eight at once. A selector has 4 bits, as an element has. Three of them are
// the place in the table. With the fourth, the result is not the byte, but
// eight copies of its highest bit. So a table of bytes below 128 gives 0 there.
// A second lookup has the other elements, with the fourth bits inverted, and
// the sum of both lookups has all elements.
//
// The numbers of negative elements have their highest bit set, and their lowest
// bit clear: they are -8 to -1, which need three bits of significand at most.
// The table has their halves, as integers, and a product doubles the lookup.
//
//===----------------------------------------------------------------------===//

#include "PackedBytes.h"
#include "FragmentPieces.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace tcgemm;

/// The bits of an e4m3.
static uint8_t getBits(int value) {
  llvm::APFloat number(static_cast<float>(value));
  bool isInexact = false;
  number.convert(llvm::APFloat::Float8E4M3FN(),
                 llvm::APFloat::rmNearestTiesToEven, &isInexact);
  assert(!isInexact && "e4m3 has all integers up to 16");
  return static_cast<uint8_t>(number.bitcastToAPInt().getZExtValue());
}

PackedBytes::PackedBytes(IntegerBuilder &b, ScalarType from)
    : b(b), factor(isUnsignedType(from) ? 1 : 2) {
  for (int i = 0; i < 8; ++i) {
    low[i] = getBits(i);
    uint8_t bits = getBits(isUnsignedType(from) ? i + 8 : i - 8);
    assert(bits % factor == 0 && bits / factor < 0x80 && "prmt would copy it");
    high[i] = bits / factor;
  }
}

Value PackedBytes::lookUp(ArrayRef<uint8_t> table, Value bits) {
  auto getWord = [&](size_t first) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i)
      word |= uint32_t(table[first + i]) << (8 * i);
    return b.i32(word);
  };
  return createPermute(b, getWord(0), getWord(4), bits);
}

Value PackedBytes::convert(Value bits) {
  Value others = lookUp(high, b.bitXor(bits, 0x8888));
  return b.add(lookUp(low, bits), b.mul(others, factor));
}

Values PackedBytes::convertWord(Value word) {
  return {convert(word), convert(b.shiftRightU(word, 16))};
}
