//===- TensorMapGuard.h - Conditions for encoding a tensor map --*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_TENSORMAPGUARD_H
#define TCGEMM_TARGET_TENSORMAPGUARD_H

#include "tcgemm/Target/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace tcgemm {

/// The conditions that a variant's guard must contain, so that a tensor map
/// with this base, dims and strides can be encoded: the rules of TensorMap.h
/// for them.
std::vector<Expr> getTensorMapConditions(const Expr &base,
                                         llvm::ArrayRef<Expr> dims,
                                         llvm::ArrayRef<Expr> strides);

} // namespace tcgemm

#endif // TCGEMM_TARGET_TENSORMAPGUARD_H
