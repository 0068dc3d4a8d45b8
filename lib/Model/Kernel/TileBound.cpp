//===- TileBound.cpp - Lower bounds of simulated times --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a kernel's simulated time (KernelModel.cpp) that no candidate
// with a tile can avoid.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Tile.h"
#include "tcgemm/Model/KernelModel.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

class TileBound {
public:
  TileBound(const Machine &machine, const KernelConfig &config,
            const ProblemInfo &problem, const KernelWork &work)
      : machine(machine), config(config), problem(problem), work(work) {}

  /// The bound in nanoseconds, of totals within a limit.
  double find(double limit) const;

private:
  /// Times in nanoseconds.
  struct TileParts {
    /// A stage of one CTA: its products, its copies into shared memory, and its
    /// part of all CTAs' copies out of the L2 cache.
    double math, copies, cache;
    double memory;  ///< All inputs out of memory.
    double latency; ///< A copy.
    double stores;  ///< The stores of a tile.
    double drain;   ///< Their way out of the multiprocessors.
  };
  double boundMath(double limit) const;
  double boundLatency() const;
  double boundLaunch() const;
  double boundMany(const TileParts &parts) const;
  double boundFew(const TileParts &parts) const;
  double boundSlices(double slices, const TileParts &parts) const;
  double boundSums(double slices, const TileParts &parts) const;
  double get(Quantity quantity) const { return machine.get(quantity); }

  const Machine &machine;
  const KernelConfig &config;
  const ProblemInfo &problem;
  const KernelWork &work;
};

} // namespace

/// The least time of a stage's products. The shorter a kernel is, the greater
/// is the share of its time in which the tensor cores multiply, and the lower
/// is the clock.
double TileBound::boundMath(double limit) const {
  double macs = countStageMacs(work, problem);
  double atLoad = macs / get(Quantity::MathRate);
  double loaded = get(Quantity::LoadedClock);
  double products = work.ctas * work.iterations * atLoad * loaded /
                    get(Quantity::Clock) / get(Quantity::Processors);
  double clock = getClock(machine, std::min(1.0, products / limit),
                          work.stageBytes / macs);
  return atLoad * loaded / clock;
}

/// Each processor multiplies and copies at least the stages of the CTAs that
/// the busiest one has.
double TileBound::find(double limit) const {
  TileParts parts;
  parts.math = boundMath(limit);
  double ofA = getTileBytes(config, problem, 0);
  double ofB = getTileBytes(config, problem, 1);
  double bytes = ofA + ofB;
  parts.copies = bytes / get(Quantity::CopyRate);
  // Candidates have clusters of at most two CTAs along M or N, which share one
  // of the operands.
  double together = getCacheTime(machine, 1), alone = getCacheTime(machine, 0);
  parts.cache = std::min(bytes * std::min(together, alone),
                         (bytes - std::max(ofA, ofB) / 2) * alone);
  parts.memory = work.inputBytes / get(Quantity::MemoryRate);
  parts.latency = boundLatency();
  double stored = countTileElements(config) * double(problem.epilogueBytes);
  // As by two warpgroups: with ping-pong, both store at the same time.
  parts.stores = stored / get(getStoreRate(work.storePath));
  parts.drain = stored *
                std::min({work.ctas, get(Quantity::Processors),
                          get(Quantity::ClusterProcessors)}) /
                get(Quantity::CacheRate);
  double main = work.ctas > get(Quantity::Processors) ? boundMany(parts)
                                                      : boundFew(parts);
  return boundLaunch() + get(Quantity::CtaPrologue) + parts.latency + main +
         get(Quantity::EpilogueStartup);
}

/// If all tiles run at the same time, no CTA has read a tile before. Slices of
/// k change nothing, because those of other tiles start before a tile's second
/// one.
double TileBound::boundLatency() const {
  double leastPlaces =
      std::min(get(Quantity::Processors), get(Quantity::ClusterProcessors));
  return work.ctas <= leastPlaces
             ? getLatency(machine, getWaitPart(config, problem))
             : std::min(get(Quantity::CopyLatency),
                        get(Quantity::MemoryLatency));
}

/// A cluster may leave processors idle and store a part of the tile in each
/// CTA, and slices of k are stored as sums.
double TileBound::boundLaunch() const {
  constexpr double sumBytes = 4, mostOfCluster = 4;
  double processors = get(Quantity::Processors);
  double ctas =
      std::min({work.ctas, processors, get(Quantity::ClusterProcessors)});
  double starts =
      std::min(get(Quantity::ClusterLaunch), get(Quantity::Launch)) +
      (ctas - processors) * get(Quantity::CtaLaunch);
  double stores = get(Quantity::StoreLaunch) - get(Quantity::Launch);
  double stored = countTileElements(config) *
                  std::min(sumBytes, double(problem.epilogueBytes)) /
                  mostOfCluster;
  if (stores > 0)
    stores -= (kStoreLaunchBytes - stored) / get(Quantity::LastStoreRate);
  return std::max(0.0, starts) + std::max(0.0, stores);
}

/// More tiles than processors: kernels are persistent, and nothing splits k. Of
/// two consumers, one may multiply while the other stores.
double TileBound::boundMany(const TileParts &parts) const {
  double ofBusiest = std::ceil(work.ctas / get(Quantity::Processors));
  double math = get(Quantity::MathStartup) + ofBusiest * parts.math;
  double copies = 2 * get(Quantity::CopyStartup) +
                  std::max(ofBusiest * parts.copies, work.ctas * parts.cache);
  double loop =
      std::max(work.iterations * std::max(math, copies), parts.memory);
  double ofTile = work.iterations * (get(Quantity::MathStartup) + parts.math);
  return std::max(loop + parts.stores, ofTile + ofBusiest * parts.stores) +
         parts.drain;
}

/// The least for any number of slices of k, although there are candidates of
/// some numbers only.
double TileBound::boundFew(const TileParts &parts) const {
  constexpr double mostSlices = 32;
  auto most =
      int64_t(std::min(mostSlices, 2 * get(Quantity::Processors) / work.ctas));
  double least = boundSlices(1, parts) + parts.stores + parts.drain;
  for (int64_t slices = 2; slices <= most; ++slices) {
    double loop = boundSlices(double(slices), parts);
    if (loop < least)
      least = std::min(least, loop + boundSums(double(slices), parts));
  }
  return least;
}

/// The loops of a tile's slices.
double TileBound::boundSlices(double slices, const TileParts &parts) const {
  constexpr double mostStages = 8, leastStages = 2;
  double processors = get(Quantity::Processors);
  double ctas = work.ctas * slices;
  double iterations = std::ceil(work.iterations / slices);
  double ofBusiest = ctas > processors ? 2 : 1;
  double inFlight = std::min(ctas, processors);
  double math = get(Quantity::MathStartup) + ofBusiest * parts.math;
  double copies = 2 * get(Quantity::CopyStartup) +
                  std::max({ofBusiest * parts.copies, inFlight * parts.cache,
                            parts.memory * inFlight / (ctas * iterations)});
  // The slots of a persistent kernel's ring may be of its next tile.
  double stages = ofBusiest > 1
                      ? mostStages
                      : std::clamp(iterations, leastStages, mostStages);
  double rounds = std::floor((iterations - 1) / stages);
  double ring = rounds * (math + copies + parts.latency);
  double slowest = std::max(math, copies);
  // Two CTAs of a processor may follow each other or share it.
  if (ofBusiest > 1)
    return std::max(iterations * slowest, ring);
  return copies + std::max((iterations - 1) * slowest, ring) + math;
}

/// The stores of slices and their sum, by a second kernel or in a cluster.
double TileBound::boundSums(double slices, const TileParts &parts) const {
  constexpr double sumBytes = 4, mostOfCluster = 4;
  double results =
      double(problem.batch) * double(problem.m) * double(problem.n);
  Quantity path =
      getStoreRate(config.swapAB ? StorePath::Columns : StorePath::Rows);
  double bySecond = get(Quantity::ReductionLaunch) +
                    results *
                        (slices * sumBytes + double(problem.epilogueBytes)) /
                        get(Quantity::ReductionRate) +
                    countTileElements(config) * sumBytes / get(path);
  if (slices > mostOfCluster || work.ctas * slices > get(Quantity::Processors))
    return bySecond;
  double inCluster = get(Quantity::ExchangeStartup) +
                     (slices - 1) * sumBytes * countTileElements(config) /
                         slices / get(Quantity::ExchangeRate) +
                     parts.stores / slices;
  return std::min(bySecond, inCluster);
}

Picoseconds boundTileTotal(const Machine &machine, const KernelConfig &tile,
                           const ProblemInfo &problem, const KernelWork &work,
                           Picoseconds limit) {
  constexpr double perNanosecond = 1000;
  double bound = TileBound(machine, tile, problem, work)
                     .find(double(limit) / perNanosecond);
  // Each of an event's parts is rounded to whole picoseconds.
  constexpr double rounding = 1 - 1e-4;
  return Picoseconds(bound * rounding * perNanosecond);
}

} // namespace tcgemm
