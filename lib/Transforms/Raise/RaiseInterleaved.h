//===- RaiseInterleaved.h - Components that are neighbours ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise. A product without zero blocks is one product for each
// component of the result. Its operands are slices of one component, whose
// rows must be contiguous. Interleaved components are separated by a copy of A,
// and joined by a copy of the result.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEINTERLEAVED_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEINTERLEAVED_H

#include "Raise/BilinearExpansion.h"

namespace tcgemm::raise {

/// Returns whether the components are innermost in A or in the result.
bool isInterleaved(mlir::linalg::LinalgOp op, const ComponentLoops &components);

/// The reason why an interleaved product stays whole: it is not supported, or
/// the copies take more time than the `zeroBlocks` that are left out. Empty if
/// it pays to separate the components.
std::string explainInterleaved(mlir::linalg::LinalgOp op,
                               const ComponentLoops &components,
                               int64_t zeroBlocks);

/// Replaces an interleaved product by one with the same loops whose components
/// are outside of A's innermost dimension, and outermost in the result. Returns
/// the product.
mlir::linalg::LinalgOp separateComponents(mlir::linalg::LinalgOp op,
                                          const ComponentLoops &components);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEINTERLEAVED_H
