//===- ReducedResults.h - Checking the reductions of outputs ----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_REDUCEDRESULTS_H
#define TCGEMM_LIB_RUNTIME_REDUCEDRESULTS_H

#include "ReducedResult.h"
#include "tcgemm/Runtime/Reference.h"

#include <map>

namespace tcgemm {

/// The type of the values of an output: its own, or that of what it reduces.
ScalarType getValueType(const KernelInfo &kernel, size_t output);

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
  void compare(VerifyReport &report);
  int64_t getNumResults() const;

private:
  struct Entry {
    int64_t b = 0, m = 0, n = 0;
    std::unique_ptr<ReducedResult> result;
  };
  bool has(Dim dim) const;
  int64_t getNumElements() const;
  int64_t getOffset(int64_t b, int64_t m, int64_t n) const;
  void addEmpty();
  ReducedResult &getResult(int64_t offset, int64_t b, int64_t m, int64_t n);

  const OperandView *view;
  unsigned output;
  std::array<int64_t, kNumDims> sizes;
  std::map<int64_t, Entry> entries; ///< By offset.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_REDUCEDRESULTS_H
