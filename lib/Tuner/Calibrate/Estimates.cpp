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

#include "tcgemm/Store/Record.h"
#include "tcgemm/Tuner/Calibration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

using Id = ExperimentId;

/// The differences of a round's times, in nanoseconds.
class RoundTimes {
public:
  explicit RoundTimes(const CalibrationRound &round) : round(round) {}

  const CalibrationRound &getRound() const { return round; }
  const Experiment &get(Id id) const { return round.experiments[size_t(id)]; }
  double getTime(Id id) const { return round.times[size_t(id)]; }
  /// The time of a stage, from two experiments that differ in their number.
  double getStage(Id few, Id more) const {
    return (getTime(more) - getTime(few)) /
           double(get(more).stages - get(few).stages);
  }
  /// The time of a wave of CTAs.
  double getWave(Id few, Id more) const {
    auto count = [&](Id id) {
      return get(id).getWaves(int64_t(round.processors));
    };
    return (getTime(more) - getTime(few)) / double(count(more) - count(few));
  }
  /// A tile of a CTA that computes several.
  double getTile(Id few, Id more) const {
    return (getTime(more) - getTime(few)) /
           double(get(more).getTilesOfCTA() - get(few).getTilesOfCTA());
  }
  /// A wave of CTAs that hand over a stage and do nothing else.
  double getEmptyWave() const { return getWave(Id::Empty, Id::EmptyWaves); }
  /// T_A = T_B: the copy of a tile of A, of 64 elements of k.
  double getCopy(Id few, Id more) const { return getStage(few, more) / 2; }

private:
  const CalibrationRound &round;
};

/// A startup and a rate: the straight line through the times of two sizes.
struct Line {
  double startup, rate;

  static Line through(double smallSize, double smallTime, double largeSize,
                      double largeTime) {
    double rate = (largeSize - smallSize) / (largeTime - smallTime);
    return {smallTime - smallSize / rate, rate};
  }
};

} // namespace

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

/// The bytes that all multiprocessors copy in a stage, over the time of its
/// copies without their startups.
static double getSharedRate(const RoundTimes &times, Id few, Id more,
                            double bytes) {
  double startups = 2 * std::max(0.0, fitCopies(times).startup);
  return times.getRound().processors * bytes /
         (times.getStage(few, more) - startups);
}

static Line fitProducts(const RoundTimes &times) {
  return Line::through(
      getMacs(times.get(Id::ProductSmall)),
      times.getStage(Id::ProductSmall, Id::ProductSmallStages),
      getMacs(times.get(Id::ProductLarge)),
      times.getStage(Id::ProductLarge, Id::ProductLargeStages));
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

/// The time in which a cluster's CTAs exchange their sums: that of an epilogue
/// with an exchange less that of a CTA alone, which stores more.
static double getExchange(const RoundTimes &times, Id exchange, Id alone) {
  double more =
      times.get(alone).getStoredBytes() - times.get(exchange).getStoredBytes();
  return times.getTime(exchange) - times.getTime(alone) -
         getClusterLaunch(times) + more / fitEpilogues(times).rate;
}

static Line fitExchange(const RoundTimes &times) {
  return Line::through(times.get(Id::ExchangeSmall).getExchangedBytes(),
                       getExchange(times, Id::ExchangeSmall, Id::AloneSmall),
                       times.get(Id::ExchangeLarge).getExchangedBytes(),
                       getExchange(times, Id::ExchangeLarge, Id::AloneLarge));
}

/// The time of the second kernel, with its launch.
static double getReduction(const RoundTimes &times, Id id) {
  int64_t waves = times.get(id).getWaves(int64_t(times.getRound().processors));
  return times.getTime(id) - times.getTime(Id::Empty) -
         double(waves - 1) * times.getEmptyWave();
}

/// The launch of a kernel that stores. Its end waits until the stores have
/// reached the L2 cache, which they do meanwhile if more tiles follow.
static double getStoreLaunch(const RoundTimes &times) {
  double first =
      times.getTime(Id::EpilogueLarge) - times.getTime(Id::TilesLarge);
  double next = times.getTile(Id::EpilogueLarge, Id::EpilogueLargeMore) -
                times.getTile(Id::TilesLarge, Id::TilesLargeMore);
  return times.getTime(Id::Empty) - times.getEmptyWave() + first - next;
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
  const CalibrationKernel &kernel = times.get(Id::MemoryLatency).kernel;
  constexpr double rowBytes = 128;
  Line copies = fitCopies(times);
  double copied = double(kernel.tileM + kernel.tileN) * rowBytes / copies.rate;
  return double(kernel.depth) *
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
     "the product of 64x64x64, less its multiply-adds over their rate"},
    {[](const RoundTimes &t) {
       return fitProducts(t).rate * t.getRound().loadedClock /
              t.getRound().clock;
     },
     "products of 128x128x64 less products of 64x64x64 by a few CTAs, times "
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
    {[](const RoundTimes &t) {
       return getSharedRate(t, Id::CacheMiss, Id::CacheMissStages,
                            getCopyBytes(t.get(Id::CacheMiss)));
     },
     "copies of 128x64 tiles by all multiprocessors of data that exceed the "
     "L2 cache"},
    {[](const RoundTimes &t) { return t.getRound().clock; },
     "clocks a nanosecond in a kernel of one thread"},
    {[](const RoundTimes &t) { return t.getRound().loadedClock; },
     "the same directly after products on all multiprocessors"},
    {getMemoryLatency,
     "the cycle of a ring of two slots on all multiprocessors with data that "
     "exceed the L2 cache, less the copies' time by copy_rate"},
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
/// limit, the two measurements differ by noise.
static void orderClocks(std::array<Estimate, kNumQuantities> &estimates) {
  std::optional<MachineValue> &clock = estimates[size_t(Quantity::Clock)].value;
  std::optional<MachineValue> &loaded =
      estimates[size_t(Quantity::LoadedClock)].value;
  if (!clock || !loaded || loaded->value <= clock->value)
    return;
  estimates[size_t(Quantity::LoadedClock)].method += formatv(
      "; the median {0:f4} is above clock and counts as clock", loaded->value);
  loaded->value = clock->value;
  (*loaded->interval)[0] = std::min((*loaded->interval)[0], loaded->value);
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

/// If only one clock was measured, the other one, of another machine, may not
/// contradict it.
static void limitClocks(Machine &machine) {
  MachineValue &clock = machine.values[size_t(Quantity::Clock)];
  MachineValue &loaded = machine.values[size_t(Quantity::LoadedClock)];
  if (loaded.value <= clock.value)
    return;
  MachineValue &assumed = clock.interval ? loaded : clock;
  assumed.value = clock.interval ? clock.value : loaded.value;
  assumed.source += ", limited by the other clock";
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
