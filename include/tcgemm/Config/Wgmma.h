//===- Wgmma.h - Sizes of schedule wgmma ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_WGMMA_H
#define TCGEMM_CONFIG_WGMMA_H

#include "tcgemm/Config/Sizes.h"

namespace tcgemm {

/// The groups of k whose scales the four lanes of a row load at once.
inline constexpr int64_t kLoadedGroups = 4;

/// Registers that setmaxnreg gives a thread of the producer.
int64_t getProducerRegisters(const KernelConfig &config,
                             const ProblemInfo &problem);
/// Registers that setmaxnreg gives a thread of the consumers; 0 if they keep
/// the number that the kernel starts with.
int64_t getConsumerRegisters(const KernelConfig &config,
                             const ProblemInfo &problem);
/// The matrices that `stage_inputs` stages: all stageable inputs; C, which beta
/// may leave out, only if it fits into shared memory beside the others.
int64_t countStagedInputs(const KernelConfig &config,
                          const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_WGMMA_H
