//===- OperandRounding.h - Operands with less precision ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_OPERANDROUNDING_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_OPERANDROUNDING_H

#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Support/IntegerBuilder.h"

namespace tcgemm {

/// Rounds an f32 to the operand type `type` to nearest, ties to even, as TMA
/// does. `op` is in the program, whose chip decides the instructions.
mlir::Value roundOperand(IntegerBuilder &b, mlir::Operation *op,
                         ScalarType type, mlir::Value value);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_OPERANDROUNDING_H
