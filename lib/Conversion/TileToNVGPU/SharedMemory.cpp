//===- SharedMemory.cpp - Addresses in shared memory ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "InlineAssembly.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static MemRefType getSharedType(IntegerBuilder &b, Type type, int64_t size) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  return MemRefType::get({size}, type, MemRefLayoutAttrInterface(), space);
}

/// The base is opaque: if the address of one TMA store is a constant, ptxas of
/// CUDA 13.0 computes the descriptors of all wgmma in registers of threads, and
/// each wgmma needs four R2UR and as many moves.
Value tcgemm::createSharedBase(IntegerBuilder &b) {
  auto bytes = getSharedType(b, b.getI8Type(), ShapedType::kDynamic);
  Value memory = b.create<gpu::DynamicSharedMemoryOp>(bytes);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
  Value base =
      b.create<UnrealizedConversionCastOp>(pointer, memory).getResult(0);
  Value address = b.create<LLVM::PtrToIntOp>(b.getI32Type(), base);
  return b.create<LLVM::IntToPtrOp>(pointer, makeOpaque(b, address));
}

Value tcgemm::createSharedView(IntegerBuilder &b, Type type, int64_t elements) {
  auto bytes = getSharedType(b, b.getI8Type(), ShapedType::kDynamic);
  Value memory = b.create<gpu::DynamicSharedMemoryOp>(bytes);
  Value zero = b.create<arith::ConstantIndexOp>(0);
  return b.create<memref::ViewOp>(getSharedType(b, type, elements), memory,
                                  zero, ValueRange());
}

MemRefType tcgemm::getStagesType(IntegerBuilder &b, RingType ring) {
  return getSharedType(b,
                       getStorageType(ring.getTiles().front().getElementType()),
                       ring.getStages() * getStageElements(ring));
}

Value tcgemm::createSharedAddress(LoweringContext &c, Value offset,
                                  int64_t constant) {
  IntegerBuilder &b = c.b;
  Value address = c.getSharedBase();
  if (offset)
    address = b.create<LLVM::GEPOp>(address.getType(), b.getI8Type(), address,
                                    LLVM::GEPArg(offset));
  if (constant)
    address = b.create<LLVM::GEPOp>(address.getType(), b.getI8Type(), address,
                                    LLVM::GEPArg(int32_t(constant)));
  return address;
}

Value tcgemm::createIndex(IntegerBuilder &b, Value offset, int64_t constant) {
  return b.index(b.add(offset, constant));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t tcgemm::getRowElements(TileType tile) {
  return tile.getRowBytes() * 8 / getStorageBits(tile.getElementType());
}

int64_t tcgemm::getChunkElements(TileType tile) {
  return 128 / getStorageBits(tile.getElementType());
}

TileMemory tcgemm::getTileMemory(LoweringContext &c, TypedValue<RingType> ring,
                                 Value state, unsigned index) {
  IntegerBuilder &b = c.b;
  RingType type = ring.getType();
  Type first = getStorageType(type.getTiles().front().getElementType());
  Type element = getStorageType(type.getTiles()[index].getElementType());
  Value stage = c.one(state);
  int64_t bits = element.getIntOrFloatBitWidth(),
          firstBits = first.getIntOrFloatBitWidth();
  if (bits == firstBits)
    return {c.one(ring), stage};
  int64_t bytes = type.getStages() * type.getStageBytes();
  stage = bits < firstBits ? b.mul(stage, firstBits / bits)
                           : b.divU(stage, bits / firstBits);
  return {createSharedView(b, element, bytes * 8 / bits), stage};
}

int64_t tcgemm::getStageElements(RingType ring) {
  Type element = ring.getTiles().front().getElementType();
  return ring.getStageBytes() * 8 / getStorageBits(element);
}

Value tcgemm::swizzleChunk(IntegerBuilder &b, TileType tile, Value row,
                           Value chunk, const LoaderState *loader) {
  // TMA's swizzles are those of rows as wide as they are.
  if (tile.getSwizzle() != Swizzle::Xor &&
      tile.getSwizzle() != Swizzle::Sectors && !tile.getTmaSwizzle())
    return chunk;
  int64_t bits = getStorageBits(tile.getElementType());
  int64_t chunks = tile.getColumns() * bits / 128;
  // Lanes that read together must hit different banks: one chunk each of
  // eight rows by ldmatrix, or two chunks each of four rows, which are four
  // elements of 64 bits, by 16 lanes. Rows of less than 128 bytes share a line
  // of banks, so the key changes more slowly.
  int64_t together = bits == 64 ? 2 : 1;
  int64_t keys = std::min<int64_t>(chunks, 8) / together;
  Value key = b.remU(b.divU(row, 8 / together / keys), keys);
  if (together > 1)
    key = b.mul(key, together);
  if (tile.getSwizzle() == Swizzle::Sectors) {
    // A row that starts in the middle of a sector is rotated by a chunk: then
    // the two halves of each sector are neighbours here too, and cp.async
    // fetches it once, not twice. Where every other row is rotated, that alone
    // tells odd rows from even ones, and the key's last bit must not undo it.
    Value odd = b.bitAnd(row, loader->alternates);
    chunk = b.remU(b.add(chunk, b.bitXor(odd, loader->startsInSector)), chunks);
    key = b.bitXor(key, odd);
  }
  return b.bitXor(chunk, key);
}

Value tcgemm::getBoxOffset(IntegerBuilder &b, TileType box, Value row,
                           Value chunk) {
  int64_t chunks = box.getRowBytes() / 16;
  Value key =
      box.getTmaSwizzle() ? b.remU(b.divU(row, 8 / chunks), chunks) : b.i32(0);
  return b.add(b.mul(row, box.getRowBytes()), b.mul(b.bitXor(chunk, key), 16));
}
