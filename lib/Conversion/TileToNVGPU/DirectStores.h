//===- DirectStores.h - Stores of slices by warps ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_DIRECTSTORES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_DIRECTSTORES_H

#include "Accumulator.h"
#include "EpilogueAccess.h"

namespace tcgemm {

/// Stores results of a slice of the warp's tile: element by element under a
/// predicate, in the runs of columns that a thread holds, or through shared
/// memory in runs of 16 bytes.
class DirectStores : public EpilogueAccess {
public:
  using EpilogueAccess::EpilogueAccess;

  /// Stores the results of one output. `whole` (i1) says whether the
  /// accumulator is inside the outputs, `isLast` whether nothing is staged
  /// after this.
  void store(unsigned output, const AccView &view, mlir::ValueRange results,
             mlir::Value whole, bool isLast);

private:
  void storeEach(unsigned buffer, const AccView &view,
                 mlir::ValueRange results);
  void storeRuns(unsigned buffer, const AccView &view,
                 mlir::ValueRange results);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DIRECTSTORES_H
