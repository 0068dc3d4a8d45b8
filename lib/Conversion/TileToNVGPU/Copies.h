//===- Copies.h - Copies by threads -----------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_COPIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_COPIES_H

#include "LoweringContext.h"

namespace tcgemm {

/// The copies of one loader.copy.
class Copies : public Lowering {
public:
  Copies(LoweringContext &c, LoaderCopyOp op);

protected:
  /// Builds the body under the predicate of the last pass, if `copy` belongs to
  /// it and it is partial.
  void buildIfActive(int64_t copy, llvm::function_ref<void()> build);
  void createAsyncCopy(mlir::Value memory, mlir::Value target,
                       mlir::Value source, mlir::Value valid);

  LoaderCopyOp op;
  const LoaderState &loader;
  RingType ring;
  TileType tile;
  int64_t firstCopy, endCopy; // of the thread's, and behind the last
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_COPIES_H
