//===- WgmmaConversion.cpp - Narrow elements as A of wgmma ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane selects its elements by prmt from the words of a row, and both halves
// of a register are converted at once.
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
    : b(b), from(from), to(to), pairs(b, from, to, zeroPoint) {
  // A digit of the selector names one of 8 bytes, and its place the byte of the
  // result. Of 4 bits that become 16, one byte has the pair, and is in both
  // halves of the result.
  if (isFP8(to))
    bytes.emplace(b, from);
  if (isInterleaved(from))
    return;
  if (getBitWidth(from) == 4 && !bytes)
    selector = b.mul(lane, 0x101);
  else if (bytes || isFP8(from))
    selector = b.add(b.mul(lane, 0x22), 0x10);
  else
    selector = b.add(b.mul(lane, 0x202), 0x100);
}

Value WgmmaConversion::select(ArrayRef<Value> words, int64_t group) {
  return createPermute(b, words[2 * group], words[2 * group + 1], selector);
}

Value WgmmaConversion::convert(ArrayRef<Value> words, int64_t group) {
  if (bytes)
    return bytes->convert(select(words, group));
  Value pair;
  if (isInterleaved(from))
    pair = pairs.convertPair(words.front(), group);
  else if (getBitWidth(from) == 4)
    pair = pairs.convert(createPermute(b, words[group], b.i32(0), selector),
                         /*low=*/0, /*high=*/4);
  else if (isFP8(from))
    pair = convertFP8Pair(
        b, from, to,
        b.create<arith::TruncIOp>(b.getI16Type(), select(words, group)));
  else
    pair = pairs.convert(select(words, group));
  return b.create<LLVM::BitcastOp>(b.getI32Type(), pair);
}
