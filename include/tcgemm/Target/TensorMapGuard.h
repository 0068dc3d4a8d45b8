//===- TensorMapGuard.h - When a tensor map can be encoded ------*- C++ -*-===//
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

/// What a variant's guard must ask for, so that a tensor map of such a base,
/// dims and strides can be encoded: the rules of TensorMap.h on them.
std::vector<Expr> getTensorMapConditions(const Expr &base,
                                         llvm::ArrayRef<Expr> dims,
                                         llvm::ArrayRef<Expr> strides);

} // namespace tcgemm

#endif // TCGEMM_TARGET_TENSORMAPGUARD_H
