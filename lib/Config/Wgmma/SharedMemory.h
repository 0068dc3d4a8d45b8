//===- SharedMemory.h - Shared memory of a wgmma kernel ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WGMMA_SHAREDMEMORY_H
#define TCGEMM_LIB_CONFIG_WGMMA_SHAREDMEMORY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

/// Bytes of the stages and their barriers.
int64_t getRingBytes(const KernelConfig &config, const ProblemInfo &problem);
/// Bytes of the sums that the other CTAs of a cluster along k send, and of the
/// barrier that counts them.
int64_t getExchangeBytes(const KernelConfig &config);
/// Bytes of the scales that the consumers' warps have ahead.
int64_t getScalesBytes(const KernelConfig &config, const ProblemInfo &problem);
/// The rings of `count` inputs of the epilogue: a tile of each for every
/// warpgroup that has one of its own. The last box of a row may overlap the one
/// before it.
int64_t getInputBytes(const KernelConfig &config, const ProblemInfo &problem,
                      int64_t count);
/// Columns of a tile of sums that a CTA stores, as the instruction sees them.
int64_t getStoredColumns(const KernelConfig &config,
                         const ProblemInfo &problem);
/// Returns whether each row that a CTA stores through staging tiles is a
/// multiple of 16 bytes, which boxes of TMA are.
bool storesWholeChunks(const KernelConfig &config, const ProblemInfo &problem);
/// Bytes of the tiles that outputs are staged in.
int64_t getOutputBytes(const KernelConfig &config, const ProblemInfo &problem);

/// All of these.
SharedMemoryPlan planWgmmaMemory(const KernelConfig &config,
                                 const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WGMMA_SHAREDMEMORY_H
