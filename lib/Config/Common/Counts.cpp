//===- Counts.cpp - Products of counts that cannot overflow ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Counts.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

int64_t multiplyCounts(std::initializer_list<int64_t> counts) {
  constexpr int64_t limit = int64_t(1) << 50;
  int64_t product = 1;
  for (int64_t count : counts) {
    int64_t next = 0;
    bool overflows = MulOverflow(product, count, next);
    product = overflows ? limit : std::min(next, limit);
  }
  return product;
}

int64_t countTiles(const KernelConfig &config, const ProblemInfo &problem) {
  return multiplyCounts({problem.batch,
                         int64_t(divideCeil(problem.m, config.cta[0])),
                         int64_t(divideCeil(problem.n, config.cta[1]))});
}

ProblemInfo takeGroup(ProblemInfo problem) {
  if (!problem.isGrouped)
    return problem;
  char divided = getGroupKindInfo(problem.groupKind).divided;
  int64_t *size = divided == 'm'   ? &problem.m
                  : divided == 'k' ? &problem.k
                                   : nullptr;
  if (size && *size > 0 && problem.batch > 0)
    *size = int64_t(divideCeil(*size, problem.batch));
  return problem;
}

} // namespace tcgemm
