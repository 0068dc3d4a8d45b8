//===- RowGroups.cpp - Results whose rows are divided ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tcgemm;

RowGroups::RowGroups(const VerifyProblem &problem) {
  std::optional<GroupKind> kind = problem.kernel->findGroupKind();
  if (!kind || !getGroupKindInfo(*kind).hasRows())
    return;
  ends.emplace();
  hasCounts = getGroupKindInfo(*kind).hasCounts;
  int64_t rows = problem.sizes[unsigned(Dim::M)];
  int64_t last = 0;
  for (int64_t given : problem.readGroupSizes()) {
    last = std::min(std::max(given, hasCounts ? 0 : last), rows);
    ends->push_back(last);
  }
}

DimSizes RowGroups::getResultSizes(DimSizes sizes) const {
  if (ends && !hasCounts)
    sizes[unsigned(Dim::Batch)] = 1;
  return sizes;
}

std::vector<CheckedRegion>
RowGroups::divide(std::vector<CheckedRegion> regions) const {
  if (!ends)
    return regions;
  if (hasCounts) {
    for (CheckedRegion &region : regions)
      llvm::erase_if(region.rows,
                     [&](int64_t row) { return row >= (*ends)[region.batch]; });
    return regions;
  }
  std::vector<CheckedRegion> divided;
  for (const CheckedRegion &region : regions) {
    size_t group = 0;
    for (int64_t row : region.rows) {
      while (group != ends->size() && row >= (*ends)[group])
        ++group;
      if (group == ends->size())
        break;
      auto number = static_cast<int64_t>(group);
      if (divided.empty() || divided.back().batch != number ||
          divided.back().columns != region.columns ||
          divided.back().otherRows != region.otherRows)
        divided.push_back({number, {}, region.columns, region.otherRows});
      divided.back().rows.push_back(row);
    }
  }
  return divided;
}

/// The same for the rows of one batch from `first` on.
static void excludeRows(const OperandView &output, int64_t batch, int64_t first,
                        const DimSizes &sizes, VerifyReport &report) {
  for (int64_t m = first; m < sizes[unsigned(Dim::M)]; ++m)
    for (int64_t n = 0; n != sizes[unsigned(Dim::N)]; ++n) {
      bool isLeft = isPoison(output, getOffset(output, batch, m, n));
      report.numUnwritten -= isLeft;
      report.numNaN -= isLeft;
      report.numWrong += !isLeft;
    }
}

void RowGroups::excludeOtherRows(llvm::ArrayRef<const OperandView *> outputs,
                                 const DimSizes &sizes,
                                 VerifyReport &report) const {
  if (!ends)
    return;
  // Contiguous groups are followed by the rows of none, padded ones each.
  std::vector<int64_t> firsts = *ends;
  if (!hasCounts)
    firsts.assign(1, ends->empty() ? 0 : ends->back());
  for (const OperandView *output : outputs) {
    if (!isFloatType(output->info->type))
      continue;
    for (auto [batch, first] : llvm::enumerate(firsts))
      excludeRows(*output, static_cast<int64_t>(batch), first, sizes, report);
  }
}
