//===- ProductIndices.h - Indices of generated products ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_PRODUCTINDICES_H
#define TCGEMM_LIB_PIPELINES_PRODUCTINDICES_H

#include "tcgemm/Pipelines/GenerateMatmul.h"

namespace tcgemm {

/// `b, m, k`.
std::string separate(llvm::StringRef letters);
/// The letters that are summed over: those of A in its order, then those that
/// only B has.
std::string getSumIndices(const Contraction &contraction);
/// The attributes of the product's operation: a precision that is not the
/// default, and the extents of a contraction's loops if these are not static.
/// Empty, or ` {...}`.
std::string getProductAttributes(const GenerateOptions &options,
                                 const Contraction &contraction);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_PRODUCTINDICES_H
