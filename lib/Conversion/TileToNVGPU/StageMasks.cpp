//===- StageMasks.cpp - Zeros in the tiles of a stage ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a role share the 16-byte chunks of a tile. They load each,
// select between its elements and zeros, and store it. Products read the tile
// through the asynchronous proxy, so that a fence follows, and a barrier of the
// role's threads.
//
//===----------------------------------------------------------------------===//

#include "StageMasks.h"
#include "ControlFlow.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

/// The named barrier of a role that masks. Those of warpgroups are the first
/// ones, and those of turns the last two.
static constexpr int64_t kMaskBarrier = 13;

/// The bits of the number one.
static APInt getOne(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return {type.getIntOrFloatBitWidth(), 1};
  APFloat one(1.0);
  bool loses = false;
  // In memory, tf32 is f32.
  one.convert(floatType.isTF32() ? APFloat::IEEEsingle()
                                 : floatType.getFloatSemantics(),
              APFloat::rmNearestTiesToEven, &loses);
  return one.bitcastToAPInt();
}

/// The chunk with zeros outside the band. `distance` is the column less the row
/// of its first element.
Value StageMasks::maskChunk(const Band &band, Type element, Value chunk,
                            Value distance) {
  auto type = cast<VectorType>(chunk.getType());
  auto bits = cast<IntegerType>(type.getElementType());
  int64_t count = type.getNumElements();
  Value zero = b.create<arith::ConstantIntOp>(bits, 0);
  Values elements;
  for (int64_t i = 0; i < count; ++i) {
    Value value = b.create<vector::ExtractOp>(chunk, i);
    Value own = b.add(distance, i);
    using P = arith::CmpIPredicate;
    if (band.upper)
      value = b.select(b.cmp(P::sle, own, b.i32(*band.upper)), value, zero);
    if (band.lower)
      value = b.select(b.cmp(P::sge, own, b.i32(*band.lower)), value, zero);
    if (band.isUnit) {
      Value one =
          b.create<arith::ConstantOp>(IntegerAttr::get(bits, getOne(element)));
      value = b.select(b.equal(own, b.i32(0)), one, value);
    }
    elements.push_back(value);
  }
  return b.create<vector::FromElementsOp>(type, elements);
}

/// Replaces each chunk of the operation's tile by what `change` makes of it.
template <typename Op>
void StageMasks::changeChunks(
    Op op, llvm::function_ref<Value(Value chunk, const ChunkPlace &)> change) {
  RingType ring = op.getRing().getType();
  TileType tile = ring.getTiles()[op.getTile()];
  int64_t elementBits = getStorageBits(tile.getElementType());
  int64_t perChunk = 128 / elementBits, perRow = tile.getRowBytes() / 16;
  int64_t chunks = int64_t(tile.getRows()) * perRow;
  int64_t threads = 32 * analysis.getRole(op).getNumWarps();
  int64_t rounds = llvm::divideCeil(chunks, threads);
  auto type = VectorType::get({perChunk}, b.getIntegerType(elementBits));
  Value thread = getThreadInRole(c, op);
  Value stage = b.mul(one(op.getState()), ring.getStageBytes());
  int64_t start = analysis.getSharedMemory().getStages(op.getRing()) +
                  ring.getTileOffset(op.getTile());
  auto loop = createRolledLoop(b, rounds, {});
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value number = b.add(b.mul(loop.getInductionVar(), threads), thread);
    Value row = b.divU(number, perRow), chunk = b.remU(number, perRow);
    ChunkPlace place{row, b.mul(chunk, perChunk)};
    if (int64_t stack = op.getStack()) {
      place.row = b.remU(row, stack);
      place.column =
          b.add(place.column, b.mul(b.divU(row, stack), tile.getColumns()));
    }
    Value exists;
    if (chunks % threads)
      exists = b.lessU(number, b.i32(chunks));
    buildIfGiven(b, exists, [&] {
      Value address = createSharedAddress(
          c, b.add(stage, getBoxOffset(b, tile, row, chunk)), start);
      Value loaded = b.create<LLVM::LoadOp>(type, address, /*alignment=*/16);
      b.create<LLVM::StoreOp>(change(loaded, place), address,
                              /*alignment=*/16);
    });
  }
  b.create<NVVM::FenceProxyOp>(
      NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  b.create<NVVM::BarrierOp>(Type(), b.i32(kMaskBarrier), b.i32(threads),
                            NVVM::BarrierReductionAttr(), Value());
}

void StageMasks::lower(RingMaskOp op) {
  Type element =
      op.getRing().getType().getTiles()[op.getTile()].getElementType();
  changeChunks(op, [&](Value chunk, const ChunkPlace &place) {
    Value distance = b.sub(b.add(one(op.getColumn()), place.column),
                           b.add(one(op.getRow()), place.row));
    return maskChunk(op.getBand().getValue(), element, chunk, distance);
  });
}

void StageMasks::lower(RingTrimOp op) {
  using P = arith::CmpIPredicate;
  Value left = one(op.getLeft());
  Value first = op.getFirst() ? one(op.getFirst()) : Value();
  auto isKept = [&](Value k) {
    Value isBefore = b.cmp(P::slt, k, left);
    return first ? b.bitAnd(isBefore, b.cmp(P::sge, k, first)) : isBefore;
  };
  changeChunks(op, [&](Value chunk, const ChunkPlace &place) {
    auto type = cast<VectorType>(chunk.getType());
    if (op.getStack()) {
      Value zeros = b.create<arith::ConstantOp>(DenseElementsAttr::get(
          type, APInt(type.getElementTypeBitWidth(), 0)));
      return b.select(isKept(place.row), chunk, zeros);
    }
    Value zero = b.create<arith::ConstantIntOp>(type.getElementType(), 0);
    Values elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(b.select(isKept(b.add(place.column, i)),
                                  b.create<vector::ExtractOp>(chunk, i), zero));
    return Value(b.create<vector::FromElementsOp>(type, elements));
  });
}
