//===- ComponentBody.h - Bodies that treat components alike -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to tcgemm-complex-to-real. The sum of two complex numbers, or the
// product with a real one, treats the real and the imaginary part alike. Such a
// body becomes one real body, which is executed for each component. It can be
// fused with a real product.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_COMPLEX_COMPONENTBODY_H
#define TCGEMM_LIB_TRANSFORMS_COMPLEX_COMPONENTBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tcgemm::complex_to_real {

/// Returns whether the body treats both components of all complex values
/// alike.
bool isComponentwise(mlir::linalg::LinalgOp op);

/// Writes the body for one component, whose arguments are `arguments`, without
/// its terminator. Returns what it yields.
llvm::SmallVector<mlir::Value> writeComponent(mlir::OpBuilder &builder,
                                              mlir::linalg::LinalgOp op,
                                              mlir::ValueRange arguments);

} // namespace tcgemm::complex_to_real

#endif // TCGEMM_LIB_TRANSFORMS_COMPLEX_COMPONENTBODY_H
