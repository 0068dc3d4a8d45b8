//===- Family.h - The parts of schedule mma_sync ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_MMASYNC_FAMILY_H
#define TCGEMM_LIB_CONFIG_MMASYNC_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

const ScheduleFamily &getMmaSyncFamily();

/// The implementations of the methods of the same names.
llvm::SmallVector<Violation> findMmaSyncViolations(const KernelConfig &config,
                                                   const ChipInfo &chip,
                                                   const ProblemInfo &problem);
SharedMemoryPlan planMmaSyncMemory(const KernelConfig &config,
                                   const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_MMASYNC_FAMILY_H
