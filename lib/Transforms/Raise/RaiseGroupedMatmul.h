//===- RaiseGroupedMatmul.h - Products of groups of rows --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDMATMUL_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDMATMUL_H

#include "Raise/KernelPool.h"

namespace tcgemm::raise {

/// Returns why no kernel computes the operation; empty if one does.
std::string checkGroupedMatmul(GroupedMatmulOp op);

/// Replaces the operation by a launch of a kernel, which is put before
/// `function`. Requires that checkGroupedMatmul finds no reason.
LaunchOp buildGroupedKernel(GroupedMatmulOp op, KernelPool &kernels,
                            mlir::Operation *function, llvm::StringRef name);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUPEDMATMUL_H
