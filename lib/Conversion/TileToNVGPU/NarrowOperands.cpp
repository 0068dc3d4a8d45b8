//===- NarrowOperands.cpp - Operands that are converted -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowOperands.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// Bytes of a fragment that fill a register when they are converted: the tensor
/// core's registers have 8 bytes of a row in a k-step, for each of 8 lanes.
static int64_t getPieceBytes(FragmentType type) {
  constexpr int64_t bitsOfRow = 64;
  return type.getDepth() * getElementBits(type.getElementType()) / bitsOfRow;
}

bool tcgemm::holdsPieces(FragmentType type) {
  return type.getRuns().empty() && type.getLayout() == AccLayout::MmaSync &&
         getPieceBytes(type) < 4;
}

Type tcgemm::getPieceType(FragmentType type) {
  return IntegerType::get(type.getContext(), 8 * getPieceBytes(type));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {
/// Loads the pieces of a lane. Offsets along k are in bytes.
class PieceLoader : public Lowering {
public:
  PieceLoader(LoweringContext &c, FragmentLoadOp op);
  Value load(int64_t firstRow, int64_t firstK);

private:
  FragmentLoadOp op;
  RingType ring;
  TileType tile;
  TileMemory stage;
  const LoaderState *loader;
  int64_t pieceBytes;
  Value row, k; // of the lane
};
} // namespace

// Lane l holds, of each 8 rows and 4 pieces along k, piece l mod 4 of row
// l / 4. The swizzle puts the 8 rows' chunks of 16 bytes into different banks.
PieceLoader::PieceLoader(LoweringContext &c, FragmentLoadOp op)
    : Lowering(c), op(op), ring(op.getRing().getType()),
      tile(ring.getTiles()[op.getTile()]),
      stage(getTileMemory(c, op.getRing(), op.getState(), op.getTile())),
      loader(op.getLoader() ? &c.loaders[op.getLoader()] : nullptr),
      pieceBytes(getPieceBytes(op.getFragment().getType())) {
  FragmentType type = op.getFragment().getType();
  Value lane = c.laneId();
  row = b.add(b.mul(one(op.getWarp()), type.getRows()), b.divU(lane, 4));
  k = b.mul(b.remU(lane, 4), pieceBytes);
  if (op.getWarpK())
    k = b.add(k, b.mul(one(op.getWarpK()), tile.getColumns() / op.getWarpsK()));
}

Value PieceLoader::load(int64_t firstRow, int64_t firstK) {
  int64_t chunk = getChunkElements(tile), pitch = getRowElements(tile);
  Value column = b.add(k, firstK);
  Value swizzled = swizzleChunk(b, tile, row, b.divU(column, chunk), loader);
  Value offset = b.add(b.mul(row, pitch),
                       b.add(b.mul(swizzled, chunk), b.remU(column, chunk)));
  Value index =
      createIndex(b, b.add(stage.stage, offset),
                  ring.getTileOffset(op.getTile()) + firstRow * pitch);
  Value bytes = b.create<vector::LoadOp>(
      VectorType::get({pieceBytes}, b.getI8Type()), stage.memory,
      ValueRange(index), /*nontemporal=*/false,
      /*alignment=*/llvm::MaybeAlign(pieceBytes));
  Type piece = getPieceType(op.getFragment().getType());
  return b.create<vector::ExtractOp>(
      b.create<vector::BitCastOp>(VectorType::get({1}, piece), bytes), 0);
}

Values tcgemm::loadPieces(LoweringContext &c, FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  PieceLoader loader(c, op);
  auto vectorType = VectorType::get({4, 1}, getPieceType(type));
  bool isA = type.getRole() == FragmentRole::A;
  int64_t half = 4 * getPieceBytes(type), step = op.getKStep() * 2 * half;
  Values loaded;
  for (int64_t rows = 0; rows < int64_t(type.getRows()); rows += 16) {
    // A's registers alternate along m, B's along k.
    Values pieces;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t fast = i % 2, slow = i / 2;
      pieces.push_back(loader.load(rows + 8 * (isA ? fast : slow),
                                   step + half * (isA ? slow : fast)));
    }
    loaded.push_back(c.b.create<vector::FromElementsOp>(vectorType, pieces));
  }
  return loaded;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Selects four bytes of `first` (0 to 3) and `second` (4 to 7), the lowest
/// first.
static Value permute(IntegerBuilder &b, Value first, Value second,
                     unsigned selector) {
  return createAssembly(
      b, llvm::formatv("prmt.b32 $0, $1, $2, {0};", selector).str(), "=r,r,r",
      b.getI32Type(), ValueRange{first, second}, /*hasSideEffects=*/false);
}

/// Converts two integers: their bits become the lowest ones of a large number,
/// which is subtracted. The sign bits of signed ones are inverted first. f16
/// holds the large number and 8 bits exactly; for bf16, f32 does, and the upper
/// half of the difference is bf16.
static Value convertIntegers(IntegerBuilder &b, bool isSigned, ScalarType to,
                             Value pair) {
  Value bits = b.create<arith::ExtUIOp>(b.getI32Type(), pair);
  if (isSigned)
    bits = b.bitXor(bits, 0x8080);
  float bias = isSigned ? 128 : 0;
  if (to == ScalarType::F16) {
    auto type = VectorType::get({2}, b.getF16Type());
    Value large = permute(b, bits, b.i32(0x64646464), 0x4140);
    auto start = DenseElementsAttr::get(
        type, ArrayRef<Attribute>(b.getF16FloatAttr(1024 + bias)));
    return b.create<arith::SubFOp>(b.create<LLVM::BitcastOp>(type, large),
                                   b.create<arith::ConstantOp>(start));
  }
  Value start = b.create<arith::ConstantOp>(b.getF32FloatAttr(0x1p23F + bias));
  auto convert = [&](unsigned selector) -> Value {
    Value large = permute(b, bits, b.i32(0x4B000000), selector);
    Value value = b.create<arith::SubFOp>(
        b.create<arith::BitcastOp>(b.getF32Type(), large), start);
    return b.create<arith::BitcastOp>(b.getI32Type(), value);
  };
  Value halves = permute(b, convert(0x7440), convert(0x7441), 0x7632);
  return b.create<LLVM::BitcastOp>(VectorType::get({2}, b.getBF16Type()),
                                   halves);
}

static Value convertFP8(IntegerBuilder &b, ScalarType from, ScalarType to,
                        Value pair) {
  Value converted = createAssembly(
      b,
      llvm::formatv("cvt.rn.f16x2.{0}x2 $0, $1;", getPtxTypeName(from)).str(),
      "=r,h", b.getI32Type(), pair, /*hasSideEffects=*/false);
  Value halves = b.create<LLVM::BitcastOp>(VectorType::get({2}, b.getF16Type()),
                                           converted);
  if (to == ScalarType::F16)
    return halves;
  Value wide =
      b.create<arith::ExtFOp>(VectorType::get({2}, b.getF32Type()), halves);
  return b.create<arith::TruncFOp>(VectorType::get({2}, b.getBF16Type()), wide);
}

/// Spreads two elements of 4 bits over the halves of a register. They become
/// the lowest bits of a number, which is subtracted: f16 holds 1024 and bf16
/// holds 128 with 4 bits exactly.
static Value convertTwo(IntegerBuilder &b, bool isSigned, ScalarType to,
                        Value byte) {
  bool isHalf = to == ScalarType::F16;
  int64_t large = isHalf ? 0x64006400 : 0x43004300;
  // The sign bits of signed ones are inverted.
  int64_t bits = large ^ (isSigned ? 0x00080008 : 0);
  double start = (isHalf ? 1024 : 128) + (isSigned ? 8 : 0);
  Value both = b.mul(b.create<arith::ExtUIOp>(b.getI32Type(), byte), 0x1001);
  Value spread = b.bitXor(b.bitAnd(both, b.i32(0x000F000F)), b.i32(bits));
  Type element = getElementType(to, b.getContext());
  auto type = VectorType::get({2}, element);
  auto bias = DenseElementsAttr::get(
      type, ArrayRef<Attribute>(b.getFloatAttr(element, start)));
  return b.create<arith::SubFOp>(b.create<LLVM::BitcastOp>(type, spread),
                                 b.create<arith::ConstantOp>(bias));
}

/// Extends four elements of 4 bits to i8.
static Value extendFour(IntegerBuilder &b, bool isSigned, Value pair) {
  Value bits = b.create<arith::ExtUIOp>(b.getI32Type(), pair);
  bits = permute(b, bits, b.i32(0), 0x4140);
  Value shifted = b.create<arith::ShLIOp>(bits, b.i32(4));
  bits = b.bitAnd(b.bitOr(bits, shifted), b.i32(0x0F0F0F0F));
  // A sign bit is copied to the 4 bits above it.
  if (isSigned)
    bits = b.bitOr(bits, b.mul(b.bitAnd(bits, b.i32(0x08080808)), 0x1E));
  return b.create<LLVM::BitcastOp>(VectorType::get({4}, b.getI8Type()), bits);
}

static Value convertPiece(IntegerBuilder &b, ScalarType from, ScalarType to,
                          Value piece) {
  if (isFP8(from))
    return convertFP8(b, from, to, piece);
  bool isSigned = from == ScalarType::I8 || from == ScalarType::I4;
  if (getBitWidth(from) == 8)
    return convertIntegers(b, isSigned, to, piece);
  return isFloatType(to) ? convertTwo(b, isSigned, to, piece)
                         : extendFour(b, isSigned, piece);
}

Value tcgemm::convertPieces(IntegerBuilder &b, ScalarType from, ScalarType to,
                            Value pieces) {
  int64_t count = cast<VectorType>(pieces.getType()).getDimSize(0);
  auto type = VectorType::get({count, 32 / getBitWidth(to)},
                              getElementType(to, b.getContext()));
  Value converted = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  for (int64_t i = 0; i < count; ++i) {
    Value piece = b.create<vector::ExtractOp>(pieces, ArrayRef<int64_t>{i, 0});
    converted = b.create<vector::InsertOp>(convertPiece(b, from, to, piece),
                                           converted, ArrayRef<int64_t>{i});
  }
  return converted;
}
