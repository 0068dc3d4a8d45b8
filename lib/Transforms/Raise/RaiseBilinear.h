//===- RaiseBilinear.h - Products of numbers with components ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise. A bilinear algebra multiplies numbers of several real
// components by structure constants T:
//
//   D[m, n, p] += A[m, k, q] B[k, n, r] T[q, r, p]
//
// B and T are multiplied first. What they give is a real matrix, the regular
// representation of B: its rows are the pairs of k and q, its columns those of
// n and p. A and D are real matrices where they are.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEBILINEAR_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEBILINEAR_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tcgemm/Target/Precision.h"
#include <array>
#include <string>

namespace tcgemm::raise {

/// Returns whether the operation is a sum of products of three inputs, of which
/// the last one has structure constants: an index that only A has besides, one
/// that only B has, and one that only D has.
bool isBilinearProduct(mlir::linalg::LinalgOp op);

/// The expansions that may replace such an operation.
struct BilinearChoices {
  /// Kernels may make B's blocks in registers.
  bool mayReadNumbers;
  /// Interleaved components may be copied to separate ones, and back.
  bool maySeparate;
};

/// Replaces such an operation by the product of B and the constants and by the
/// product of A and the result. The latter has the attributes of `op`.
/// `precision` is that of the product. If numbers may be read, the first one is
/// tcgemm.represent if kernels need not have its result in memory. Returns the
/// reason if that cannot be done, and nothing otherwise.
std::string expandBilinear(mlir::linalg::LinalgOp op, Precision precision,
                           BilinearChoices choices);

/// Gives the product of numbers and constants the schedule expand, so that it
/// has none of the parameters that are asked for: these are the other
/// product's. `counts` are those of the constants' components: B's last.
/// Products that the schedule does not take keep no configuration.
void setExpandConfig(mlir::Operation *product, std::array<int64_t, 3> counts);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEBILINEAR_H
