//===- GenerateInterleaved.h - MLIR for interleaved operands ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEINTERLEAVED_H
#define TCGEMM_LIB_PIPELINES_GENERATEINTERLEAVED_H

#include "TensorTypes.h"

namespace tcgemm {

/// The operations that give the elements of interleaved operands in order:
/// `%A_in_order`, `%B_in_order` and, of a dual product, `%B2_in_order`. They
/// are a transposition of the parts of k.
std::string writeInterleaved(const MatmulProblem &problem,
                             const TensorTypes &tensors,
                             const Contraction &contraction);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEINTERLEAVED_H
