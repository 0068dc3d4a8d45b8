//===- RaiseGroupedMatmul.h - Products of groups of rows --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDMATMUL_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDMATMUL_H

#include "Raise/RaiseGroupedScales.h"

namespace tcgemm::raise {

/// Returns why no kernel computes the operation with these factors; empty if
/// one does.
std::string checkGroupedMatmul(GroupedMatmulOp op, const ScaledFactors &factors,
                               Precision precision);

/// The group of the operation, which a linalg operation replaces until
/// buildKernel writes the kernel. Requires that checkGroupedMatmul finds no
/// reason.
Group matchGroupedMatmul(GroupedMatmulOp op, const ScaledFactors &factors,
                         Precision precision);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDMATMUL_H
