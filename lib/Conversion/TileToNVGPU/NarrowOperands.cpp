//===- NarrowOperands.cpp - Operands of 8 bits as 16 bits -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowOperands.h"
#include "FragmentPieces.h"
#include "InlineAssembly.h"
#include "IntegerPairs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// Bytes of a pair.
static constexpr int64_t kPair = 2;

bool tcgemm::holdsPairs(FragmentType type) {
  return type.getRuns().empty() && type.getLayout() == AccLayout::MmaSync &&
         getElementBits(type.getElementType()) == 8 && type.getDepth() == 16;
}

// Lane l holds, of each 8 rows and 8 k, row l / 4 and the k from l mod 4 * 2
// on.
Values tcgemm::loadPairs(LoweringContext &c, FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  PieceLoader loader(c, op, kPair);
  auto vectorType = VectorType::get({4, 1}, c.b.getI16Type());
  bool isA = type.getRole() == FragmentRole::A;
  int64_t depth = op.getKStep() * 16;
  Values loaded;
  for (int64_t rows = 0; rows < int64_t(type.getRows()); rows += 16) {
    // A's registers alternate along m, B's along k.
    Values pairs;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t low = i % 2 * 8, high = i / 2 * 8;
      pairs.push_back(
          loader.load(rows + (isA ? low : high), depth + (isA ? high : low)));
    }
    loaded.push_back(c.b.create<vector::FromElementsOp>(vectorType, pairs));
  }
  return loaded;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value tcgemm::convertFP8ToHalves(IntegerBuilder &b, ScalarType from,
                                 Value pair) {
  Value converted = createAssembly(
      b,
      llvm::formatv("cvt.rn.f16x2.{0}x2 $0, $1;", getPtxTypeName(from)).str(),
      "=r,h", b.getI32Type(), pair, /*hasSideEffects=*/false);
  return b.create<LLVM::BitcastOp>(VectorType::get({2}, b.getF16Type()),
                                   converted);
}

Value tcgemm::convertFP8Pair(IntegerBuilder &b, ScalarType from, ScalarType to,
                             Value pair) {
  Value halves = convertFP8ToHalves(b, from, pair);
  if (to == ScalarType::F16)
    return halves;
  Value wide =
      b.create<arith::ExtFOp>(VectorType::get({2}, b.getF32Type()), halves);
  return b.create<arith::TruncFOp>(VectorType::get({2}, b.getBF16Type()), wide);
}

Value tcgemm::convertPairs(IntegerBuilder &b, ScalarType from, ScalarType to,
                           Value pairs) {
  int64_t count = cast<VectorType>(pairs.getType()).getDimSize(0);
  auto type = VectorType::get({count, 2}, getElementType(to, b.getContext()));
  IntegerPairs integers(b, from, to);
  auto convert = [&](Value pair) -> Value {
    if (isFP8(from))
      return convertFP8Pair(b, from, to, pair);
    Value bits = b.create<arith::ExtUIOp>(b.getI32Type(), pair);
    return integers.convert(createPermute(b, bits, bits, 0x0100));
  };
  Value converted = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  for (int64_t i = 0; i < count; ++i)
    converted = b.create<vector::InsertOp>(
        convert(b.create<vector::ExtractOp>(pairs, ArrayRef<int64_t>{i, 0})),
        converted, ArrayRef<int64_t>{i});
  return converted;
}
