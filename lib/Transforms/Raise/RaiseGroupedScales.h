//===- RaiseGroupedScales.h - Scales of grouped products --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDSCALES_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDSCALES_H

#include "Raise/RaiseGroup.h"

namespace tcgemm::raise {

/// An operand of a grouped product, as kernels read it.
struct ScaledFactor {
  mlir::Value matrix;
  bool isUnsigned = false; ///< True if integers of the matrix have no sign.
  /// The operation that multiplies the matrix by its other inputs, which are
  /// scales, or subtracts zero points; null if none does.
  mlir::linalg::GenericOp scaling;
  unsigned place = 0; ///< The number of the matrix among its inputs.

  /// The inputs with scales and zero points.
  llvm::SmallVector<mlir::OpOperand *> getScales() const;
};
struct ScaledFactors : std::array<ScaledFactor, 2> {
  bool isScaled() const { return front().scaling || back().scaling; }
};

/// Determines A and B. If operations compute f32 operands of narrower elements,
/// at least one of them with scales, kernels read the elements and the scales.
/// Otherwise they read the operands themselves. Returns why groups of this kind
/// have no scales; empty if they have or if there are none.
std::string findScaledFactors(GroupedMatmulOp op, ScaledFactors &factors);

/// Determines the scales and zero points of a group, whose contraction reads
/// them. Returns why a kernel does not support them; empty if it does.
std::string matchGroupedScales(Group &group);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDSCALES_H
