//===- Family.h - The parts of schedule wmma --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WMMA_FAMILY_H
#define TCGEMM_LIB_CONFIG_WMMA_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

const ScheduleFamily &getWmmaFamily();

/// The implementations of the methods of the same names.
llvm::SmallVector<Violation> findWmmaViolations(const KernelConfig &config,
                                                const ChipInfo &chip,
                                                const ProblemInfo &problem);
SharedMemoryPlan planWmmaMemory(const KernelConfig &config,
                                const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WMMA_FAMILY_H
