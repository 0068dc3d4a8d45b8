//===- KernelModel.h - The simulated time of a wgmma kernel -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulation of tcgemm/Model/Pipeline.h, which is of one CTA, for all CTAs
// of a kernel:
//
// * Waves. Without `persistent`, CTAs with one tile each follow each other; the
//   last wave has those that are left. Persistent CTAs compute
//   ceil(tiles / CTAs) tiles; only some of them have the last one. Clusters of
//   four have no place on some multiprocessors; where a persistent kernel
//   launches more of them than have a place, the rest starts when the first
//   ones have ended.
// * The launch. CTAs start one after the other. A kernel ends when the stores
//   of the last tile have reached the L2 cache, the later the larger the tile
//   is.
// * Shared rates. Of the multiprocessor's copies and products, each of its CTAs
//   has a part; of the L2 cache and of memory, each CTA in flight has. A copy
//   is as long as the slowest of the three. A cluster reads what it shares
//   once. The L2 cache answers requests of CTAs in step together, and so it has
//   another rate for clusters and for kernels with more tiles than places. Rows
//   of a box outside its operand cost a multiprocessor time of their own.
// * Memory. A kernel takes at least as long as memory needs for all its bytes.
// * Slices of k, which a second kernel sums, and which a cluster exchanges.
// * Paths of stores. TMA stores a tile on its own; threads store in full rows
//   from shared memory, element by element, or from registers. Each path has
//   its rate.
// * Data in memory. Until memory has answered, a copy takes longer than one of
//   data that the L2 cache holds. A tile of A or B is in the cache after the
//   first CTAs that copy it. Those that copy it at the same time wait for a
//   part of that time.
// * Narrow instructions, which take as long as those with 32 columns.
// * The clock. It falls from `clock` to `loaded_clock` with the part of the
//   time in which the tensor cores multiply. Products get slower with it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_KERNELMODEL_H
#define TCGEMM_MODEL_KERNELMODEL_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Model/Machine.h"
#include "tcgemm/Model/Pipeline.h"
#include "tcgemm/Target/Chip.h"
#include <limits>

namespace tcgemm {

struct KernelPrediction {
  /// Until the first CTAs start, and from the end of the last one until its
  /// stores have reached the L2 cache.
  Picoseconds launch = 0;
  Picoseconds waves = 0;     ///< From there to the end of the last CTA.
  Picoseconds packing = 0;   ///< The kernel that packs operands before.
  Picoseconds reduction = 0; ///< The second kernel, with slices of k.
  /// The part of `waves` in which the tensor cores of all multiprocessors
  /// multiply, 0 to 1, and the clock in GHz.
  double tensorShare = 0, clock = 0;
  /// A CTA of the first wave: its events, and the times and the form from which
  /// they follow.
  PipelineTrace first;
  CtaTimes firstTimes;
  PipelineShape firstShape;

  Picoseconds getTotal() const { return packing + launch + waves + reduction; }
};

/// Where A and B are when a kernel starts. Tuners measure with cold caches.
enum class DataPlace { Memory, Cache };

/// The rate of a path of stores, of one multiprocessor.
Quantity getStoreRate(StorePath path);

/// Simulates the kernel of a legal `config` for a problem whose sizes are
/// known. The kernel that packs operands is described as one that sums slices:
/// both only move bytes. Errors: another schedule; copies by cp.async, operands
/// that are split, converted or mapped, and promoted sums, which the model does
/// not describe; numbers outside the simulator's ranges.
llvm::Expected<KernelPrediction>
predictKernel(const Machine &machine, const ChipInfo &chip,
              const KernelConfig &config, const ProblemInfo &problem,
              DataPlace place = DataPlace::Memory);

/// The total of that prediction with data in memory; none if the model does not
/// describe the kernel.
std::optional<Picoseconds> findKernelTime(const Machine &machine,
                                          const ChipInfo &chip,
                                          const KernelConfig &config,
                                          const ProblemInfo &problem);

/// The derivatives of that time's logarithm by those of the machine's
/// quantities, counts left out: the part of the time that each stands for, with
/// the sign of its effect. They are differences over a step as large as speeds
/// are uncertain, because the time is a maximum of others: a limit that is
/// almost reached counts, too. Zeros if the model does not describe the kernel.
std::vector<double> getSensitivities(const Machine &machine,
                                     const ChipInfo &chip,
                                     const KernelConfig &config,
                                     const ProblemInfo &problem);

/// The total of that prediction with data in memory, without its trace, for a
/// configuration with the given work. It does not check whether the
/// configuration is legal. If the total is above `limit`, the result is some
/// time above it.
llvm::Expected<Picoseconds>
predictTotal(const Machine &machine, const KernelConfig &config,
             const ProblemInfo &problem, const KernelWork &work,
             Picoseconds limit = std::numeric_limits<Picoseconds>::max());

/// A time that the totals of all candidates with a tile
/// (ScheduleFamily::visitTile) do not fall below, if they are within `limit`;
/// otherwise the totals and this time are above `limit`. `work` is that of
/// `tile`, the one with a single slice of k and without clusters.
Picoseconds
boundTileTotal(const Machine &machine, const KernelConfig &tile,
               const ProblemInfo &problem, const KernelWork &work,
               Picoseconds limit = std::numeric_limits<Picoseconds>::max());

/// The clock in GHz of a kernel whose tensor cores multiply for a part of its
/// time, 0 to 1. Copies need power, too: the more bytes are copied to shared
/// memory for a multiply-add, `bytesPerMac`, the lower is the clock. A
/// multiply-add of 32-bit elements counts as two, one of 8-bit elements as
/// half.
double getClock(const Machine &machine, double tensorShare, double bytesPerMac);

} // namespace tcgemm

#endif // TCGEMM_MODEL_KERNELMODEL_H
