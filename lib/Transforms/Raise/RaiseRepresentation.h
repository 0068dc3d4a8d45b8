//===- RaiseRepresentation.h - Kernels that read numbers --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEREPRESENTATION_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEREPRESENTATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm::raise {

struct Group;

/// The operation whose numbers the group's kernel reads as its operand with
/// this role, which is B; null if it reads the operand's elements.
RepresentOp findRepresented(const Group &group, OperandRole role);

/// Removes the operations whose numbers kernels read. Replaces each other one
/// by the product of the numbers and the constants of their algebra. Returns
/// these products.
llvm::SmallVector<mlir::linalg::LinalgOp>
expandRepresentations(mlir::func::FuncOp function);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEREPRESENTATION_H
