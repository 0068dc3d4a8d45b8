//===- Family.h - The parts of schedule gemv --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_GEMV_FAMILY_H
#define TCGEMM_LIB_CONFIG_GEMV_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

const ScheduleFamily &getGemvFamily();

/// The implementations of the methods of the same names.
llvm::SmallVector<Violation> findGemvViolations(const KernelConfig &config,
                                                const ChipInfo &chip,
                                                const ProblemInfo &problem);
int64_t estimateGemvRegisters(const KernelConfig &config);
SharedMemoryPlan planGemvMemory(const KernelConfig &config,
                                const ProblemInfo &problem);
std::optional<KernelConfig> proposeGemvDefault(const ConfigRequest &request,
                                               const ProblemInfo &sized);
double estimateGemvTime(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_GEMV_FAMILY_H
