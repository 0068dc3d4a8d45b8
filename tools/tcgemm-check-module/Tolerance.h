//===- Tolerance.h - Tolerance of comparisons -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two runs of a function may differ in the order of their sums and in
// intermediate roundings. For the operations that compute a result, let
//
//   u   be the unit roundoff of the narrowest float type that they compute in,
//   r   the number of linalg operations, each of which may round once,
//   L   the length of a reduction, and s the unit roundoff of its sum: that of
//       f32 for products, else that of its type,
//   c   the largest finite magnitude of the result, but at least 1.
//
// Then results may differ by factor · ((r + 2)·u + Σ L·s) · c. The bound
// applies to usual data and is not a proof: an operation with cancellation may
// exceed it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_CHECKMODULE_TOLERANCE_H
#define TCGEMM_TOOLS_CHECKMODULE_TOLERANCE_H

#include "Signature.h"

#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm {

/// (r + 2)·u + Σ L·s of a value that a function returns; a dynamic length
/// counts as `dynamicSize`.
double getRelativeTolerance(mlir::Value result, int64_t dynamicSize);

struct Comparison {
  bool passed = true;
  int64_t numWrong = 0;
  double largestError = 0;
  double tolerance = 0;
  std::string firstWrong; ///< Index and both values.
};

/// Integers must be equal, and NaNs and infinities in the same elements.
Comparison compare(const HostTensor &expected, const HostTensor &actual,
                   double relativeTolerance);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_TOLERANCE_H
