//===- KernelFeatures.h - The features of a kernel --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_IR_KERNELFEATURES_H
#define TCGEMM_LIB_DIALECT_IR_KERNELFEATURES_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Checks that the kernel's features may be together. Its operands are operand
/// attributes, but need no further rule.
mlir::LogicalResult verifyFeatures(KernelOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_DIALECT_IR_KERNELFEATURES_H
