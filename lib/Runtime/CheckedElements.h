//===- CheckedElements.h - Which elements are checked --------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_CHECKEDELEMENTS_H
#define TCGEMM_LIB_RUNTIME_CHECKEDELEMENTS_H

#include "tcgemm/Runtime/Reference.h"

namespace tcgemm {

/// The rows and columns of one batch that are compared.
struct CheckedRegion {
  int64_t batch;
  std::vector<int64_t> rows, columns;
  /// Those of the rows whose elements other regions compare, in ascending
  /// order. Here they only count for reductions.
  std::vector<int64_t> otherRows{};
};

using DimSizes = std::array<int64_t, kNumDims>;

/// All elements of each batch.
std::vector<CheckedRegion> getWholeRegions(const DimSizes &sizes);
/// Whole rows and whole columns of some batches, whose check takes about `work`
/// multiplications.
std::vector<CheckedRegion> sampleRegions(const DimSizes &sizes, double work,
                                         uint64_t seed);

/// The offset of an element of a batch, in elements.
int64_t getOffset(const OperandView &view, int64_t b, int64_t m, int64_t n);
/// The element at `offset`.
double loadAt(const OperandView &view, int64_t offset);

/// Returns whether the element at `offset` still has the caller's poison: all
/// ones, a NaN that no instruction produces.
bool isPoison(const OperandView &view, int64_t offset);
/// Counts NaN, and the poison of missed elements, among all elements.
void scanOutputs(llvm::ArrayRef<const OperandView *> outputs,
                 VerifyReport &total);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_CHECKEDELEMENTS_H
