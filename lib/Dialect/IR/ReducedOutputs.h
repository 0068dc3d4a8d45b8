//===- ReducedOutputs.h - Outputs of kernels with reductions ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_REDUCEDOUTPUTS_H
#define TCGEMM_LIB_DIALECT_IR_REDUCEDOUTPUTS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks the dims of operand `index` if it is an output with a reduction.
mlir::LogicalResult verifyReducedDims(KernelOp op, unsigned index);

/// Returns whether an epilogue can yield a value of a type for an output.
bool canYield(mlir::Type value, OperandAttr output);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_REDUCEDOUTPUTS_H
