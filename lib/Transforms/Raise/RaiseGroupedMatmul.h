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

/// The group of the operation with these factors, or none and the reason. A
/// linalg operation replaces the operation until buildKernel writes the kernel.
std::optional<Group> matchGroupedMatmul(GroupedMatmulOp op,
                                        const ScaledFactors &factors,
                                        Precision precision,
                                        std::string &reason);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDMATMUL_H
