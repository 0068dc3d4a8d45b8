//===- RowGroups.cpp - Results whose rows are divided ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"

#include <algorithm>

using namespace tcgemm;

RowGroups::RowGroups(const OperandView &offsets, int64_t rows)
    : ends(std::in_place) {
  int64_t last = 0;
  for (int64_t i = 0; i != offsets.shape.getNumElements(); ++i) {
    auto given =
        static_cast<int64_t>(loadAt(offsets, i * offsets.shape.getRowStride()));
    last = std::min(std::max(given, last), rows);
    ends->push_back(last);
  }
}

DimSizes RowGroups::getResultSizes(DimSizes sizes) const {
  if (ends)
    sizes[unsigned(Dim::Batch)] = 1;
  return sizes;
}

std::vector<CheckedRegion>
RowGroups::divide(std::vector<CheckedRegion> regions) const {
  if (!ends)
    return regions;
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

void RowGroups::excludeOtherRows(llvm::ArrayRef<const OperandView *> outputs,
                                 const DimSizes &sizes,
                                 VerifyReport &report) const {
  if (!ends)
    return;
  int64_t first = ends->empty() ? 0 : ends->back();
  for (const OperandView *output : outputs) {
    if (!isFloatType(output->info->type))
      continue;
    for (int64_t m = first; m != sizes[unsigned(Dim::M)]; ++m)
      for (int64_t n = 0; n != sizes[unsigned(Dim::N)]; ++n) {
        bool isLeft = isPoison(*output, getOffset(*output, 0, m, n));
        report.numUnwritten -= isLeft;
        report.numNaN -= isLeft;
        report.numWrong += !isLeft;
      }
  }
}
