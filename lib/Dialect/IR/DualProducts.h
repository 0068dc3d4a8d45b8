//===- DualProducts.h - Kernels with a second B -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_DUALPRODUCTS_H
#define TCGEMM_LIB_DIALECT_IR_DUALPRODUCTS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks operand `index`, a second B, and that the kernel's other properties
/// go with it.
mlir::LogicalResult verifySecond(KernelOp op, unsigned index);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_DUALPRODUCTS_H
