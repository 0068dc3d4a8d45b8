//===- GenerateBilinear.h - Texts of structure constants --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEBILINEAR_H
#define TCGEMM_LIB_PIPELINES_GENERATEBILINEAR_H

#include "tcgemm/Pipelines/GenerateMatmul.h"

namespace tcgemm {

/// `tensor<2x2x2xf32>`: the type of the constants, as that of B.
std::string getConstantsType(const GenerateOptions &options);
/// The operation that makes the constants, `%T`.
std::string writeConstants(const GenerateOptions &options);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEBILINEAR_H
