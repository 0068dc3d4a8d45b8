//===- RaiseMoments.h - A mean, then the deviations from it -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEMOMENTS_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEMOMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tcgemm::raise {

/// Replaces a mean, and the mean of squared deviations from it, of the result
/// of a product by one reduction that computes both. The number of values is
/// static. Operations for which `select` returns false remain.
void joinMoments(mlir::func::FuncOp function,
                 llvm::function_ref<bool(mlir::linalg::LinalgOp)> select);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEMOMENTS_H
