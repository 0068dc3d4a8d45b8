//===- ScaleOperands.h - Operands with scales and zero points ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_SCALEOPERANDS_H
#define TCGEMM_LIB_DIALECT_IR_SCALEOPERANDS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks operand `index` of a kernel if it has scales or zero points, of
/// blocks or of groups. They follow A and B, in the order of kBlockScales.
mlir::LogicalResult verifyScales(KernelOp op, unsigned index);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_SCALEOPERANDS_H
