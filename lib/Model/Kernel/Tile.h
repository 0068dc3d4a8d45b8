//===- Tile.h - The sizes of a CTA's tiles ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_MODEL_KERNEL_TILE_H
#define TCGEMM_LIB_MODEL_KERNEL_TILE_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Model/Machine.h"

#include <algorithm>
#include <cmath>

namespace tcgemm {

/// The bytes of a stage's tile of A (0) or B (1).
inline double getTileBytes(const KernelConfig &config,
                           const ProblemInfo &problem, unsigned operand) {
  return double(config.cta[operand]) * double(config.cta[2]) *
         double(problem.getBits(operand)) / 8;
}

/// The numbers of CTAs that share the fullest multiprocessor, and the L2 cache
/// and memory.
struct Sharing {
  double residents = 0, inFlight = 0;
};

/// Counts them for `ctas` CTAs that run at the same time.
inline Sharing getSharing(const Machine &machine, double ctas) {
  return {std::ceil(ctas / machine.get(Quantity::Processors)), ctas};
}

/// The elements of a tile of D.
inline double countTileElements(const KernelConfig &config) {
  return double(config.cta[0]) * double(config.cta[1]);
}

/// The tiles of D along M or N.
inline double countTilesAlong(const KernelConfig &config, int64_t size,
                              unsigned side) {
  return std::ceil(double(size) / double(config.cta[side]));
}

/// The part of all tiles, 0 to 1, whose CTAs are the first to copy their rows
/// of A or their columns of B. `inFlight` CTAs run at the same time and have
/// the tiles of a band, which is raster_group tiles wide. Later CTAs find the
/// rows and columns of that band in the cache.
inline double getFirstReadPart(const KernelConfig &config,
                               const ProblemInfo &problem, double inFlight) {
  double tilesM = countTilesAlong(config, problem.m, 0);
  double tilesN = countTilesAlong(config, problem.n, 1);
  bool isAlongM = config.raster == RasterOrder::AlongM;
  double along = isAlongM ? tilesM : tilesN,
         across = isAlongM ? tilesN : tilesM;
  double tiles = std::clamp(inFlight / double(countInnerSlices(config)), 1.0,
                            along * across);
  double bandAlong = std::min({along, double(config.rasterGroup), tiles});
  double bandAcross = std::min(across, tiles / bandAlong);
  bandAlong = std::clamp(tiles / bandAcross, bandAlong, along);
  return 1 - (1 - bandAcross / across) * (1 - bandAlong / along);
}

/// The part of memory's latency, 0 to 1, that a stage waits for on average if
/// no CTA has read its tiles before. Of the CTAs that copy the same tile, one
/// is the first, and the others ask at any time while memory answers. They
/// wait for the rest of that time, which is uniformly distributed. A stage
/// waits for the later one of its copies: if a and b are the probabilities of
/// being the first, the mean of the maximum is 1 - (1 - a)(1 - b) / 3.
inline double getWaitPart(const KernelConfig &config,
                          const ProblemInfo &problem) {
  double firstOfA = 1 / countTilesAlong(config, problem.n, 1);
  double firstOfB = 1 / countTilesAlong(config, problem.m, 0);
  return 1 - (1 - firstOfA) * (1 - firstOfB) / 3;
}

/// The latency in nanoseconds if memory's part of it, 0 to 1, is waited for.
inline double getLatency(const Machine &machine, double memoryPart) {
  double ofCache = machine.get(Quantity::CopyLatency);
  return ofCache +
         memoryPart * (machine.get(Quantity::MemoryLatency) - ofCache);
}

/// The nanoseconds from the end of a copy until its bytes have arrived, on
/// average over all copies of data that are in memory at first.
inline double getMemoryLatency(const Machine &machine,
                               const KernelConfig &config,
                               const ProblemInfo &problem, double inFlight) {
  return getLatency(machine, getFirstReadPart(config, problem, inFlight) *
                                 getWaitPart(config, problem));
}

/// The bytes of a tile that one CTA stores. The CTAs that split k in a cluster
/// store a part of the tile each, and slices of k are stored as sums.
inline double getStoredBytes(const KernelConfig &config,
                             const ProblemInfo &problem) {
  constexpr double sumBytes = 4;
  double elements = countTileElements(config) / double(config.getSumParts());
  return elements *
         (config.splitK > 1 ? sumBytes : double(problem.epilogueBytes));
}

/// The rate of a path of stores of one multiprocessor. Those by threads are
/// measured with two warpgroups that store a tile together; one alone has half
/// of the threads.
inline double getStoreRate(const Machine &machine, const KernelConfig &config,
                           StorePath path) {
  constexpr double measuredGroups = 2;
  double rate = machine.get(getStoreRate(path));
  return path == StorePath::Tma
             ? rate
             : rate *
                   std::min(1.0, double(config.getSharers()) / measuredGroups);
}

/// Returns whether the results of a path go by way of shared memory.
inline bool passesSharedMemory(StorePath path) {
  return path != StorePath::Rows && path != StorePath::Columns;
}

/// The nanoseconds in which shared memory takes an epilogue's results from
/// registers and gives them to TMA or to threads. Its rate is that of copies.
inline double getSharedMemoryTime(const Machine &machine, double bytes) {
  return 2 * bytes / machine.get(Quantity::CopyRate);
}

/// The part of a kernel's requests, 0 to 1, that the L2 cache answers as fast
/// as where `cache_rate` is measured. The others are as fast as where
/// `unshared_rate` is measured, which is in clusters. CTAs that all run at the
/// same time are in step, so that their requests for a tile are answered
/// together. If there are more tiles than places for CTAs, CTAs drift apart.
/// Half of their requests are assumed to be answered together.
inline double getSharedPart(const KernelConfig &config,
                            bool hasMoreTilesThanPlaces) {
  constexpr double ofDrifting = 0.5;
  if (config.getClusterSize() > 1)
    return 0;
  return hasMoreTilesThanPlaces ? ofDrifting : 1;
}

/// The nanoseconds in which the L2 cache answers a byte that a CTA in flight
/// requests, if a part of the requests, 0 to 1, takes the time of `cache_rate`.
inline double getCacheTime(const Machine &machine, double sharedPart) {
  return sharedPart / machine.get(Quantity::CacheRate) +
         (1 - sharedPart) / machine.get(Quantity::UnsharedRate);
}

} // namespace tcgemm

#endif // TCGEMM_LIB_MODEL_KERNEL_TILE_H
