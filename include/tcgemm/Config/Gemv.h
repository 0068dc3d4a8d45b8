//===- Gemv.h - Sizes of schedule gemv --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_GEMV_H
#define TCGEMM_CONFIG_GEMV_H

#include "tcgemm/Config/Sizes.h"

namespace tcgemm {

/// The work of one CTA. A group of `slices` warps along k computes `groupRows`
/// rows of the large operand and all `fewRows` rows of the small one. A lane
/// loads `unroll` vectors of each of its rows of the large operand before it
/// multiplies. A vector has `vector` elements: 16 bytes of the narrower
/// operand. `lanes` lanes of a warp read the same row. A thread finishes
/// `columns` results.
///
/// If the large operand is not contiguous along k, its rows are neighbours in
/// memory. `across` lanes of a warp read different rows then, each `vector` of
/// them, which are 16 bytes; the other `lanes` read other k. `unroll` is the
/// number of k of a lane. `across` is 0 for operands that are contiguous along
/// k.
struct GemvShape {
  /// The limit of `fewRows`.
  static constexpr int64_t kMostFewRows = 4;
  /// The same in tensor cores, and the rows of an instruction.
  static constexpr int64_t kMostTensorRows = 16, kTensorRows = 16;
  int64_t fewRows, manyRows, groups, slices, groupRows, unroll, vector, lanes,
      columns, across;
};
GemvShape getGemvShape(const KernelConfig &config, const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_GEMV_H
