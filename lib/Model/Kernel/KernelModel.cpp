//===- KernelModel.cpp - The simulated time of a wgmma kernel -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Config/Legality.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// How many CTAs share a multiprocessor, and on how many of these.
struct Sharing {
  double residents, processors;
};

class KernelModel {
public:
  KernelModel(const Machine &machine, const KernelConfig &config,
              const ProblemInfo &problem, DataPlace place,
              const KernelWork &work)
      : machine(machine), config(config), problem(problem), place(place),
        work(work) {}

  Expected<KernelPrediction> predict();
  Expected<Picoseconds> predictTotal(function_ref<bool(Picoseconds)> matters);

private:
  double get(Quantity quantity) const { return machine.get(quantity); }
  double getTileBytes(unsigned operand) const;
  Picoseconds getCopyTime(unsigned operand, const Sharing &sharing) const;
  Picoseconds getMathTime(double residents, double clock) const;
  Picoseconds getEpilogueTime(double bytes, double residents) const;
  PipelineTimes getTimes(const Sharing &sharing, double clock) const;
  PipelineShape getShape(int64_t tiles) const;
  /// The time of all CTAs at a clock. `getEnd` returns the end of a CTA of the
  /// first wave, or of one of the last wave, or fails.
  using EndOfCta = function_ref<Expected<Picoseconds>(
      const PipelineTimes &times, const PipelineShape &shape, bool isFirst)>;
  Expected<Picoseconds> addWaves(double clock, EndOfCta getEnd) const;
  Picoseconds getLaunch() const;
  Picoseconds getReduction() const;
  double getTensorShare(Picoseconds waves, double clock) const;
  double getClock(double share) const;

  const Machine &machine;
  const KernelConfig &config;
  const ProblemInfo &problem;
  const DataPlace place;
  const KernelWork &work;
};

} // namespace

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

double KernelModel::getTileBytes(unsigned operand) const {
  return double(config.cta[operand]) * double(config.cta[2]) *
         double(problem.getBits(operand)) / 8;
}

Picoseconds KernelModel::getCopyTime(unsigned operand,
                                     const Sharing &sharing) const {
  double bytes = getTileBytes(operand);
  double inFlight = sharing.residents * sharing.processors;
  double ofCache = bytes / double(config.wgmma.cluster[1 - operand]);
  // The inputs' bytes from memory, spread over all stages.
  double inputs = place == DataPlace::Memory
                      ? std::max(0.0, work.dramBytes - work.outputBytes)
                      : 0;
  double fromMemory =
      inputs / (work.ctas * work.iterations) * bytes / work.stageBytes;
  double slowest =
      std::max({bytes * sharing.residents / get(Quantity::CopyRate),
                ofCache * inFlight / get(Quantity::CacheRate),
                fromMemory * inFlight / get(Quantity::MemoryRate)});
  return toPicoseconds(get(Quantity::CopyStartup) + slowest);
}

Picoseconds KernelModel::getMathTime(double residents, double clock) const {
  double macs = work.rowMacs * std::max(work.columns, work.leastColumns) *
                double(problem.getMultipliedBits()) / 16;
  double slower = get(Quantity::LoadedClock) / clock;
  return toPicoseconds(get(Quantity::MathStartup) +
                       macs / get(Quantity::MathRate) * residents * slower);
}

/// The CTAs of a cluster that splits k exchange their sums before.
Picoseconds KernelModel::getEpilogueTime(double bytes, double residents) const {
  double time = get(Quantity::EpilogueStartup) +
                bytes * residents / get(getStoreRate(work.storePath));
  if (work.exchangeBytes > 0)
    time += get(Quantity::ExchangeStartup) +
            work.exchangeBytes * residents / get(Quantity::ExchangeRate);
  return toPicoseconds(time);
}

PipelineTimes KernelModel::getTimes(const Sharing &sharing,
                                    double clock) const {
  PipelineTimes times;
  times.ring.copyA = getCopyTime(0, sharing);
  times.ring.copyB = getCopyTime(1, sharing);
  times.ring.math = getMathTime(sharing.residents, clock);
  constexpr double sumBytes = 4;
  // The CTAs that split k in a cluster store a part of the tile each.
  double elements = double(config.cta[0]) * double(config.cta[1]) /
                    double(config.getSumParts());
  double bytes =
      elements * (config.splitK > 1 ? sumBytes : double(problem.epilogueBytes));
  times.ring.epilogue = getEpilogueTime(bytes, sharing.residents);
  times.latency =
      toPicoseconds(get(place == DataPlace::Memory ? Quantity::MemoryLatency
                                                   : Quantity::CopyLatency));
  if (config.wgmma.cluster[0] * config.wgmma.cluster[1] > 1)
    times.release = toPicoseconds(get(Quantity::SlotRelease));
  times.drain = toPicoseconds(bytes * sharing.residents * sharing.processors /
                              get(Quantity::CacheRate));
  times.prologue = toPicoseconds(get(Quantity::CtaPrologue));
  return times;
}

PipelineShape KernelModel::getShape(int64_t tiles) const {
  PipelineShape shape;
  shape.ring.stages = int64_t(work.iterations);
  shape.ring.depth = config.stages;
  shape.consumers = config.wgmma.pingpong ? 2 : 1;
  shape.tiles = tiles;
  return shape;
}

Expected<Picoseconds> KernelModel::addWaves(double clock,
                                            EndOfCta getEnd) const {
  double processors = get(Quantity::Processors);
  double places = work.residents * processors;
  auto getTimesOf = [&](double ctas) {
    Sharing sharing = {std::ceil(ctas / processors),
                       std::min(ctas, processors)};
    return getTimes(sharing, clock);
  };
  double full = std::floor(work.ctas / places);
  double rest = work.ctas - full * places;
  double atFirst = std::min(work.ctas, places);
  int64_t tiles = work.isPersistent ? int64_t(full + (rest > 0)) : 1;
  Expected<Picoseconds> first =
      getEnd(getTimesOf(atFirst), getShape(tiles), /*isFirst=*/true);
  if (!first || work.isPersistent || full < 1)
    return first;
  Picoseconds time = *first * Picoseconds(full);
  if (rest > 0) {
    Expected<Picoseconds> last =
        getEnd(getTimesOf(rest), getShape(1), /*isFirst=*/false);
    if (!last)
      return last;
    time += *last;
  }
  return time;
}

double KernelModel::getTensorShare(Picoseconds waves, double clock) const {
  double products = work.ctas * work.iterations * double(getMathTime(1, clock));
  double available =
      double(std::max<Picoseconds>(1, waves)) * get(Quantity::Processors);
  return std::min(1.0, products / available);
}

double KernelModel::getClock(double share) const {
  double highest = get(Quantity::Clock);
  return highest - share * (highest - get(Quantity::LoadedClock));
}

Picoseconds KernelModel::getLaunch() const {
  double launch =
      get(work.clusterSize > 1 ? Quantity::ClusterLaunch : Quantity::Launch);
  return toPicoseconds(launch + get(Quantity::StoreLaunch) -
                       get(Quantity::Launch));
}

Picoseconds KernelModel::getReduction() const {
  constexpr int64_t sumBytes = 4;
  return config.splitK > 1
             ? getReductionTime(
                   machine, problem.batch * problem.m * problem.n *
                                (config.splitK * sumBytes +
                                 problem.epilogueBytes))
             : 0;
}

Expected<KernelPrediction> KernelModel::predict() {
  KernelPrediction result;
  result.launch = getLaunch();
  auto simulate = [&](const PipelineTimes &times, const PipelineShape &shape,
                      bool isFirst) -> Expected<Picoseconds> {
    Expected<PipelineTrace> trace = simulatePipeline(times, shape);
    if (!trace)
      return trace.takeError();
    Picoseconds end = trace->end;
    if (isFirst) {
      result.firstTimes = times;
      result.firstShape = shape;
      result.first = std::move(*trace);
    }
    return end;
  };
  // The share at the highest clock decides the clock.
  result.clock = get(Quantity::Clock);
  for (bool isLast : {false, true}) {
    Expected<Picoseconds> waves = addWaves(result.clock, simulate);
    if (!waves)
      return waves.takeError();
    result.waves = *waves;
    result.tensorShare = getTensorShare(*waves, result.clock);
    if (!isLast)
      result.clock = getClock(result.tensorShare);
  }
  result.reduction = getReduction();
  return result;
}

/// The bounds at the highest clock, and then at the clock of the kernel, are
/// much cheaper than the events.
Expected<Picoseconds>
KernelModel::predictTotal(function_ref<bool(Picoseconds)> matters) {
  auto bound = [&](const PipelineTimes &times, const PipelineShape &shape,
                   bool) -> Expected<Picoseconds> {
    if (Error error = checkPipeline(times, shape))
      return std::move(error);
    return boundPipeline(times, shape);
  };
  auto simulate = [&](const PipelineTimes &times, const PipelineShape &shape,
                      bool) { return findPipelineEnd(times, shape); };
  Picoseconds others = getLaunch() + getReduction();
  double clock = get(Quantity::Clock);
  for (bool isLast : {false, true}) {
    Expected<Picoseconds> least = addWaves(clock, bound);
    if (!least || !matters(*least + others))
      return least ? Expected<Picoseconds>(*least + others) : std::move(least);
    Expected<Picoseconds> waves = addWaves(clock, simulate);
    if (!waves || isLast)
      return waves ? Expected<Picoseconds>(*waves + others) : std::move(waves);
    clock = getClock(getTensorShare(*waves, clock));
  }
  llvm_unreachable("the last round returns");
}

/// Refuses kernels that the model does not describe.
static Error checkModelled(const KernelConfig &config,
                           const ProblemInfo &problem, double packBytes) {
  std::string what;
  if (config.schedule != Schedule::Wgmma)
    what = "schedule " + getScheduleName(config.schedule).str();
  else if (config.wgmma.producer != ProducerKind::Tma)
    what = "producer = " + config.get("producer");
  else if (config.wgmma.promoteSums)
    what = "promote_sums = true";
  else if (problem.convertsOperands() || problem.transforms(0) ||
           problem.transforms(1))
    what = "operands that are converted or mapped";
  else if (packBytes > 0)
    what = "operands that another kernel packs";
  if (what.empty())
    return Error::success();
  return createStringError("the simulator does not describe kernels with " +
                           what);
}

Expected<KernelPrediction> predictKernel(const Machine &machine,
                                         const ChipInfo &chip,
                                         const KernelConfig &config,
                                         const ProblemInfo &problem,
                                         DataPlace place) {
  if (Error error = checkConfig(config, chip, problem))
    return std::move(error);
  KernelWork work = describeWork(config, chip, problem);
  if (Error error = checkModelled(config, problem, work.packBytes))
    return std::move(error);
  return KernelModel(machine, config, problem, place, work).predict();
}

Expected<Picoseconds>
predictTotal(const Machine &machine, const KernelConfig &config,
             const ProblemInfo &problem, const KernelWork &work,
             function_ref<bool(Picoseconds least)> matters) {
  if (Error error = checkModelled(config, problem, work.packBytes))
    return std::move(error);
  return KernelModel(machine, config, problem, DataPlace::Memory, work)
      .predictTotal(matters);
}

} // namespace tcgemm
