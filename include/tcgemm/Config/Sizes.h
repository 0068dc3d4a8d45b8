//===- Sizes.h - Sizes that follow from a configuration ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_SIZES_H
#define TCGEMM_CONFIG_SIZES_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Target/Chip.h"

namespace tcgemm {

/// A tile of A or B in shared memory: rows, and columns, which are contiguous.
struct TileShape {
  int64_t rows, columns;
};
TileShape getTileA(const KernelConfig &config, const ProblemInfo &problem);
TileShape getTileB(const KernelConfig &config, const ProblemInfo &problem);

/// Bytes of A (0) or B (1) that one copy to shared memory moves.
int64_t getCopyBytes(const KernelConfig &config, const ProblemInfo &problem,
                     unsigned operand);
/// Bytes that one copy moves of A (0) or B (1) where it is too badly aligned
/// for `copy_a` or `copy_b`; 0 if it is packed.
int64_t getUnalignedBytes(UnalignedPath path, const ProblemInfo &problem,
                          unsigned operand);

/// The shared memory of a CTA, in bytes.
struct SharedMemoryPlan {
  int64_t ring = 0;     ///< Stages of A's and B's tiles, with their barriers.
  int64_t exchange = 0; ///< Partial sums from the other CTAs of a cluster.
  int64_t inputs = 0;   ///< Tiles of the epilogue's inputs.
  int64_t scales = 0;   ///< Scales of blocks that warps have ahead.
  int64_t staging =
      0; ///< Output tiles, or sums of warps, before they are stored.
  /// True if the staging reuses the ring's memory.
  bool reusesRing = false;

  int64_t getTotal() const;
};
SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                  const ProblemInfo &problem);

/// Registers that a thread is estimated to need.
int64_t estimateRegisters(const KernelConfig &config,
                          const ProblemInfo &problem);
/// CTAs with `sharedBytes` each that one multiprocessor is estimated to hold
/// together, by registers, shared memory and threads; at least 1.
int64_t estimateResidents(const KernelConfig &config, const ChipInfo &chip,
                          const ProblemInfo &problem, int64_t sharedBytes);
/// The same for CTAs whose threads have `registers` each.
int64_t countResidents(const KernelConfig &config, const ChipInfo &chip,
                       int64_t registers, int64_t sharedBytes);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_SIZES_H
