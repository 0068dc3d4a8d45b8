//===- Multistage.h - Kernels with a cp.async ring --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes, the estimate and the search for a default that mma_sync and wmma
// share; simt shares the size of the ring.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_MULTISTAGE_H
#define TCGEMM_LIB_CONFIG_COMMON_MULTISTAGE_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Config/Sizes.h"

namespace tcgemm {

/// Bytes of the ring: stages of both tiles, each aligned to 128. The rows of a
/// tile that `padA` or `padB` names have 16 bytes more.
int64_t getRingBytes(const KernelConfig &config, const ProblemInfo &problem,
                     bool padA, bool padB);

/// Microseconds of a product; see ScheduleFamily::estimateTime.
double estimateMultistageTime(const KernelConfig &config, const ChipInfo &chip,
                              const ProblemInfo &problem,
                              const KernelWork &work);

/// The choices of the search for a default, which differ by schedule.
struct MultistageSearch {
  InstructionKind kind;
  bool triesSectors;       ///< The shared-memory layout `sectors`.
  bool stagesFirst;        ///< Prefers staged stores to direct ones.
  bool splitsK;            ///< Slices of k through a workspace.
  bool loadsEarly = false; ///< Prefers early inputs and direct stores.
};

/// See ScheduleFamily::proposeDefault.
std::optional<KernelConfig>
proposeMultistageDefault(const ConfigRequest &request,
                         const ProblemInfo &problem,
                         const MultistageSearch &search);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_MULTISTAGE_H
