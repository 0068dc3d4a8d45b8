//===- GenerateConvolution.h - The MLIR of convolutions ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATECONVOLUTION_H
#define TCGEMM_LIB_PIPELINES_GENERATECONVOLUTION_H

#include "tcgemm/Pipelines/GenerateMatmul.h"

namespace tcgemm {

/// The text of a function with the convolution of `options`. The number of
/// images is that of the function's arguments, unless sizes are static.
std::string generateConvolution(const GenerateOptions &options);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATECONVOLUTION_H
