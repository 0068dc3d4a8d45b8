//===- ReducedResults.h - Checking the reductions of outputs ----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interval of each result of a reduction. Its ends are the combinations of
// the ends of the elements' intervals, because all combiners but those of
// unsigned integers, which are exact, are monotone.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_REDUCEDRESULTS_H
#define TCGEMM_LIB_RUNTIME_REDUCEDRESULTS_H

#include "tcgemm/Runtime/Reference.h"

#include "llvm/ADT/DenseMap.h"

namespace tcgemm {

/// An element that is combined.
struct ReducedElement {
  double expected = 0, tolerance = 0;
  bool isExact = false;
  /// Whether a sum may overflow, so that the element may be any value.
  bool mayBeSpecial = false;
};

/// The results of one output, from elements that are added in any order.
class ReducedResults {
public:
  ReducedResults(const OperandView &view, unsigned output,
                 const std::array<int64_t, kNumDims> &sizes)
      : view(&view), output(output), sizes(sizes) {}

  void add(int64_t b, int64_t m, int64_t n, const ReducedElement &element);
  /// Adds the elements of a part of the outputs.
  void add(const ReducedResults &part);
  /// Compares each result all of whose elements were added with the device's.
  void compare(VerifyReport &report) const;
  int64_t getNumResults() const;

private:
  struct Result {
    int64_t b = 0, m = 0, n = 0;
    int64_t count = 0;
    double expected = 0, low = 0, high = 0;
    double magnitude = 0; ///< Sum of the elements' absolute values.
    bool isExact = true;  ///< All elements are exact.
    bool isWhole = true;  ///< And they are integers.
    bool mayBeSpecial = false;
  };
  bool has(Dim dim) const;
  int64_t getNumElements() const;
  void merge(Result &result, const Result &part) const;
  double getRounding(const Result &result) const;
  bool isRight(const Result &result, double actual) const;

  const OperandView *view;
  unsigned output;
  std::array<int64_t, kNumDims> sizes;
  llvm::DenseMap<int64_t, Result> results; ///< By offset.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_REDUCEDRESULTS_H
