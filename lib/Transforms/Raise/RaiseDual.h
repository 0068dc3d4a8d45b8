//===- RaiseDual.h - Two products in one kernel -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEDUAL_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEDUAL_H

#include "Raise/RaiseGroup.h"

namespace tcgemm::raise {

/// The later contractions that multiply the group's A by another B, and whose
/// result meets that of the group's contraction in an elementwise operation.
llvm::SmallVector<mlir::linalg::LinalgOp> findSeconds(const Group &group);

/// Adds the contraction of `second`, and all consumers, to the group and to
/// `reasons`. Returns why that is impossible; the group is then as it was.
std::string fuseSecond(Group &group, const Group &second, Reasons &reasons);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEDUAL_H
