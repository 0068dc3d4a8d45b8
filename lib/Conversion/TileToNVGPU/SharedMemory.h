//===- SharedMemory.h - Addresses in shared memory --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_SHAREDMEMORY_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_SHAREDMEMORY_H

#include "LoaderState.h"
#include "LoweringContext.h"

namespace tcgemm {

/// A pointer to the start of dynamic shared memory.
mlir::Value createSharedBase(IntegerBuilder &b);

/// Dynamic shared memory, from its start, as a memref of `elements` elements.
mlir::Value createSharedView(IntegerBuilder &b, mlir::Type type,
                             int64_t elements);

/// The type of the memory of a ring's stages.
mlir::MemRefType getStagesType(IntegerBuilder &b, RingType ring);

/// A pointer to the byte `constant` + `offset` of shared memory. `offset` (i32)
/// may be null.
mlir::Value createSharedAddress(LoweringContext &c, mlir::Value offset,
                                int64_t constant);

/// The index of `offset` (i32 elements) plus `constant` elements.
mlir::Value createIndex(IntegerBuilder &b, mlir::Value offset,
                        int64_t constant);

/// Elements from one row of a tile to the next.
int64_t getRowElements(TileType tile);
/// Elements of a 16-byte chunk of a tile.
int64_t getChunkElements(TileType tile);
/// Elements of one stage, as the ring's first tile has them. The state of a
/// cp_async ring is the offset of a stage, in such elements.
int64_t getStageElements(RingType ring);
/// A ring's memory as elements of one tile, and the offset of a stage in it.
struct TileMemory {
  mlir::Value memory, stage;
};
/// The memory of tile `index` of a cp_async ring, and its offset for `state`.
TileMemory getTileMemory(LoweringContext &c, mlir::TypedValue<RingType> ring,
                         mlir::Value state, unsigned index);

/// The chunk of `row` where a swizzled tile holds chunk number `chunk`.
/// `loader` is needed for swizzle `sectors` only.
mlir::Value swizzleChunk(IntegerBuilder &b, TileType tile, mlir::Value row,
                         mlir::Value chunk, const LoaderState *loader);

/// The offset, in bytes, of 16-byte chunk `chunk` of row `row` of a box that is
/// swizzled as TMA does.
mlir::Value getBoxOffset(IntegerBuilder &b, TileType box, mlir::Value row,
                         mlir::Value chunk);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_SHAREDMEMORY_H
