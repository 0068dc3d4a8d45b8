//===- Estimates.h - Parts of the estimates of all schedules ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_ESTIMATES_H
#define TCGEMM_LIB_CONFIG_COMMON_ESTIMATES_H

#include "tcgemm/Config/Sizes.h"

namespace tcgemm {

/// Nanoseconds of full waves of CTAs over all multiprocessors, and of the last
/// one. `getCtaTime` is the time of as many CTAs as run at the same time on one
/// multiprocessor, `residents` of them in a full wave.
double getWaveTime(int64_t numCtas, int64_t residents, const ChipInfo &chip,
                   llvm::function_ref<double(int64_t)> getCtaTime);

/// Nanoseconds of memory if A and B are read once and the output is written.
double getSinglePassTime(const ProblemInfo &problem, const ChipInfo &chip,
                         double elementBytes);

/// Nanoseconds of split-K's second kernel: partial sums are written once and
/// read once by way of the L2 cache, and the kernel is launched.
double getReductionTime(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_ESTIMATES_H
