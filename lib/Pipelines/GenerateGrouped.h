//===- GenerateGrouped.h - The MLIR of products of groups -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H
#define TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H

#include <string>

namespace tcgemm {

/// The types of a product of groups of rows, as text.
struct GroupedTypes {
  std::string a, b, offsets, result;
};

/// The tcgemm.grouped_matmul that computes `%acc` of `%A`, `%B` and `%offsets`,
/// and overwrites `%init`. With `transposesB`, B has k innermost.
std::string writeGroupedProduct(const GroupedTypes &types, bool transposesB);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H
