//===- StageMasks.h - Zeros in the tiles of a stage -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_STAGEMASKS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_STAGEMASKS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Masks the tiles of stages in shared memory.
class StageMasks : public Lowering {
public:
  using Lowering::Lowering;
  void lower(RingMaskOp op);
  void lower(RingTrimOp op);

private:
  /// A chunk's row, and the column of its first element, in the matrix from the
  /// tile's first element on. Boxes of a stack are neighbours along the
  /// columns.
  struct ChunkPlace {
    mlir::Value row, column;
  };
  template <typename Op>
  void changeChunks(
      Op op,
      llvm::function_ref<mlir::Value(mlir::Value, const ChunkPlace &)> change);
  mlir::Value maskChunk(const Band &band, mlir::Type element, mlir::Value chunk,
                        mlir::Value distance);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_STAGEMASKS_H
