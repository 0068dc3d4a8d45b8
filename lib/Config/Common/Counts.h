//===- Counts.h - Products of counts that cannot overflow -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_COUNTS_H
#define TCGEMM_LIB_CONFIG_COMMON_COUNTS_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"

#include <cstdint>
#include <initializer_list>

namespace tcgemm {

/// The product of counts, or 2^50 if it is larger: sizes may be up to 2^40, and
/// an estimate for such a problem has only to be large.
int64_t multiplyCounts(std::initializer_list<int64_t> counts);

/// The tiles of all products of a batch.
int64_t countTiles(const KernelConfig &config, const ProblemInfo &problem);

/// The problem of one group, if there are several: that with the rows or terms
/// that each has on average, or with all rows of a padded one. Otherwise the
/// problem itself.
ProblemInfo takeGroup(ProblemInfo problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_COUNTS_H
