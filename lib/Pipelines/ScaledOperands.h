//===- ScaledOperands.h - Scales of a generated product -----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_SCALEDOPERANDS_H
#define TCGEMM_LIB_PIPELINES_SCALEDOPERANDS_H

#include "tcgemm/Problem/MatmulProblem.h"
#include "tcgemm/Target/BlockScales.h"

namespace tcgemm {

/// Scales or zero points that the product reads, of A (0) or B (1).
struct ScaledOperand {
  unsigned operand;
  const BlockScales *scales;
  ScalarType type;
};

/// The operands with scales of blocks or groups and with zero points, in their
/// order.
llvm::SmallVector<ScaledOperand, 2>
getScaledOperands(const MatmulProblem &problem);

/// The type of elements in memory.
llvm::StringRef getElementName(ScalarType type);
/// The line that extends `value` of `type` to the type of the sums, as `name`;
/// empty if it has that type.
std::string writeExtension(llvm::StringRef name, llvm::StringRef value,
                           ScalarType type, ScalarType sums);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_SCALEDOPERANDS_H
