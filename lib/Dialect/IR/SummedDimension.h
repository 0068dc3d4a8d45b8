//===- SummedDimension.h - Kernels with two k -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_SUMMEDDIMENSION_H
#define TCGEMM_LIB_DIALECT_IR_SUMMEDDIMENSION_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks that a kernel which sums over an outer dimension has nothing that
/// would have to know about it.
mlir::LogicalResult verifySummed(KernelOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_SUMMEDDIMENSION_H
