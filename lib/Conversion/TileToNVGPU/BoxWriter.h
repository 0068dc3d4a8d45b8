//===- BoxWriter.h - Writes boxes to staging memory -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXWRITER_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXWRITER_H

#include "Accumulator.h"
#include "EpilogueAccess.h"

namespace tcgemm {

/// Writes boxes of results to the role's staging memory, in TMA's swizzled
/// layout.
class BoxWriter : public EpilogueAccess {
public:
  using EpilogueAccess::EpilogueAccess;

protected:
  /// Writes a slice's columns from `first` on to the box that starts at `start`
  /// (i32 bytes).
  void writeBox(TileType box, const AccView &view, mlir::ValueRange results,
                int64_t first, mlir::Value start);
  /// A pointer to `offset` bytes from the start of the staging memory.
  mlir::Value getStagingAddress(mlir::Value offset);

private:
  void writeMatrices(const AccView &view, mlir::ValueRange results,
                     TileType box, int64_t first, mlir::Value start);
  Values getWords(const AccView &view, mlir::ValueRange results, TileType box,
                  int64_t first, int64_t matrix);
  void writePairs(const AccView &view, mlir::ValueRange results, TileType box,
                  int64_t first, mlir::Value start);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXWRITER_H
