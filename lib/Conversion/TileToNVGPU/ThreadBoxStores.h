//===- ThreadBoxStores.h - Stores of boxes, by threads ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_THREADBOXSTORES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_THREADBOXSTORES_H

#include "BoxWriter.h"
#include "EpilogueSlices.h"

namespace tcgemm {

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

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_THREADBOXSTORES_H
