//===- GenerateBody.h - The body of a generated product ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEBODY_H
#define TCGEMM_LIB_PIPELINES_GENERATEBODY_H

#include "tcgemm/Pipelines/GenerateMatmul.h"

namespace tcgemm {

/// The body of a generic operation that extends, multiplies and adds the
/// elements of A and B, their scales and structure constants. Zero points are
/// subtracted first.
std::string writeProductBody(const GenerateOptions &options);

/// The constant as MLIR writes one of `type`: an integer, a whole number of
/// f32 or f64, or an infinity of them, which MLIR writes by its bits.
std::string writeConstant(const ScalarConstant &constant, ScalarType type);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEBODY_H
