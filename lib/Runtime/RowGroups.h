//===- RowGroups.h - Results whose rows are divided -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_ROWGROUPS_H
#define TCGEMM_LIB_RUNTIME_ROWGROUPS_H

#include "CheckedElements.h"

namespace tcgemm {

/// The groups into which the rows of a result are divided. By default there are
/// none, and each product has its own rows.
class RowGroups {
public:
  RowGroups() = default;
  /// Reads the ends of groups, or their numbers of rows, as kernels understand
  /// them: no end is before the one ahead of it, or beyond M, and no number is
  /// below 0 or above M.
  explicit RowGroups(const VerifyProblem &problem);

  bool areThere() const { return ends.has_value(); }
  /// The sizes of the result: contiguous groups are no batch.
  DimSizes getResultSizes(DimSizes sizes) const;
  /// Divides the rows of each region among the groups, whose numbers become the
  /// batches. Rows of no group are left out.
  std::vector<CheckedRegion> divide(std::vector<CheckedRegion> regions) const;
  /// Rows of no group must still have the initial poison; any that was written
  /// is wrong.
  void excludeOtherRows(llvm::ArrayRef<const OperandView *> outputs,
                        const DimSizes &sizes, VerifyReport &report) const;

private:
  std::optional<std::vector<int64_t>> ends;
  /// True if `ends` are the numbers of rows of padded groups.
  bool hasCounts = false;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_ROWGROUPS_H
