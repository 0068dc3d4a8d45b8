//===- GenerateMatmul.h - MLIR for a described product ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the function that a user would have written for a matrix product with
// an elementwise epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_GENERATEMATMUL_H
#define TCGEMM_PIPELINES_GENERATEMATMUL_H

#include "tcgemm/Problem/Contraction.h"
#include "tcgemm/Problem/MatmulProblem.h"

#include <string>

namespace tcgemm {

struct GenerateOptions {
  MatmulProblem problem;
  bool isBatched = false;
  bool isStatic = false; ///< Whether the sizes are compiled in.
  /// The indices of the operands, in the place of the problem's layout and
  /// sizes.
  std::optional<Contraction> contraction{};
};

std::string generateMLIR(const GenerateOptions &options);

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_GENERATEMATMUL_H
