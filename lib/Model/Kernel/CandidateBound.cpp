//===- CandidateBound.cpp - Bounds of candidates' simulated times ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of KernelModel.cpp. What they take from a candidate's
// work is replaced by what follows from the tile's, which is not more.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/CandidateBound.h"
#include "Kernel/Tile.h"
#include "tcgemm/Model/KernelModel.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {

/// The first wave of CTAs.
struct CandidateBound::Wave {
  double ctas;
  Sharing usual, last; ///< Before the last tile of a CTA, and from there on.
  double count, tiles; ///< Waves of this length, and tiles of each CTA.
  double late = 0;     ///< The CTAs of a last wave that is not full.
  double iterations;   ///< The stages of a tile.
};

CandidateBound::CandidateBound(const Machine &machine, const KernelConfig &tile,
                               const ProblemInfo &problem,
                               const KernelWork &work)
    : machine(machine), problem(problem), work(work),
      bytesOfA(getTileBytes(tile, problem, 0)),
      bytesOfB(getTileBytes(tile, problem, 1)),
      elements(countTileElements(tile)), processors(get(Quantity::Processors)) {
  copies = (bytesOfA + bytesOfB) / get(Quantity::CopyRate);
  reads = work.inputBytes / get(Quantity::MemoryRate);
  stores = work.outputBytes / get(Quantity::MemoryStoreRate);
  double macs = countStageMacs(work, problem);
  macTime = macs / get(Quantity::MathRate);
  bytesPerMac = work.stageBytes / macs;
}

CandidateBound::Wave CandidateBound::describeWave(const KernelConfig &config,
                                                  double residents) const {
  double cluster = double(config.getClusterSize());
  double slices = double(config.splitK * config.wgmma.cluster[2]);
  double ctas = work.ctas * slices;
  double places =
      residents * (config.getClusterSize() % 4 == 0
                       ? std::min(processors, get(Quantity::ClusterProcessors))
                       : processors);
  double launched = ctas;
  if (config.persistent) {
    double most = processors * double(std::max<int64_t>(1, config.minCtas));
    launched =
        std::min(ctas, std::max(1.0, std::floor(most / cluster)) * cluster);
  }
  Wave wave;
  wave.ctas = ctas;
  wave.usual = wave.last = getSharing(machine, std::min(launched, places));
  wave.count = std::max(1.0, std::floor(launched / places));
  if (launched <= places) {
    wave.tiles = std::ceil(ctas / launched);
    wave.last = getSharing(machine, ctas - (wave.tiles - 1) * launched);
  } else {
    wave.tiles = std::floor(ctas / launched);
    wave.late = launched - wave.count * places;
  }
  wave.iterations = std::ceil(work.iterations / slices);
  return wave;
}

double CandidateBound::getLaunch(const KernelConfig &config,
                                 const Wave &wave) const {
  double starts = get(config.getClusterSize() > 1 ? Quantity::ClusterLaunch
                                                  : Quantity::Launch) +
                  (wave.usual.inFlight - processors) * get(Quantity::CtaLaunch);
  double ends = get(Quantity::StoreLaunch) - get(Quantity::Launch);
  if (ends > 0)
    ends -= (kStoreLaunchBytes - getStoredBytes(config, problem)) /
            get(Quantity::LastStoreRate);
  return std::max(0.0, starts) + std::max(0.0, ends);
}

/// Before the first epilogue nothing is stored, and no more than the inputs of
/// the first tiles are read.
double CandidateBound::getMemoryTime(const KernelConfig &config,
                                     const Wave &wave, double clock) const {
  double begun = wave.usual.inFlight / wave.ctas;
  Wave begin = wave;
  begin.tiles = 1;
  begin.last = begin.usual;
  double first = getLoop(config, begin, clock);
  return std::max(reads, first + (1 - begun) * reads) + stores;
}

CandidateBound::StageTimes CandidateBound::getStage(const KernelConfig &config,
                                                    const Wave &wave,
                                                    const Sharing &sharing,
                                                    double clock) const {
  auto [clusterM, clusterN, clusterK] = config.wgmma.cluster;
  StageTimes times;
  times.math = get(Quantity::MathStartup) +
               macTime * sharing.residents * get(Quantity::LoadedClock) / clock;
  bool hasMoreTiles = wave.ctas > wave.usual.inFlight;
  double ofCache = (bytesOfA / double(clusterN) + bytesOfB / double(clusterM)) *
                   getCacheTime(machine, getSharedPart(config, hasMoreTiles));
  times.copy =
      2 * get(Quantity::CopyStartup) +
      std::max({copies * sharing.residents, ofCache * sharing.inFlight,
                reads * sharing.inFlight / (wave.ctas * wave.iterations)});
  times.fill =
      times.copy + getMemoryLatency(machine, config, problem, sharing.inFlight);
  return times;
}

/// From the start of a CTA to its last product: boundPipeline, in real numbers.
double CandidateBound::getLoop(const KernelConfig &config, const Wave &wave,
                               double clock) const {
  StageTimes usual = getStage(config, wave, wave.usual, clock);
  StageTimes last = wave.last.inFlight == wave.usual.inFlight
                        ? usual
                        : getStage(config, wave, wave.last, clock);
  double stages = wave.iterations, before = (wave.tiles - 1) * stages;
  double products = usual.fill + before * usual.math + (stages - 1) * last.math;
  if (!config.wgmma.pingpong)
    products += (wave.tiles - 1) * getStores(config, wave.usual);
  else if (passesSharedMemory(work.storePath))
    products += (wave.tiles - 1) *
                getSharedMemoryTime(machine, getStoredBytes(config, problem) *
                                                 wave.usual.residents);
  double loop = std::max(products, before * usual.copy +
                                       (stages - 1) * last.copy + last.fill);
  // The stages that have the slot of the last one.
  auto depth = double(config.stages);
  double inAll = std::floor((before + stages - 1) / depth) + 1;
  double inLast = std::floor((stages - 1) / depth) + 1;
  loop = std::max(loop, (inAll - inLast) * (usual.fill + usual.math) +
                            inLast * (last.fill + last.math) - last.math);
  return get(Quantity::CtaPrologue) + loop + last.math;
}

/// From the start of a CTA to the end of its stores.
double CandidateBound::getLength(const KernelConfig &config, const Wave &wave,
                                 double clock) const {
  double drain = getStoredBytes(config, problem) * wave.last.inFlight /
                 get(Quantity::CacheRate);
  return getLoop(config, wave, clock) + getStores(config, wave.last) + drain;
}

/// A tile's epilogue.
double CandidateBound::getStores(const KernelConfig &config,
                                 const Sharing &sharing) const {
  StorePath direct = config.swapAB ? StorePath::Columns : StorePath::Rows;
  StorePath path = config.splitK > 1 ? direct : work.storePath;
  double time = get(Quantity::EpilogueStartup) +
                getStoredBytes(config, problem) * sharing.residents /
                    getStoreRate(machine, config, path);
  constexpr double sumBytes = 4;
  if (config.wgmma.cluster[2] > 1)
    time += get(Quantity::ExchangeStartup) +
            double(config.wgmma.cluster[2] - 1) * sumBytes * elements /
                double(config.getSumParts()) * sharing.residents /
                get(Quantity::ExchangeRate);
  return time;
}

double CandidateBound::getReduction(const KernelConfig &config) const {
  constexpr double sumBytes = 4;
  if (config.splitK == 1)
    return 0;
  double results =
      double(problem.batch) * double(problem.m) * double(problem.n);
  return get(Quantity::ReductionLaunch) +
         results *
             (double(config.splitK) * sumBytes +
              double(problem.epilogueBytes)) /
             get(Quantity::ReductionRate);
}

Picoseconds CandidateBound::find(const KernelConfig &config, int64_t residents,
                                 Picoseconds limit) const {
  // Each of an event's parts is rounded to whole picoseconds.
  constexpr double rounding = 1 - 1e-4, perNanosecond = 1000;
  Wave wave = describeWave(config, double(residents));
  double others = getLaunch(config, wave) + getReduction(config);
  double left = double(limit) / perNanosecond - others * rounding;
  if (left <= 0)
    return Picoseconds(others * rounding * perNanosecond);
  // The tensor cores' share of a kernel that ends within the limit.
  double math = get(Quantity::MathStartup) +
                macTime * get(Quantity::LoadedClock) / get(Quantity::Clock);
  double products = rounding * wave.ctas * wave.iterations * math;
  double share = std::min(1.0, products / (left * processors));
  double clock = getClock(machine, share, bytesPerMac);
  double waves = wave.count * getLength(config, wave, clock);
  if (wave.late > 0) {
    Wave late = wave;
    late.usual = late.last = getSharing(machine, wave.late);
    waves += getLength(config, late, clock);
  }
  waves = std::max(waves, getMemoryTime(config, wave, clock));
  return Picoseconds((waves + others) * rounding * perNanosecond);
}

} // namespace tcgemm
