//===- RaiseBand.h - Operands with bands, symmetric results -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEBAND_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEBAND_H

#include "Raise/RaiseGroup.h"

namespace tcgemm::raise {

/// Replaces selections of elements by comparisons of their row and column, in
/// bodies of sums of products and of their elementwise producers, by BandOp.
/// Does not change operations in `left`.
void replaceMasks(mlir::func::FuncOp function, const Reasons &left);

/// Returns why a kernel does not take the bands of the group's operands; empty
/// if it does, or if there are none.
std::string checkBands(const Group &group);
/// Replaces the bands of a contraction's operands by linalg.generic. Adds them
/// to `reasons`, with `reason`. Returns whether there are any.
bool expandBands(mlir::linalg::LinalgOp op, const std::string &reason,
                 Reasons &reasons);
/// The same for all that are left.
void expandBands(mlir::func::FuncOp function, Reasons &reasons);

/// Returns why a kernel cannot compute the half of the group's result; empty if
/// it can.
std::string checkSymmetric(const Group &group);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEBAND_H
