//===- GenerateReduction.h - Reductions as MLIR text ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEREDUCTION_H
#define TCGEMM_LIB_PIPELINES_GENERATEREDUCTION_H

#include "tcgemm/Problem/NamedReduction.h"

#include <string>

namespace tcgemm {

/// A generated linalg.generic that reduces a tensor.
struct GeneratedReduction {
  std::string name;                ///< The result's name: `%R0`.
  std::string source, sourceType;  ///< The tensor that is reduced.
  std::string element;             ///< The type of its elements.
  std::string type;                ///< The result's type.
  std::string sizes;               ///< Operands of the result's tensor.empty.
  std::string maps, iteratorTypes; ///< Lists.

  std::string write(const NamedReduction &reduction) const;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEREDUCTION_H
