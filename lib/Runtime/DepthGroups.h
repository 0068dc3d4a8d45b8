//===- DepthGroups.h - Sums whose terms are divided -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_DEPTHGROUPS_H
#define TCGEMM_LIB_RUNTIME_DEPTHGROUPS_H

#include "ProductSums.h"

#include <memory>
#include <vector>

namespace tcgemm {

/// The sums of products of A's and B's elements. Each group along k has the
/// terms from the end of the group before it to its own one, as far as these
/// are from 0 to K. Without such groups all products have all terms.
class DepthGroups {
public:
  DepthGroups() = default;
  /// `factors` are the operands by which A is multiplied.
  DepthGroups(const VerifyProblem &problem, const OperandView &a,
              llvm::ArrayRef<const OperandView *> factors);

  bool areGroups() const { return !parts.empty(); }
  /// Those of a product with each factor.
  llvm::ArrayRef<ProductSums> get(int64_t batch) const {
    return sums[areGroups() ? batch : 0];
  }

private:
  const VerifyProblem &addPart(const VerifyProblem &problem, int64_t start,
                               int64_t depth);

  /// The problem of each group.
  std::vector<std::unique_ptr<VerifyProblem>> parts;
  std::vector<std::vector<ProductSums>> sums;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_DEPTHGROUPS_H
