//===- MatmulSizes.h - The sizes of a matrix product ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_MATMULSIZES_H
#define TCGEMM_PROBLEM_MATMULSIZES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tcgemm {

/// The largest size along a dimension.
inline constexpr int64_t kMaxProblemSize = (int64_t(1) << 31) - 1;
/// Reads a size from 1 to `most`; blanks round it do not count.
bool parseSize(llvm::StringRef text, int64_t &size,
               int64_t most = kMaxProblemSize);

/// Elements along each dimension; -1 where the size is known at run time only.
struct MatmulSizes {
  int64_t m = -1, n = -1, k = -1, batch = 1;

  /// `MxNxK`, or `BxMxNxK` where the batch is not 1.
  std::string str() const;
  /// Errors: not three or four sizes from 1 to `most`.
  static llvm::Expected<MatmulSizes> parse(llvm::StringRef text,
                                           int64_t most = kMaxProblemSize);
  /// Writes the attributes `m`, `n`, `k` and `batch`.
  void writeAttributes(llvm::json::OStream &json) const;
  /// 2·M·N·K·batch.
  double getFlops() const;
  bool operator==(const MatmulSizes &other) const {
    return m == other.m && n == other.n && k == other.k && batch == other.batch;
  }
};

/// Sizes along one dimension: `4096`, a list `512,1024`, or a range with both
/// ends `1024:4096:256` (its step is 1 if left out).
llvm::Expected<std::vector<int64_t>> parseSizeRange(llvm::StringRef text);

/// Sizes along each dimension, which stand for all their combinations.
struct MatmulRanges {
  std::vector<int64_t> m, n, k, batch;

  /// Reads a range for each dimension whose text is not empty.
  static llvm::Expected<MatmulRanges> parse(llvm::StringRef m,
                                            llvm::StringRef n,
                                            llvm::StringRef k,
                                            llvm::StringRef batch);
  /// All combinations: k changes first, the batch last. Without ranges of the
  /// batch it is 1.
  std::vector<MatmulSizes> expand() const;
};

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_MATMULSIZES_H
