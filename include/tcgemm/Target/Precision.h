//===- Precision.h - Precisions of f32 products -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How products of f32 operands are computed. Only the user chooses a precision
// below that of f32. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_PRECISION_H
#define TCGEMM_TARGET_PRECISION_H

#include "tcgemm/Target/ScalarType.h"

#include "llvm/Support/Error.h"

namespace tcgemm {

enum class Precision {
  IEEE, ///< Products and sums of f32.
  TF32, ///< Operands are rounded to tf32.
};

llvm::StringRef getPrecisionName(Precision precision);
/// The error names the precisions that there are.
llvm::Expected<Precision> parsePrecision(llvm::StringRef name);

/// The type of operands that are `type` in memory.
ScalarType getOperandType(ScalarType type, Precision precision);
/// The precision of products of such operands.
Precision getPrecision(ScalarType operandType);

} // namespace tcgemm

#endif // TCGEMM_TARGET_PRECISION_H
