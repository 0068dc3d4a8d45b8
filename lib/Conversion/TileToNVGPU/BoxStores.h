//===- BoxStores.h - Stores of boxes of a warpgroup's tile ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXSTORES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXSTORES_H

#include "EpilogueAccess.h"
#include "EpilogueSlices.h"

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

/// A warpgroup's accumulator goes out in chunks of at most 64 x 64: evaluated,
/// written to a staging tile, and stored, by TMA while the next chunk is
/// evaluated, or by the threads that wrote it. The last chunk of a row may
/// overlap its neighbour, so that any multiple of 8 columns will do.
class BoxStores : public BoxWriter {
public:
  using BoxWriter::BoxWriter;
  void store();
  /// The slices that go out as boxes.
  SliceGrid cut();

private:
  void awaitBuffers(int64_t numBoxes);
  void storeByTma(unsigned output, const Slice &slice, mlir::ValueRange results,
                  int64_t first, mlir::Value number);
  void issueStore(unsigned output, const Slice &slice, int64_t first,
                  mlir::Value start);
  void syncGroup();
};

/// A warp reads back from a staging tile what it wrote there itself, 16 rows or
/// 16 columns of the box, and so waits for no other warp. Its lanes store
/// neighbouring runs of a row: of 16 bytes if the output's rows allow that,
/// else of 4 or of an element.
class ThreadBoxStores : public BoxWriter {
public:
  ThreadBoxStores(LoweringContext &c, EpilogueOp op, unsigned output);
  void store(const Slice &slice, mlir::ValueRange results, int64_t first);

private:
  void locate(const Slice &slice, int64_t first);
  void storeRuns(int64_t bytes);
  void storePasses(mlir::Value first, int64_t count, int64_t bytes);
  void storeRun(mlir::Value run, int64_t bytes);

  unsigned buffer;
  TileType box;
  int64_t elementBytes;
  int64_t rows, chunks; // of the box that the warp has, of 16 bytes
  mlir::Value start;    // where the box starts in the staging memory, in bytes
  mlir::Value m, n;     // where it starts in the output
  mlir::Value firstRow, firstChunk; // of the warp
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXSTORES_H
