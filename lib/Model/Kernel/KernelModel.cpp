//===- KernelModel.cpp - The simulated time of a wgmma kernel -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/KernelModel.h"
#include "Kernel/Tile.h"
#include "tcgemm/Config/Legality.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// Waves of equal length: how many there are, and a CTA of one of them.
struct Waves {
  Picoseconds count;
  Sharing first, last; ///< Before the last tile of a CTA, and from there on.
  CtaTimes times;
  PipelineShape shape;
};

class KernelModel {
public:
  KernelModel(const Machine &machine, const KernelConfig &config,
              const ProblemInfo &problem, DataPlace place,
              const KernelWork &work)
      : machine(machine), config(config), problem(problem), place(place),
        work(work), stageMacs(countStageMacs(work, problem)),
        places(countPlaces()) {}

  Expected<KernelPrediction> predict();
  Expected<Picoseconds> predictTotal(Picoseconds limit);

private:
  double get(Quantity quantity) const { return machine.get(quantity); }
  double getInputBytes() const;
  double countPlaces() const;
  Picoseconds getLaunch() const;
  Picoseconds getMemoryTime(Picoseconds firstEpilogue) const;
  Picoseconds getCopyTime(unsigned operand, const Sharing &sharing) const;
  double getTensorTime(double clock) const;
  Picoseconds getMathTime(double residents, double clock) const;
  Picoseconds getEpilogueTime(double bytes, double residents) const;
  PipelineTimes getTimes(const Sharing &sharing) const;
  void addWaves(double count, double ctas, int64_t tiles, double lastCtas);
  void setWaves();
  /// The time of all CTAs at a clock. `getEnd` returns the end of a CTA of such
  /// waves, or fails.
  template <typename GetEnd>
  Expected<Picoseconds> sumWaves(double clock, GetEnd getEnd);
  Picoseconds getReduction() const;
  Picoseconds getPacking() const;
  double getTensorShare(Picoseconds waves, double clock) const;
  double getClock(double tensorShare) const {
    return tcgemm::getClock(machine, tensorShare, work.stageBytes / stageMacs);
  }

  const Machine &machine;
  const KernelConfig &config;
  const ProblemInfo &problem;
  const DataPlace place;
  const KernelWork &work;
  const double stageMacs; ///< countStageMacs
  const double places;    ///< The CTAs that run at the same time.
  /// All full waves, and the last one. The times of products are those of the
  /// last clock that was asked for.
  SmallVector<Waves, 2> waves;
};

} // namespace

double getClock(const Machine &machine, double tensorShare,
                double bytesPerMac) {
  double highest = machine.get(Quantity::Clock);
  // The time of a multiply-add with such copies over that without copies.
  double whereMeasured = highest / machine.get(Quantity::BusyClock);
  double here = 1 + (whereMeasured - 1) * bytesPerMac / kBusyBytesPerMac;
  double loaded = machine.get(Quantity::LoadedClock) * whereMeasured / here;
  return highest - tensorShare * (highest - loaded);
}

Quantity getStoreRate(StorePath path) {
  switch (path) {
  case StorePath::Tma:
    return Quantity::EpilogueRate;
  case StorePath::Staged:
    return Quantity::StagedRate;
  case StorePath::Elements:
    return Quantity::ElementRate;
  case StorePath::Rows:
    return Quantity::RowRate;
  case StorePath::Columns:
    return Quantity::ColumnRate;
  }
  llvm_unreachable("covered switch");
}

/// The bytes of A and B that are read from memory.
double KernelModel::getInputBytes() const {
  return place == DataPlace::Memory
             ? std::max(0.0, work.dramBytes - work.outputBytes)
             : 0;
}

/// The number of multiprocessors in a group is seldom a multiple of four.
double KernelModel::countPlaces() const {
  double processors = get(Quantity::Processors);
  if (config.getClusterSize() % 4 == 0)
    processors = std::min(processors, get(Quantity::ClusterProcessors));
  return work.residents * processors;
}

/// `launch` is that of a CTA for each multiprocessor, and `store_launch` that
/// of a tile of kStoreLaunchBytes.
Picoseconds KernelModel::getLaunch() const {
  double all =
      get(work.clusterSize > 1 ? Quantity::ClusterLaunch : Quantity::Launch);
  double more = std::min(work.launchedCtas, places) - get(Quantity::Processors);
  double starts = std::max(0.0, all + more * get(Quantity::CtaLaunch));
  double stores = get(Quantity::StoreLaunch) - get(Quantity::Launch);
  // Older files say nothing of the last stores.
  if (stores > 0)
    stores -= (kStoreLaunchBytes - getStoredBytes(config, problem)) /
              get(Quantity::LastStoreRate);
  return toPicoseconds(starts + std::max(0.0, stores));
}

/// The time in which memory moves all bytes of the kernel. Before the first
/// epilogue nothing is stored, and no more than the inputs of the first tiles
/// are read. Results that the L2 cache keeps are written while the next kernel
/// runs, so that they count, too.
Picoseconds KernelModel::getMemoryTime(Picoseconds firstEpilogue) const {
  if (place != DataPlace::Memory)
    return 0;
  double reads = getInputBytes() / get(Quantity::MemoryRate);
  double stores = work.outputBytes / get(Quantity::MemoryStoreRate);
  double begun = std::min(work.launchedCtas, places) / work.ctas;
  return std::max(toPicoseconds(reads + stores),
                  firstEpilogue + toPicoseconds((1 - begun) * reads + stores));
}

Picoseconds KernelModel::getCopyTime(unsigned operand,
                                     const Sharing &sharing) const {
  double bytes = getTileBytes(config, problem, operand);
  double ofCache = bytes / double(config.wgmma.cluster[1 - operand]);
  bool hasMoreTiles = work.ctas > std::min(work.launchedCtas, places);
  double cacheTime = getCacheTime(machine, getSharedPart(config, hasMoreTiles));
  // The inputs' bytes from memory and the rows outside of the inputs, spread
  // over all stages and copies.
  double part = bytes / work.stageBytes;
  double fromMemory = getInputBytes() / (work.ctas * work.iterations) * part;
  double outside = work.outsideRows * part * get(Quantity::OutsideRow);
  double slowest =
      std::max({(bytes / get(Quantity::CopyRate) + outside) * sharing.residents,
                ofCache * sharing.inFlight * cacheTime,
                fromMemory * sharing.inFlight / get(Quantity::MemoryRate)});
  return toPicoseconds(get(Quantity::CopyStartup) + slowest);
}

/// The nanoseconds of a stage's multiply-adds without their startup.
double KernelModel::getTensorTime(double clock) const {
  double slower = get(Quantity::LoadedClock) / clock;
  return stageMacs / get(Quantity::MathRate) * slower;
}

/// Copies write a stage to shared memory while products read another one.
/// `shared_rate` is that of a rested board.
Picoseconds KernelModel::getMathTime(double residents, double clock) const {
  double slower = get(Quantity::Clock) / clock;
  double shared = 2 * work.stageBytes / get(Quantity::SharedRate) * slower;
  return toPicoseconds(get(Quantity::MathStartup) +
                       std::max(getTensorTime(clock), shared) * residents);
}

/// The CTAs of a cluster that splits k exchange their sums before.
Picoseconds KernelModel::getEpilogueTime(double bytes, double residents) const {
  double time =
      get(Quantity::EpilogueStartup) +
      bytes * residents / getStoreRate(machine, config, work.storePath);
  if (work.exchangeBytes > 0)
    time += get(Quantity::ExchangeStartup) +
            work.exchangeBytes * residents / get(Quantity::ExchangeRate);
  return toPicoseconds(time);
}

/// All times but that of a product.
PipelineTimes KernelModel::getTimes(const Sharing &sharing) const {
  PipelineTimes times;
  times.ring.copyA = getCopyTime(0, sharing);
  times.ring.copyB = getCopyTime(1, sharing);
  double bytes = getStoredBytes(config, problem);
  times.ring.epilogue = getEpilogueTime(bytes, sharing.residents);
  times.latency = toPicoseconds(
      place == DataPlace::Memory
          ? getMemoryLatency(machine, config, problem, sharing.inFlight)
          : get(Quantity::CopyLatency));
  if (config.wgmma.cluster[0] * config.wgmma.cluster[1] > 1)
    times.release = toPicoseconds(get(Quantity::SlotRelease));
  times.drain =
      toPicoseconds(bytes * sharing.inFlight / get(Quantity::CacheRate));
  times.prologue = toPicoseconds(get(Quantity::CtaPrologue));
  if (config.wgmma.pingpong && passesSharedMemory(work.storePath))
    times.hold =
        toPicoseconds(getSharedMemoryTime(machine, bytes * sharing.residents));
  return times;
}

/// Adds `count` waves of `ctas` CTAs with some tiles each. `lastCtas` of them
/// have the last one.
void KernelModel::addWaves(double count, double ctas, int64_t tiles,
                           double lastCtas) {
  PipelineShape shape;
  shape.ring.stages = int64_t(work.iterations);
  shape.ring.depth = config.stages;
  shape.consumers = config.wgmma.pingpong ? 2 : 1;
  shape.tiles = tiles;
  // Threads store on their own, but TMA's stores follow one another.
  if (work.storePath != StorePath::Tma)
    shape.storePaths = shape.consumers;
  Sharing first = getSharing(machine, ctas);
  Sharing last = getSharing(machine, lastCtas);
  CtaTimes times = getTimes(first);
  if (lastCtas != ctas)
    times.last = getTimes(last);
  waves.push_back({Picoseconds(count), first, last, times, shape});
}

/// CTAs without a place start when the first ones end. Of persistent ones, both
/// are among those with the fewest tiles.
void KernelModel::setWaves() {
  double launched = work.launchedCtas;
  if (launched <= places) {
    double tiles = std::ceil(work.ctas / launched);
    return addWaves(1, launched, int64_t(tiles),
                    work.ctas - (tiles - 1) * launched);
  }
  auto tiles = int64_t(std::floor(work.ctas / launched));
  double full = std::floor(launched / places);
  double rest = launched - full * places;
  addWaves(full, places, tiles, places);
  if (rest > 0)
    addWaves(1, rest, tiles, rest);
}

template <typename GetEnd>
Expected<Picoseconds> KernelModel::sumWaves(double clock, GetEnd getEnd) {
  Picoseconds sum = 0;
  for (Waves &each : waves) {
    each.times.usual.ring.math = getMathTime(each.first.residents, clock);
    each.times.last.ring.math = getMathTime(each.last.residents, clock);
    Expected<Picoseconds> end = getEnd(each);
    if (!end)
      return end;
    sum += each.count * *end;
  }
  return sum;
}

double KernelModel::getTensorShare(Picoseconds waves, double clock) const {
  Picoseconds ofStage =
      toPicoseconds(get(Quantity::MathStartup) + getTensorTime(clock));
  double products = work.ctas * work.iterations * double(ofStage);
  double available =
      double(std::max<Picoseconds>(1, waves)) * get(Quantity::Processors);
  return std::min(1.0, products / available);
}

Picoseconds KernelModel::getReduction() const {
  constexpr int64_t sumBytes = 4;
  return config.splitK > 1
             ? getReductionTime(machine, problem.batch * problem.m * problem.n *
                                             (config.splitK * sumBytes +
                                              problem.epilogueBytes))
             : 0;
}

Picoseconds KernelModel::getPacking() const {
  return work.packBytes > 0 ? getReductionTime(machine, int64_t(work.packBytes))
                            : 0;
}

Expected<KernelPrediction> KernelModel::predict() {
  KernelPrediction result;
  result.launch = getLaunch();
  result.packing = getPacking();
  setWaves();
  auto simulate = [&](const Waves &each) -> Expected<Picoseconds> {
    Expected<PipelineTrace> trace = simulatePipeline(each.times, each.shape);
    if (!trace)
      return trace.takeError();
    Picoseconds end = trace->end;
    if (&each == &waves.front()) {
      result.firstTimes = each.times;
      result.firstShape = each.shape;
      result.first = std::move(*trace);
    }
    return end;
  };
  // The share at the highest clock decides the clock.
  result.clock = get(Quantity::Clock);
  for (bool isLast : {false, true}) {
    Expected<Picoseconds> sum = sumWaves(result.clock, simulate);
    if (!sum)
      return sum.takeError();
    result.waves =
        std::max(*sum, getMemoryTime(result.first.epilogues.front()));
    result.tensorShare = getTensorShare(result.waves, result.clock);
    if (!isLast)
      result.clock = getClock(result.tensorShare);
  }
  result.reduction = getReduction();
  return result;
}

/// Bounds are much cheaper than the events. If the waves are within a limit,
/// those at the highest clock are, too, so that the tensor cores have at least
/// a certain share of it; then the clock is at most a certain one.
Expected<Picoseconds> KernelModel::predictTotal(Picoseconds limit) {
  Picoseconds firstEpilogue = 0;
  auto simulate = [&](const Waves &each) -> Expected<Picoseconds> {
    Expected<PipelineEnds> ends = findPipelineEnds(each.times, each.shape);
    if (!ends)
      return ends.takeError();
    if (&each == &waves.front())
      firstEpilogue = ends->firstEpilogue;
    return ends->end;
  };
  auto bound = [&](const Waves &each) -> Expected<Picoseconds> {
    if (Error error = checkPipeline(each.times, each.shape))
      return std::move(error);
    return boundPipeline(each.times, each.shape);
  };
  Picoseconds others = getLaunch() + getReduction();
  if (others > limit)
    return others;
  setWaves();
  double highest = get(Quantity::Clock), clock = highest;
  double mostClock = getClock(getTensorShare(limit - others, highest));
  for (bool isLast : {false, true}) {
    Expected<Picoseconds> least = sumWaves(isLast ? clock : mostClock, bound);
    if (!least)
      return least;
    Picoseconds atLeast = std::max(*least, getMemoryTime(/*firstEpilogue=*/0));
    if (atLeast > limit - others)
      return atLeast + others;
    Expected<Picoseconds> end = sumWaves(clock, simulate);
    if (!end)
      return end;
    Picoseconds total = std::max(*end, getMemoryTime(firstEpilogue));
    if (isLast)
      return total + others;
    clock = getClock(getTensorShare(total, highest));
  }
  llvm_unreachable("the last round returns");
}

/// Refuses kernels that the model does not describe.
static Error checkModelled(const KernelConfig &config,
                           const ProblemInfo &problem) {
  auto refuse = [](const Twine &what) {
    return createStringError("the simulator does not describe kernels with " +
                             what);
  };
  if (config.schedule != Schedule::Wgmma)
    return refuse("schedule " + getScheduleName(config.schedule));
  if (config.wgmma.producer != ProducerKind::Tma)
    return refuse("producer = " + config.get("producer"));
  if (config.wgmma.promoteSums)
    return refuse("promote_sums = true");
  if (problem.splitsOperands())
    return refuse("operands that are split");
  if (problem.convertsOperands() || problem.transforms(0) ||
      problem.transforms(1))
    return refuse("operands that are converted or mapped");
  return Error::success();
}

Expected<KernelPrediction> predictKernel(const Machine &machine,
                                         const ChipInfo &chip,
                                         const KernelConfig &config,
                                         const ProblemInfo &problem,
                                         DataPlace place) {
  if (Error error = checkConfig(config, chip, problem))
    return std::move(error);
  KernelWork work = describeWork(config, chip, problem);
  if (Error error = checkModelled(config, problem))
    return std::move(error);
  return KernelModel(machine, config, problem, place, work).predict();
}

std::optional<Picoseconds> findKernelTime(const Machine &machine,
                                          const ChipInfo &chip,
                                          const KernelConfig &config,
                                          const ProblemInfo &problem) {
  Expected<KernelPrediction> prediction =
      predictKernel(machine, chip, config, problem, DataPlace::Memory);
  if (prediction)
    return prediction->getTotal();
  consumeError(prediction.takeError());
  return std::nullopt;
}

std::vector<double> getSensitivities(const Machine &machine,
                                     const ChipInfo &chip,
                                     const KernelConfig &config,
                                     const ProblemInfo &problem) {
  constexpr double step = 0.1;
  bool isDescribed = isLegal(config, chip, problem);
  if (Error error = checkModelled(config, problem)) {
    consumeError(std::move(error));
    isDescribed = false;
  }
  KernelWork work = describeWork(config, chip, problem);
  auto getLogTime = [&](const Machine &changed) {
    Expected<Picoseconds> total =
        KernelModel(changed, config, problem, DataPlace::Memory, work)
            .predictTotal(std::numeric_limits<Picoseconds>::max());
    if (total)
      return std::log(std::max(1.0, double(*total)));
    consumeError(total.takeError());
    return 0.0;
  };
  std::vector<double> sensitivities;
  Machine changed = machine;
  for (auto [i, info] : enumerate(getQuantityInfos())) {
    if (info.isWhole)
      continue;
    double difference = 0;
    if (isDescribed) {
      double value = machine.values[i].value;
      changed.values[i].value = value * std::exp(step);
      difference = getLogTime(changed);
      changed.values[i].value = value * std::exp(-step);
      difference -= getLogTime(changed);
      changed.values[i].value = value;
    }
    sensitivities.push_back(difference / (2 * step));
  }
  return sensitivities;
}

Expected<Picoseconds> predictTotal(const Machine &machine,
                                   const KernelConfig &config,
                                   const ProblemInfo &problem,
                                   const KernelWork &work, Picoseconds limit) {
  if (Error error = checkModelled(config, problem))
    return std::move(error);
  // Schedules that need no packed operands are not simulated, so that they
  // cannot be compared with those that do.
  if (work.packBytes > 0)
    return createStringError("kernels that pack operands are not compared");
  return KernelModel(machine, config, problem, DataPlace::Memory, work)
      .predictTotal(limit);
}

} // namespace tcgemm
