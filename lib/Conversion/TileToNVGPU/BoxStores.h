//===- BoxStores.h - Stores of boxes, by TMA --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXSTORES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXSTORES_H

#include "BoxWriter.h"
#include "EpilogueSlices.h"

namespace tcgemm {

/// Stores a warpgroup's accumulator in chunks of at most 64 x 64. Each is
/// evaluated, written to a staging tile and stored: by TMA while the next chunk
/// is evaluated, or by the threads that wrote it. The last chunk of a row may
/// overlap its neighbour, so that any multiple of 8 columns will do.
class BoxStores : public BoxWriter {
public:
  using BoxWriter::BoxWriter;
  void store();
  /// The slices that are stored as boxes.
  SliceGrid cut();

private:
  void awaitBuffers(int64_t numBoxes);
  void storeByTma(unsigned output, const Slice &slice, mlir::ValueRange results,
                  int64_t first, mlir::Value number);
  void issueStore(unsigned output, const Slice &slice, int64_t first,
                  mlir::Value start);
  void syncGroup();
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_BOXSTORES_H
