//===- FewColumns.h - Converted operands with few columns -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WGMMA_FEWCOLUMNS_H
#define TCGEMM_LIB_CONFIG_WGMMA_FEWCOLUMNS_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

/// The most columns, of the result or of its transpose, for
/// proposeForFewColumns.
inline constexpr int64_t kMostFewColumns = 32;

/// Returns `config` with the user's overrides if that is legal.
std::optional<KernelConfig> applyOverrides(KernelConfig config,
                                           const ConfigRequest &request,
                                           const ProblemInfo &problem);

/// Proposes a configuration for few columns and an operand that is converted.
/// `depth` is the number of elements of k in a stage that warpgroups do not
/// divide. None if another schedule is faster, or if the tiles would leave too
/// much of the chip without work.
std::optional<KernelConfig> proposeForFewColumns(const ConfigRequest &request,
                                                 const ProblemInfo &problem,
                                                 int64_t depth);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WGMMA_FEWCOLUMNS_H
