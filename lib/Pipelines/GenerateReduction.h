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
  std::string name;               ///< The operation's name: `%R0`.
  std::string source, sourceType; ///< The tensor that is reduced.
  std::string element;            ///< The type of its elements.
  std::string shape;              ///< Of a result: `?x64x` or empty.
  std::string sizes;              ///< Operands of a result's tensor.empty.
  std::string sourceMap, map;     ///< Of the source and of all results.
  std::string iteratorTypes;      ///< A list.
  unsigned loop = 0;              ///< The loop along which an index is.
  /// The number of elements in a row, a value or a constant, if indices are
  /// those of all elements; empty otherwise. `loop` is that of the rows then.
  std::string rowLength;

  /// The text of the operation, and the name and the type of the result that
  /// the reduction is.
  struct Text {
    std::string operation, result, type;
  };
  Text write(const NamedReduction &reduction) const;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEREDUCTION_H
