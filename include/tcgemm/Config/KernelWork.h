//===- KernelWork.h - The work of a kernel ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work consists of counts and bytes, but no speeds. Both models of a
// kernel's time start from it: the estimate behind the defaults, and the model
// with fitted constants (tcgemm/Model/AnalyticModel.h).
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_KERNELWORK_H
#define TCGEMM_CONFIG_KERNELWORK_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tcgemm {

/// How an epilogue stores its results.
enum class StorePath {
  Tma,      ///< By TMA from shared memory.
  Staged,   ///< By threads in full rows from shared memory.
  Elements, ///< The same, element by element: rows are not aligned.
  Rows,     ///< From registers; a thread has neighbours of a row.
  Columns   ///< From registers; a thread has neighbours of a column.
};

/// Bytes and counts are real numbers: their products exceed 64 bits.
struct KernelWork {
  /// A stage of a CTA multiplies `rowMacs` elements with each of `columns`
  /// columns of the instruction.
  double rowMacs = 0, columns = 0;
  /// Bytes that a stage of a CTA copies to shared memory.
  double stageBytes = 0;
  /// Bytes of the lines of the L2 cache that hold them. A cluster reads what
  /// its CTAs share once.
  double l2Bytes = 0;
  /// Those of `l2Bytes` that the next CTA in the order of tiles reads at the
  /// same time. The CTAs of a cluster share their copies instead.
  double neighbourBytes = 0;
  /// The part of the rows of A's tiles that lie outside A: the geometric mean
  /// of the parts of all tiles and of the last one.
  double outsidePart = 0;
  /// True if TMA fills the ring.
  bool copiesByTma = false;
  /// Rows of 128 bytes outside A and B in the boxes that TMA fills for a stage
  /// of a CTA: on average, and of the CTA that has the fewest.
  double outsideRows = 0, leastOutsideRows = 0;
  /// An instruction with fewer columns takes as long as one with these, because
  /// it reads its rows of A from shared memory; 0 if that is not known.
  double leastColumns = 0;
  /// Bytes that a stage of a CTA reads from shared memory as fragments.
  double fragmentBytes = 0;
  double stages = 0;     ///< The depth of the ring.
  double iterations = 0; ///< The stages that a CTA goes through.
  /// The same of the CTA with the fewest, and on average: slices of k differ.
  double leastIterations = 0, meanIterations = 0;
  double ctas = 0;
  /// The CTAs that are launched, of which each has some of `ctas` tiles.
  double launchedCtas = 0;
  double residents = 0;  ///< The CTAs that a processor holds together.
  double processors = 0; ///< The multiprocessors of the chip.
  double tileBytes = 0;  ///< Bytes of the lines that an epilogue moves.
  bool isPersistent = false, isPingpong = false;
  /// The warpgroups of a CTA that multiply; 1 where single warps do.
  double warpgroups = 1;
  StorePath storePath = StorePath::Rows;
  /// The warpgroups that store a tile together; 1 where others store it.
  double storeGroups = 1;
  double clusterSize = 1;
  /// Bytes that a CTA receives of the other CTAs' sums in its cluster.
  double exchangeBytes = 0;
  double inputBytes = 0;  ///< Bytes of A and B.
  double outputBytes = 0; ///< Bytes that the epilogue reads and writes.
  double dramBytes = 0;   ///< Bytes from and to memory.
  /// Bytes of a D beyond the L2 cache in pieces of 256 bytes that several CTAs
  /// write.
  double partialBytes = 0;
  double reduceBytes = 0; ///< Bytes of split K's partial sums, both ways.
  double packBytes = 0;   ///< Bytes of operands that are packed, both ways.
};

/// Asks the family of the schedule. All sizes of `problem` are known.
KernelWork describeWork(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);

/// Adds the time of all CTAs to `start`. `slots` CTAs run together; the last
/// wave has the CTAs that are left. `wave` returns the time of `count` CTAs on
/// each of `active` processors.
double addWaves(double start, const KernelWork &work, double slots,
                llvm::function_ref<double(double count, double active)> wave);

/// The multiply-adds of a stage, of which one of 32-bit elements counts as two
/// and one of 8-bit elements as half.
double countStageMacs(const KernelWork &work, const ProblemInfo &problem);

/// The slices of k of a tile whose CTAs follow each other: those of a cluster,
/// and of `split_k` if `slice_order` is `inner`.
int64_t countInnerSlices(const KernelConfig &config);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_KERNELWORK_H
