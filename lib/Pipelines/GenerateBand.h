//===- GenerateBand.h - MLIR for operands with bands ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEBAND_H
#define TCGEMM_LIB_PIPELINES_GENERATEBAND_H

#include "tcgemm/Problem/MatmulProblem.h"

namespace tcgemm {

/// The parameter that holds A (0) or B (1).
std::string getMatrixName(const MatmulProblem &problem, unsigned operand);
/// The value of A (0) or B (1) that is multiplied. A symmetric result is the
/// product of A and its transpose.
std::string getFactor(const MatmulProblem &problem, unsigned operand);

/// The operations that give the matrices, of types `types`, their bands.
std::string writeBands(const MatmulProblem &problem,
                       const std::array<std::string, 2> &types);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEBAND_H
