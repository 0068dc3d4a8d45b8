//===- StagedStores.h - Stores through staging memory -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_STAGEDSTORES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_STAGEDSTORES_H

#include "Accumulator.h"
#include "EpilogueAccess.h"

namespace tcgemm {

/// Stores the results of a slice of 16 rows through shared memory: the warp
/// writes them there and stores them to global memory in runs of 16 bytes, so
/// that whole sectors are written.
class StagedStores : public EpilogueAccess {
public:
  StagedStores(LoweringContext &c, EpilogueOp op, unsigned buffer,
               const AccView &view);
  void store(mlir::ValueRange results, bool isLast);

private:
  void write(mlir::ValueRange results);
  void storeRuns();
  void storeRun(int64_t pass);
  void storeElements();
  void storeElement(mlir::Value number);
  /// The index in the staging memory of an element of the slice.
  mlir::Value getStagedIndex(mlir::Value row, mlir::Value column);

  unsigned buffer;
  const AccView &view;
  mlir::Type element;
  int64_t vector;         // elements of 16 bytes
  int64_t columns, pitch; // of the slice, and elements between its rows
  mlir::Value memory, lane;
  mlir::Value origin; // i32, where the warp's share of the memory starts
  mlir::Value m0, n0; // where the slice starts in the output
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_STAGEDSTORES_H
