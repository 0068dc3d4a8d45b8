//===- Groups.h - Kernels of grouped products -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_GROUPS_H
#define TCGEMM_LIB_DIALECT_IR_GROUPS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks an operand of a kernel with offsets or counts.
mlir::LogicalResult verifyGroupedOperand(KernelOp op, unsigned index);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_GROUPS_H
