//===- FragmentPieces.h - Loads of pieces of rows ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_FRAGMENTPIECES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_FRAGMENTPIECES_H

#include "LoweringContext.h"
#include "SharedMemory.h"

namespace tcgemm {

/// Loads pieces of a fragment's rows by plain loads. Lane l reads piece
/// (l mod 4) * `distance` of row l / 4.
class PieceLoader : public Lowering {
public:
  /// A piece has `bytes` bytes along k, at most 16.
  PieceLoader(LoweringContext &c, FragmentLoadOp op, int64_t bytes,
              int64_t distance = 1);
  /// Loads, `firstRow` rows and `firstK` elements of the tile further on, a
  /// piece as one integer.
  mlir::Value load(int64_t firstRow, int64_t firstK);
  /// The same as a vector of the tile's elements.
  mlir::Value loadVector(int64_t firstRow, int64_t firstK);

private:
  FragmentLoadOp op;
  RingType ring;
  TileType tile;
  TileMemory stage;
  const LoaderState *loader;
  int64_t bytes, elements; // of a piece
  mlir::Value row, k;      // of the lane
};

/// Returns (`value` & `mask`) ^ `bits` by one instruction.
mlir::Value createMaskedXor(IntegerBuilder &b, mlir::Value value, uint32_t mask,
                            uint32_t bits);

/// Selects four bytes of `first` (0 to 3) and `second` (4 to 7), the lowest
/// first.
mlir::Value createPermute(IntegerBuilder &b, mlir::Value first,
                          mlir::Value second, unsigned selector);
/// The same with an i32 as the selector.
mlir::Value createPermute(IntegerBuilder &b, mlir::Value first,
                          mlir::Value second, mlir::Value selector);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_FRAGMENTPIECES_H
