//===- Family.h - The parts of schedule wgmma -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WGMMA_FAMILY_H
#define TCGEMM_LIB_CONFIG_WGMMA_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

const ScheduleFamily &getWgmmaFamily();

/// The implementations of the methods of the same names.
llvm::SmallVector<Violation> findWgmmaViolations(const KernelConfig &config,
                                                 const ChipInfo &chip,
                                                 const ProblemInfo &problem);
int64_t estimateWgmmaRegisters(const KernelConfig &config);
SharedMemoryPlan planWgmmaMemory(const KernelConfig &config,
                                 const ProblemInfo &problem);
std::optional<KernelConfig> proposeWgmmaDefault(const ConfigRequest &request,
                                                const ProblemInfo &sized);
double estimateWgmmaTime(const KernelConfig &config, const ChipInfo &chip,
                         const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WGMMA_FAMILY_H
