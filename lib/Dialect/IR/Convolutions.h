//===- Convolutions.h - Kernels of convolutions -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_CONVOLUTIONS_H
#define TCGEMM_LIB_DIALECT_IR_CONVOLUTIONS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks a kernel whose A is the images of a convolution; others are right.
mlir::LogicalResult verifyConvolution(KernelOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_CONVOLUTIONS_H
