//===- RaiseDiagonal.h - Products with a diagonal matrix --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEDIAGONAL_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEDIAGONAL_H

#include "Raise/RaiseGroup.h"

namespace tcgemm::raise {

/// Replaces sums whose terms are zero unless the summed index equals another
/// one by elementwise operations, which `report` gets. `select` says why an
/// operation must stay as it is; empty if it need not. The reasons for sums
/// that stay are added to `reasons`.
void replaceDiagonals(
    mlir::func::FuncOp function, Reasons &reasons,
    llvm::function_ref<std::string(mlir::linalg::LinalgOp)> select,
    llvm::function_ref<void(mlir::linalg::GenericOp)> report);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEDIAGONAL_H
