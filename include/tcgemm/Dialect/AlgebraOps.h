//===- AlgebraOps.h - Operations of algebras in MLIR ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_ALGEBRAOPS_H
#define TCGEMM_DIALECT_ALGEBRAOPS_H

#include "mlir/IR/Builders.h"
#include "tcgemm/Target/Algebra.h"

namespace tcgemm {

/// The operation that `op`, of arith on floats or integers, computes; none if
/// no algebra has it.
std::optional<AlgebraOperation> findAlgebraOperation(mlir::Operation *op);
/// Computes an operation on two floats or integers of the same type, which has
/// it.
mlir::Value createAlgebraOperation(mlir::OpBuilder &builder, mlir::Location loc,
                                   AlgebraOperation operation, mlir::Value x,
                                   mlir::Value y);
/// A value, which is a double for float types, as a constant.
mlir::TypedAttr getConstant(mlir::Type type, const ScalarConstant &value);
/// Algebra::getNeutral as a constant of a type of sums.
mlir::TypedAttr getNeutralValue(const Algebra &algebra, mlir::Type type);

} // namespace tcgemm

#endif // TCGEMM_DIALECT_ALGEBRAOPS_H
