//===- ModelTimes.h - Products and times of the models ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_MODEL_MODELTIMES_H
#define TCGEMM_LIB_MODEL_MODELTIMES_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Model/Machine.h"

namespace tcgemm {

/// Returns whether the constants, which were fitted to products of 16 bits,
/// describe the problem's kernels.
bool isFitted(const ProblemInfo &problem);
/// Returns whether the simulator describes the problem's kernels and the
/// constants do not: those of 8 bits and of tf32. The simulator refuses those
/// that it does not describe after all.
bool isSimulated(const ProblemInfo &problem);

/// Nanoseconds on a board under load; none if the schedule has no constants.
std::optional<double> estimateFittedTime(const ModelConstants &constants,
                                         const ChipInfo &chip,
                                         const KernelConfig &config,
                                         const ProblemInfo &sized);
/// Nanoseconds; none if the simulator does not describe the kernel.
std::optional<double> simulateTime(const Machine &machine, const ChipInfo &chip,
                                   const KernelConfig &config,
                                   const ProblemInfo &sized);

/// The default of a schedule that was measured to be the fastest for the
/// problem and is preferred to those of the models.
std::optional<KernelConfig> findMeasuredDefault(const ConfigRequest &request,
                                                const ProblemInfo &sized);

} // namespace tcgemm

#endif // TCGEMM_LIB_MODEL_MODELTIMES_H
