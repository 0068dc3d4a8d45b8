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
  mlir::Value scales; ///< Of the matrix's blocks; null if there are none.
  std::string dims;   ///< The letters of the scales' dimensions: `mk`.
};
struct ScaledFactors : std::array<ScaledFactor, 2> {
  bool isScaled() const { return front().scales || back().scales; }
};

/// Determines A and B. If they are f32 and operations compute them of FP8
/// elements, at least one of them times scales of blocks, kernels read the FP8
/// elements and the scales. Returns why they cannot; empty if they can or if
/// nothing scales the operands, which are then A and B themselves.
std::string findScaledFactors(GroupedMatmulOp op, ScaledFactors &factors);

/// The map from the loops to the scales of A (0) or B (1).
mlir::AffineMap getScalesMap(const ScaledFactor &factor, unsigned operand,
                             llvm::StringRef loops, mlir::MLIRContext *context);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDSCALES_H
