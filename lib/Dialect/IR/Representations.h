//===- Representations.h - Kernels that read numbers ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_REPRESENTATIONS_H
#define TCGEMM_LIB_DIALECT_IR_REPRESENTATIONS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Verifies the sizes and types of a kernel whose B is a representation.
mlir::LogicalResult verifyRepresentation(KernelOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_REPRESENTATIONS_H
