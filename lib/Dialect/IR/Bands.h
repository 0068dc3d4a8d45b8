//===- Bands.h - Kernels whose operands are bands ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_BANDS_H
#define TCGEMM_LIB_DIALECT_IR_BANDS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks the bands of a kernel's A and B, and that its result may be
/// symmetric.
mlir::LogicalResult verifyStructure(KernelOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_BANDS_H
