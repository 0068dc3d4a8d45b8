//===- DepthGroups.cpp - Sums whose terms are divided ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DepthGroups.h"

#include "CheckedElements.h"

#include <algorithm>

using namespace tcgemm;

/// Restricts A or B to `depth` elements along k from `start` on.
static void takeDepth(OperandView &view, int64_t start, int64_t depth) {
  int64_t bytes = getByteSize(view.info->type);
  view.data += start * view.getStride(Dim::K) * bytes;
  for (auto [dim, size] : llvm::zip_equal(view.info->dims, view.shape.sizes))
    if (dim == Dim::K)
      size = depth;
}

const VerifyProblem &DepthGroups::addPart(const VerifyProblem &problem,
                                          int64_t start, int64_t depth) {
  auto &part = *parts.emplace_back(std::make_unique<VerifyProblem>(problem));
  part.sizes[unsigned(Dim::K)] = depth;
  for (OperandView &view : part.operands) {
    view.sizes = part.sizes;
    if (view.info->role == OperandUse::A || view.info->role == OperandUse::B)
      takeDepth(view, start, depth);
  }
  return part;
}

/// The ends of groups along k; none without such groups.
static std::vector<int64_t> readEnds(const VerifyProblem &problem) {
  std::optional<GroupKind> kind = problem.kernel->findGroupKind();
  if (!kind || getGroupKindInfo(*kind).hasRows())
    return {};
  std::vector<int64_t> ends = problem.readGroupSizes();
  for (int64_t &end : ends)
    end = std::clamp<int64_t>(end, 0, problem.sizes[unsigned(Dim::K)]);
  return ends;
}

DepthGroups::DepthGroups(const VerifyProblem &problem, const OperandView &a,
                         llvm::ArrayRef<const OperandView *> factors) {
  auto addSums = [&](const VerifyProblem &part) {
    auto getPart = [&](const OperandView *view) -> const OperandView & {
      return part.operands[view - problem.operands.data()];
    };
    std::vector<ProductSums> &added = sums.emplace_back();
    for (const OperandView *b : factors)
      added.emplace_back(part, getPart(&a), getPart(b));
  };
  int64_t start = 0;
  for (int64_t end : readEnds(problem)) {
    int64_t depth = std::max<int64_t>(end - start, 0);
    addSums(addPart(problem, depth ? start : 0, depth));
    start = end;
  }
  if (!areGroups())
    addSums(problem);
}
