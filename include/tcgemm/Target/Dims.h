//===- Dims.h - The dimensions of a kernel's contraction --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_DIMS_H
#define TCGEMM_TARGET_DIMS_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tcgemm {

/// A dimension of the contraction. The order is that of KernelInfo::sizes. A
/// kernel computes one product for each value of its outer dimensions: the
/// batch and, in kernels of contractions, up to two more.
enum class Dim { M, N, K, Batch, BatchC, BatchD };
inline constexpr unsigned kNumDims = 6;
/// The dimensions that each kernel has come first.
inline constexpr unsigned kNumPlainDims = 4;
inline bool isOuter(Dim dim) { return dim >= Dim::Batch; }

/// The symbol of a dimension in expressions: `M`, `N`, `K`, `batch`, `batch_c`,
/// `batch_d`.
llvm::StringRef getSizeName(Dim dim);
/// The letter of a dimension in `dims`: `m`, `n`, `k`, `b`, `c`, `d`.
llvm::StringRef getDimName(Dim dim);
/// The dimension of a letter, if it is one.
std::optional<Dim> findDim(char letter);
/// The letters of the outer dimensions. The last one of a kernel changes first
/// in the linear index of its products.
inline constexpr llvm::StringLiteral kOuterLetters = "bcd";
inline bool isOuter(char letter) { return kOuterLetters.contains(letter); }

/// Elements along each dimension, by Dim.
using ProblemSizes = std::array<int64_t, kNumDims>;
/// Sizes of a kernel with one outer dimension.
inline ProblemSizes makeSizes(int64_t m, int64_t n, int64_t k,
                              int64_t batch = 1) {
  return {m, n, k, batch, 1, 1};
}
/// The number of products: the sizes of all outer dimensions, multiplied.
int64_t countProducts(const ProblemSizes &sizes);

} // namespace tcgemm

#endif // TCGEMM_TARGET_DIMS_H
