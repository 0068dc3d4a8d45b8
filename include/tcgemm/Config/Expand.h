//===- Expand.h - Limits of schedule expand ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_EXPAND_H
#define TCGEMM_CONFIG_EXPAND_H

#include "tcgemm/Config/ProblemInfo.h"

#include <optional>

namespace tcgemm {

struct ExpandShape {
  /// The most coefficients, which a thread has in registers, and the most of
  /// them that are added up.
  static constexpr int64_t kMostCoefficients = 64, kMostDepth = 8;
  static constexpr int64_t kThreads = 256;
};

/// The operand with the coefficients: A (0) or B (1). None if neither has few
/// elements of static sizes.
std::optional<unsigned> findCoefficients(const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_EXPAND_H
