//===- Estimates.cpp - Quantities from the times of experiments -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table has a function of a round for each quantity. Where one quantity
// needs another, it takes that of the same round.
//
//===----------------------------------------------------------------------===//

#include "Calibrate/RoundTimes.h"
#include "tcgemm/Store/Record.h"
#include "tcgemm/Tuner/Calibration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
using Id = ExperimentId;

static double getCopyBytes(const Experiment &experiment) {
  constexpr int64_t depth = 64, elementBytes = 2;
  return double(experiment.kernel.tileM * depth * elementBytes);
}

static double getMacs(const Experiment &experiment) {
  constexpr int64_t depth = 64;
  return double(experiment.kernel.tileM * experiment.kernel.tileN * depth);
}

static Line fitCopies(const RoundTimes &times) {
  return Line::through(getCopyBytes(times.get(Id::CopySmall)),
                       times.getCopy(Id::CopySmall, Id::CopySmallStages),
                       getCopyBytes(times.get(Id::CopyLarge)),
                       times.getCopy(Id::CopyLarge, Id::CopyLargeStages));
}

/// The bytes that all CTAs copy in a stage, over the time of its copies without
/// their startups.
static double getSharedRate(const RoundTimes &times, Id few, Id more,
                            double bytes) {
  double startups = 2 * std::max(0.0, fitCopies(times).startup);
  return double(times.get(few).getCTAs()) * bytes /
         (times.getStage(few, more) - startups);
}

static double getMemoryRate(const RoundTimes &times) {
  return getSharedRate(times, Id::CacheMiss, Id::CacheMissStages,
                       getCopyBytes(times.get(Id::CacheMiss)));
}

/// The time of a row outside an operand, beyond that of its bytes.
static double getOutsideRow(const RoundTimes &times) {
  return (times.getStage(Id::CopyOutside, Id::CopyOutsideStages) -
          times.getStage(Id::CopyLarge, Id::CopyLargeStages)) /
         double(times.get(Id::CopyOutside).outsideRows);
}

static Line fitProducts(const RoundTimes &times) {
  return Line::through(getMacs(times.get(Id::ProductLarge)),
                       times.getStage(Id::ProductLarge, Id::ProductLargeStages),
                       getMacs(times.get(Id::ProductWide)),
                       times.getStage(Id::ProductWide, Id::ProductWideStages));
}

/// The bytes that copies write and products read in a stage of a 64x64 tile.
static double getSharedBytes(const RoundTimes &times) {
  constexpr double operands = 2, accesses = 2;
  return operands * accesses * getCopyBytes(times.get(Id::WholeSmall));
}

static Line fitEpilogues(const RoundTimes &times) {
  return Line::through(times.get(Id::EpilogueSmall).getStoredBytes(),
                       times.getTile(Id::EpilogueSmall, Id::EpilogueSmallMore) -
                           times.getTile(Id::TilesSmall, Id::TilesSmallMore),
                       times.get(Id::EpilogueLarge).getStoredBytes(),
                       times.getTile(Id::EpilogueLarge, Id::EpilogueLargeMore) -
                           times.getTile(Id::TilesLarge, Id::TilesLargeMore));
}

/// The rate of a path by threads, whose startup is that of TMA.
static double getStoreRate(const RoundTimes &times, Id few, Id more) {
  double epilogue = times.getTile(few, more) -
                    times.getTile(Id::TilesLarge, Id::TilesLargeMore);
  return times.get(few).getStoredBytes() /
         (epilogue - fitEpilogues(times).startup);
}

/// The time that clusters of two add to a launch.
static double getClusterLaunch(const RoundTimes &times) {
  return times.getTime(Id::StageCluster) - times.getTime(Id::Stage);
}

/// The time between the starts of two CTAs of a wave. A multiprocessor without
/// a CTA does nothing else.
static double getCtaLaunch(const RoundTimes &times) {
  return (times.getTime(Id::Empty) - times.getTime(Id::EmptyOne)) /
         double(times.get(Id::Empty).getCTAs() -
                times.get(Id::EmptyOne).getCTAs());
}

/// The time of the second kernel, with its launch.
static double getReduction(const RoundTimes &times, Id id) {
  double processors = times.getRound().processors;
  const Experiment &experiment = times.get(id);
  int64_t waves = experiment.getWaves(int64_t(processors));
  double missing = std::max(0.0, processors - double(experiment.getCTAs()));
  return times.getTime(id) - times.getTime(Id::Empty) -
         double(waves - 1) * times.getEmptyWave() +
         missing * getCtaLaunch(times);
}

namespace {
/// The experiments with a tile and with several of them for each CTA.
struct TileExperiments {
  Id empty, emptyMore, epilogue, epilogueMore;
};
} // namespace

static constexpr TileExperiments kSmallTiles{Id::TilesSmall, Id::TilesSmallMore,
                                             Id::EpilogueSmall,
                                             Id::EpilogueSmallMore};
static constexpr TileExperiments kLargeTiles{Id::TilesLarge, Id::TilesLargeMore,
                                             Id::EpilogueLarge,
                                             Id::EpilogueLargeMore};

/// The end of a kernel that stores. It waits until the stores have reached the
/// L2 cache, which they do meanwhile if more tiles follow.
static double getLastStore(const RoundTimes &times,
                           const TileExperiments &tiles) {
  double first = times.getTime(tiles.epilogue) - times.getTime(tiles.empty);
  double next = times.getTile(tiles.epilogue, tiles.epilogueMore) -
                times.getTile(tiles.empty, tiles.emptyMore);
  return first - next;
}

static double getLastStoreRate(const RoundTimes &times) {
  return Line::through(times.get(Id::EpilogueSmall).getStoredBytes(),
                       getLastStore(times, kSmallTiles),
                       times.get(Id::EpilogueLarge).getStoredBytes(),
                       getLastStore(times, kLargeTiles))
      .rate;
}

/// The time in which a cluster's CTAs exchange their sums: that of an epilogue
/// with an exchange less that of a CTA alone, which stores more.
static double getExchange(const RoundTimes &times, Id exchange, Id alone) {
  double more =
      times.get(alone).getStoredBytes() - times.get(exchange).getStoredBytes();
  return times.getTime(exchange) - times.getTime(alone) -
         getClusterLaunch(times) + more / fitEpilogues(times).rate +
         more / getLastStoreRate(times);
}

static Line fitExchange(const RoundTimes &times) {
  return Line::through(times.get(Id::ExchangeSmall).getExchangedBytes(),
                       getExchange(times, Id::ExchangeSmall, Id::AloneSmall),
                       times.get(Id::ExchangeLarge).getExchangedBytes(),
                       getExchange(times, Id::ExchangeLarge, Id::AloneLarge));
}

static double getStoreLaunch(const RoundTimes &times) {
  return times.getTime(Id::Empty) - times.getEmptyWave() +
         getLastStore(times, kLargeTiles);
}

/// The bytes of all CTAs' tiles over their time.
static double getMemoryStoreRate(const RoundTimes &times) {
  const Experiment &experiment = times.get(Id::EpilogueMemory);
  return double(experiment.getCTAs()) * experiment.getStoredBytes() /
         times.getTile(Id::EpilogueMemory, Id::EpilogueMemoryMore);
}

/// The processors of the most clusters of four that all run at once. If one has
/// no place, it starts when another has ended, so that the kernel takes two
/// waves. At most three of the clusters that all processors could hold are
/// expected to have none.
static double getClusterProcessors(const RoundTimes &times) {
  constexpr double wavesAndAHalf = 1.5;
  double launch =
      times.getTime(Id::Empty) - times.getEmptyWave() + getClusterLaunch(times);
  double wave = times.getTime(Id::QuadsLessThree) - launch;
  Id most = Id::QuadsLessThree;
  for (Id id : {Id::QuadsLessTwo, Id::QuadsLessOne, Id::Quads})
    if (times.getTime(id) - launch < wavesAndAHalf * wave)
      most = id;
  return std::min(times.getRound().processors,
                  double(times.get(most).getCTAs()));
}

static Line fitReductions(const RoundTimes &times) {
  return Line::through(
      double(times.get(Id::ReductionSmall).getReductionBytes()),
      getReduction(times, Id::ReductionSmall),
      double(times.get(Id::ReductionLarge).getReductionBytes()),
      getReduction(times, Id::ReductionLarge));
}

static double getLatency(const RoundTimes &times) {
  return double(times.get(Id::Latency).kernel.depth) *
             times.getStage(Id::Latency, Id::LatencyStages) -
         times.getStage(Id::CopySmall, Id::CopySmallStages);
}

static double getMemoryLatency(const RoundTimes &times) {
  const Experiment &experiment = times.get(Id::MemoryLatency);
  constexpr double rowBytes = 128;
  Line copies = fitCopies(times);
  // All CTAs wait for A's bytes at the same time.
  double bytes = getCopyBytes(experiment);
  double all = bytes * double(experiment.getCTAs()) / getMemoryRate(times);
  double copied = std::max(bytes / copies.rate, all) +
                  double(experiment.kernel.tileN) * rowBytes / copies.rate;
  return double(experiment.kernel.depth) *
             times.getStage(Id::MemoryLatency, Id::MemoryLatencyStages) -
         copied - 2 * std::max(0.0, copies.startup);
}

static double getRelease(const RoundTimes &times) {
  return double(times.get(Id::Cluster).kernel.depth) *
         (times.getStage(Id::Cluster, Id::ClusterStages) -
          times.getStage(Id::Latency, Id::LatencyStages));
}

namespace {
/// The formula of a quantity, and its description.
struct EstimateInfo {
  double (*compute)(const RoundTimes &times);
  StringLiteral method;
};
} // namespace

/// By Quantity.
static constexpr EstimateInfo kEstimateInfos[] = {
    {[](const RoundTimes &t) { return t.getRound().processors; },
     "the driver's number of multiprocessors"},
    {[](const RoundTimes &t) {
       return t.getTime(Id::Empty) - t.getEmptyWave();
     },
     "an empty kernel of one wave in a graph, less a wave"},
    {[](const RoundTimes &t) { return fitCopies(t).startup; },
     "the copy of a 64x64 tile, less its bytes over copy_rate"},
    {[](const RoundTimes &t) { return fitCopies(t).rate; },
     "copies of 128x64 less copies of 64x64 tiles by a few CTAs"},
    {[](const RoundTimes &t) {
       return getSharedRate(t, Id::CacheHit, Id::CacheHitStages,
                            2 * getCopyBytes(t.get(Id::CacheHit)));
     },
     "copies of 128x64 tiles by all multiprocessors, whose data the L2 cache "
     "holds"},
    {[](const RoundTimes &t) { return fitProducts(t).startup; },
     "the product of 128x128x64, less its multiply-adds over their rate"},
    {[](const RoundTimes &t) {
       return fitProducts(t).rate * t.getRound().loadedClock /
              t.getRound().clock;
     },
     "products of 128x256x64 less products of 128x128x64 by a few CTAs, times "
     "loaded_clock over clock"},
    {[](const RoundTimes &t) { return fitEpilogues(t).startup; },
     "the epilogue of a 64x64 tile, less its bytes over epilogue_rate"},
    {[](const RoundTimes &t) { return fitEpilogues(t).rate; },
     "epilogues of 128x128 less epilogues of 64x64 tiles, from tiles of a "
     "few persistent CTAs with and without an epilogue"},
    {[](const RoundTimes &t) { return fitReductions(t).startup; },
     "the sum of two slices of k, less its bytes over reduction_rate"},
    {[](const RoundTimes &t) { return fitReductions(t).rate; },
     "sums of two slices of k of a large less those of a small result"},
    {getLatency,
     "the cycle of a ring of two slots, less the copies' time in a deep "
     "ring"},
    {getRelease,
     "the cycle of a ring of two slots in a cluster of two CTAs, less that "
     "without a cluster"},
    {[](const RoundTimes &t) {
       return t.getEmptyWave() - t.getStage(Id::Empty, Id::EmptyStages);
     },
     "a wave of CTAs that do nothing, less the hand-over of a stage"},
    {getMemoryRate,
     "copies of 128x64 tiles by all multiprocessors of data that exceed the "
     "L2 cache"},
    {[](const RoundTimes &t) { return t.getRound().clock; },
     "clocks a nanosecond in a kernel of one thread"},
    {[](const RoundTimes &t) { return t.getRound().loadedClock; },
     "the same directly after products on all multiprocessors"},
    {getMemoryLatency,
     "the cycle of a ring of two slots on all multiprocessors with data that "
     "exceed the L2 cache, less the copies' time by memory_rate and "
     "copy_rate"},
    {[](const RoundTimes &t) {
       return t.getTime(Id::Empty) - t.getEmptyWave() + getClusterLaunch(t);
     },
     "launch, and the copies of a stage in clusters of two less those "
     "without "
     "clusters"},
    {[](const RoundTimes &t) { return fitExchange(t).startup; },
     "the exchange of 64x64 sums, less its bytes over exchange_rate"},
    {[](const RoundTimes &t) { return fitExchange(t).rate; },
     "exchanges of 128x128 less exchanges of 64x64 sums by two CTAs, from "
     "epilogues with and without an exchange"},
    {[](const RoundTimes &t) {
       return getStoreRate(t, Id::Staged, Id::StagedMore);
     },
     "the bytes of a 128x128 tile over the epilogue by threads less "
     "epilogue_startup"},
    {[](const RoundTimes &t) {
       return getStoreRate(t, Id::Elements, Id::ElementsMore);
     },
     "the same with an odd number of columns"},
    {[](const RoundTimes &t) {
       return getStoreRate(t, Id::Rows, Id::RowsMore);
     },
     "the same from registers"},
    {[](const RoundTimes &t) {
       return getStoreRate(t, Id::Columns, Id::ColumnsMore);
     },
     "the same from registers, with D's columns as the instruction's rows"},
    {getStoreLaunch,
     "launch, and a kernel of a few CTAs with an epilogue of a 128x128 tile "
     "less one without and less the epilogue between two tiles"},
    {getLastStoreRate, "the same of a 128x128 less that of a 64x64 tile"},
    {getCtaLaunch, "an empty kernel of one wave less one of one CTA"},
    {getMemoryStoreRate,
     "tiles of persistent CTAs on all multiprocessors with an epilogue, whose "
     "results exceed the L2 cache"},
    {getOutsideRow,
     "copies of boxes that are half outside A less copies of boxes inside, by "
     "a few CTAs"},
    {getClusterProcessors,
     "the most clusters of four that take no second wave"},
    {[](const RoundTimes &t) {
       return getSharedRate(t, Id::CacheUnshared, Id::CacheUnsharedStages,
                            2 * getCopyBytes(t.get(Id::CacheUnshared)));
     },
     "copies by clusters of two CTAs that split k on all multiprocessors, "
     "whose data the L2 cache holds"},
    {[](const RoundTimes &t) {
       return getSharedBytes(t) /
              t.getStage(Id::WholeSmall, Id::WholeSmallStages);
     },
     "the bytes that copies and products of a 64x64 tile write and read in "
     "shared memory over the time of a stage of a few CTAs"},
    {[](const RoundTimes &t) {
       return t.getRound().clock *
              t.getStage(Id::WholeWide, Id::WholeWideStages) /
              t.getStage(Id::WholeAll, Id::WholeAllStages);
     },
     "clock times copies and products of 128x256x64 by a few CTAs over those "
     "by all multiprocessors"},
};
static_assert(std::size(kEstimateInfos) == kNumQuantities);

/// To five significant digits; measurements have fewer.
static double roundDigits(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.5g", value);
  return std::strtod(text.c_str(), nullptr);
}

/// The estimate from the values of the rounds.
static Estimate summarize(const QuantityInfo &info, std::vector<double> values,
                          StringRef method) {
  Estimate estimate;
  estimate.method = method.str();
  if (any_of(values, [](double value) { return std::isnan(value); })) {
    estimate.failure = "the times that it is from do not differ";
    return estimate;
  }
  Timing timing = summarizeSamples(TimingStage::Full, std::move(values));
  MachineValue result;
  result.value = roundDigits(timing.median);
  if (info.low == 0 && timing.median < 0) {
    // A startup that other work hides.
    result.value = 0;
    estimate.method += formatv("; the median {0:f3} is below 0 and counts as 0",
                               timing.median);
  }
  if (!(result.value >= info.low && result.value <= info.high)) {
    raw_string_ostream(estimate.failure)
        << "the median of its values is " << format("%.4g", timing.median)
        << ' ' << info.unit << ", but it must be " << format("%.4g", info.low)
        << " to " << format("%.4g", info.high);
    return estimate;
  }
  auto limit = [&](double value) {
    return std::clamp(roundDigits(value), info.low, info.high);
  };
  result.interval = {std::min(result.value, limit(timing.low)),
                     std::max(result.value, limit(timing.high))};
  estimate.value = std::move(result);
  return estimate;
}

/// Machine files have no clock under load above the other one. Without a power
/// limit, the measurements differ by noise.
static void orderClocks(std::array<Estimate, kNumQuantities> &estimates) {
  std::optional<MachineValue> &clock = estimates[size_t(Quantity::Clock)].value;
  for (Quantity quantity : {Quantity::LoadedClock, Quantity::BusyClock}) {
    auto &[busy, method, failure] = estimates[size_t(quantity)];
    if (!clock || !busy || busy->value <= clock->value)
      continue;
    method += formatv("; the median {0:f4} is above clock and counts as clock",
                      busy->value);
    busy->value = clock->value;
    (*busy->interval)[0] = std::min((*busy->interval)[0], busy->value);
  }
}

std::array<Estimate, kNumQuantities>
estimateQuantities(ArrayRef<CalibrationRound> rounds) {
  std::array<Estimate, kNumQuantities> estimates;
  for (auto [info, how, estimate] :
       zip_equal(getQuantityInfos(), kEstimateInfos, estimates)) {
    std::vector<double> values;
    for (const CalibrationRound &round : rounds)
      values.push_back(how.compute(RoundTimes(round)));
    estimate = summarize(info, std::move(values), how.method);
  }
  orderClocks(estimates);
  return estimates;
}

size_t Calibration::countFailures() const {
  return count_if(estimates,
                  [](const Estimate &estimate) { return !estimate.value; });
}

bool Calibration::hasRates() const {
  return any_of(zip_equal(getQuantityInfos(), estimates), [](auto pair) {
    auto &[info, estimate] = pair;
    return info.unit.ends_with("/ns") && estimate.value;
  });
}

/// If not all clocks were measured, those of another machine may not contradict
/// the others.
static void limitClocks(Machine &machine) {
  MachineValue &clock = machine.values[size_t(Quantity::Clock)];
  for (Quantity quantity : {Quantity::LoadedClock, Quantity::BusyClock}) {
    MachineValue &busy = machine.values[size_t(quantity)];
    if (busy.value <= clock.value)
      continue;
    MachineValue &assumed = clock.interval ? busy : clock;
    assumed.value = clock.interval ? clock.value : busy.value;
    assumed.source += ", limited by the other clock";
  }
}

Machine makeMachine(const Calibration &calibration, const Machine &base,
                    const MachineOrigin &origin, bool isMeasured) {
  Machine machine = base;
  machine.isCalibrated = isMeasured && calibration.countFailures() == 0;
  machine.origin = origin;
  for (auto [estimate, value] :
       zip_equal(calibration.estimates, machine.values)) {
    if (!estimate.value) {
      value.interval.reset();
      value.command.clear();
      value.source = "not measured, because " + estimate.failure +
                     "; the value of " + base.name;
      continue;
    }
    value = *estimate.value;
    value.source = isMeasured
                       ? estimate.method
                       : "a model's times, not measured: " + estimate.method;
    value.command = origin.command;
  }
  limitClocks(machine);
  return machine;
}

} // namespace tcgemm
