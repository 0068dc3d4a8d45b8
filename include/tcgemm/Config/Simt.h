//===- Simt.h - Sizes of schedule simt --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_SIMT_H
#define TCGEMM_CONFIG_SIMT_H

#include "tcgemm/Config/Sizes.h"

namespace tcgemm {

/// Returns whether the tile of an operand with such rows is transposed while it
/// is copied to shared memory. One copy then moves a single element.
bool isStagingTransposed(const KernelConfig &config, bool kContiguous);
/// Elements along k of one step. Tiles with rows along k that are not
/// transposed are read as vectors of this length.
int64_t getSimtDepth(const KernelConfig &config, const ProblemInfo &problem);
/// Adjacent rows (operand 0) or columns (1) of the output that a thread
/// computes. Its other ones follow at multiples of `threads` such runs.
int64_t getSimtVector(const KernelConfig &config, const ProblemInfo &problem,
                      unsigned operand);

/// Copies that a thread makes of each row of A's (0) or B's (1) tile. Where the
/// parameter is 0, they are the fewest with which a thread keeps its columns.
int64_t getSimtRowCopies(const KernelConfig &config, const ProblemInfo &problem,
                         unsigned operand);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_SIMT_H
