//===- Family.h - The parts of schedule simt --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_SIMT_FAMILY_H
#define TCGEMM_LIB_CONFIG_SIMT_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

const ScheduleFamily &getSimtFamily();

/// The implementations of the methods of the same names.
llvm::SmallVector<Violation> findSimtViolations(const KernelConfig &config,
                                                const ChipInfo &chip,
                                                const ProblemInfo &problem);
int64_t estimateSimtRegisters(const KernelConfig &config);
std::optional<KernelConfig> proposeSimtDefault(const ConfigRequest &request,
                                               const ProblemInfo &sized);
double estimateSimtTime(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_SIMT_FAMILY_H
