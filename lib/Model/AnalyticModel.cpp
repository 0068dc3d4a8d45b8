//===- AnalyticModel.cpp - A kernel's time from a few constants -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/AnalyticModel.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

double getStoreRate(StorePath path, const ScheduleConstants &c) {
  switch (path) {
  case StorePath::Tma:
    return c.tmaRate;
  case StorePath::Staged:
    return c.stagedRate;
  case StorePath::Elements:
    return c.elementRate;
  case StorePath::Rows:
    return c.rowRate;
  case StorePath::Columns:
    return c.columnRate;
  }
  llvm_unreachable("covered switch");
}

/// Near the largest of some parts; more, if others are close to it.
class ExactNorm {
public:
  explicit ExactNorm(double sharpness) : sharpness(sharpness) {}
  double combine(std::initializer_list<double> parts) const {
    double most = std::max(parts), sum = 0;
    for (double part : parts)
      sum += std::pow(part / most, sharpness);
    return most * std::pow(sum, 1 / sharpness);
  }

private:
  const double sharpness;
};

/// The largest of some parts, which no norm falls below.
struct MaximumNorm {
  double combine(std::initializer_list<double> parts) const {
    return std::max(parts);
  }
};

/// The least time in which the board's power suffices for the products and for
/// the bytes from and to memory.
double getPowerTime(double macs, double bytes, double processors,
                    const ScheduleConstants &c) {
  return macs / (c.loadedRate * processors) + bytes / c.loadedDramRate;
}

/// `Norm` combines times that overlap. Times increase with what it returns, so
/// that a norm below another one gives lower times.
template <typename Norm> class Estimate {
public:
  Estimate(const KernelWork &work, const ScheduleConstants &c, BoardLoad load,
           const Norm &norm)
      : work(work), c(c), load(load), norm(norm) {}

  TimeParts getParts() const {
    TimeParts parts;
    double rounds = addRounds(parts);
    parts.memory = combineWithMemory(rounds) - rounds;
    parts.launch = c.launch;
    if (work.clusterSize > 1)
      parts.launch += c.clusterLaunch;
    if (work.reduceBytes > 0)
      parts.others += c.reduceLaunch + work.reduceBytes / c.reduceRate;
    if (work.packBytes > 0)
      parts.others += c.packLaunch + work.packBytes / c.packRate;
    return parts;
  }

  double getNanoseconds() const {
    double time = c.launch + combineWithMemory(getRounds());
    if (work.clusterSize > 1)
      time += c.clusterLaunch;
    if (work.reduceBytes > 0)
      time += c.reduceLaunch + work.reduceBytes / c.reduceRate;
    if (work.packBytes > 0)
      time += c.packLaunch + work.packBytes / c.packRate;
    return time;
  }

private:
  double combine(std::initializer_list<double> parts) const {
    return norm.combine(parts);
  }

  double getDramTime() const {
    return (work.dramBytes + c.partial * work.partialBytes) / c.dramRate;
  }

  /// The rounds, with the limits of memory and, under load, of power.
  double combineWithMemory(double rounds) const {
    if (load == BoardLoad::Rested)
      return combine({rounds, getDramTime()});
    double macs = work.ctas * work.iterations * work.rowMacs * work.columns;
    return combine({rounds, getDramTime(),
                    getPowerTime(macs, work.dramBytes, work.processors, c)});
  }

  /// The bytes that a stage of a CTA costs the L2 cache. Requests of two CTAs
  /// for the same lines at the same time are answered together. Boxes that lie
  /// partly outside A were measured to be slower, for an unknown reason.
  double getL2Bytes() const {
    return (work.l2Bytes - (1 - c.neighbourPart) * work.neighbourBytes) *
           (1 + c.outside * work.outsidePart);
  }

  /// The parts of a stage of each of `count` CTAs on one of `active`
  /// processors.
  struct StageTimes {
    double tensor, shared, l2, latency;
  };
  StageTimes getStageTimes(double count, double active) const {
    StageTimes times{};
    times.tensor = count * work.rowMacs *
                   std::max(work.columns, c.leastColumns) / c.tensorRate;
    times.shared = count * work.stageBytes / c.sharedRate;
    if (work.fragmentBytes > 0)
      times.shared += count * work.fragmentBytes / c.fragmentRate;
    times.l2 = count * active * getL2Bytes() / c.l2Rate;
    times.latency = (c.latency + c.held * (times.tensor + times.shared)) /
                    std::max(1.0, work.stages - 1);
    return times;
  }

  double getStageTime(double count, double active) const {
    auto [tensor, shared, l2, latency] = getStageTimes(count, active);
    double time = combine({tensor, shared, l2, latency}) + c.perStage +
                  count * (work.warpgroups - 1) * c.perWarpgroup;
    return work.clusterSize > 1 ? time + c.perCluster : time;
  }

  /// One tile of each of `count` CTAs a processor.
  double getTileTime(double count, double active) const {
    double exposed = work.isPingpong     ? c.exposedPingpong
                     : work.isPersistent ? c.exposedPersistent
                                         : 1;
    double epilogue =
        c.perTile + count * work.tileBytes /
                        (work.storeGroups * getStoreRate(work.storePath, c));
    if (work.exchangeBytes > 0)
      epilogue += c.exchange + count * work.exchangeBytes / c.exchangeRate;
    double loop = work.iterations * getStageTime(count, active);
    // Two warpgroups take turns: one multiplies while the other stores.
    double both =
        work.isPingpong ? combine({loop, (loop + epilogue) / 2}) : loop;
    return both + exposed * epilogue + (work.isPersistent ? 0 : c.prologue);
  }

  /// The CTAs that run together.
  double getSlots() const {
    // The CTAs of a cluster are of one group of SMs, whose number is seldom a
    // multiple of four.
    double part = work.clusterSize > 2 ? std::min(1.0, c.quadPart) : 1;
    return work.residents * std::floor(work.processors * part);
  }

  /// Full rounds over the chip, and the last one with the rest.
  double getRounds() const {
    return addWaves(work.isPersistent ? c.prologue : 0, work, getSlots(),
                    [&](double count, double active) {
                      return getTileTime(count, active);
                    });
  }

  /// Adds the parts of all rounds, and returns their time.
  double addRounds(TimeParts &parts) const {
    double slots = getSlots();
    parts.waves = work.ctas / slots;
    parts.rounds = std::ceil(parts.waves);
    parts.prologue = work.isPersistent ? c.prologue : 0;
    // The last round is shorter if it has fewer CTAs.
    double full = std::floor(parts.waves), rest = work.ctas - full * slots;
    addTiles(full, work.residents, work.processors, parts);
    if (rest > 0)
      addTiles(1, std::ceil(rest / work.processors),
               std::min(rest, work.processors), parts);
    return getRounds();
  }

  /// Adds the parts of `rounds` times getTileTime.
  void addTiles(double rounds, double count, double active,
                TimeParts &parts) const {
    double stages = rounds * work.iterations;
    StageTimes stage = getStageTimes(count, active);
    double loads =
        std::max(0.0, std::max(stage.shared, stage.l2) - stage.tensor);
    double time = getStageTime(count, active);
    parts.products += stages * stage.tensor;
    parts.loads += stages * loads;
    parts.wait += stages * (time - stage.tensor - loads);
    double prologue = work.isPersistent ? 0 : c.prologue;
    parts.prologue += rounds * prologue;
    parts.epilogue +=
        rounds * (getTileTime(count, active) - prologue) - stages * time;
  }

  const KernelWork &work;
  const ScheduleConstants &c;
  const BoardLoad load;
  const Norm &norm;
};

} // namespace

double estimateTime(const KernelWork &work, const ScheduleConstants &constants,
                    BoardLoad load) {
  ExactNorm norm(constants.sharpness);
  return Estimate(work, constants, load, norm).getNanoseconds();
}

TimeBounds::TimeBounds(const ScheduleConstants &constants, BoardLoad load)
    : constants(constants), load(load) {
  double p = constants.sharpness;
  if (p < 1)
    return;
  for (int i = 0; i != kPowers; ++i) {
    double x = (i + 0.5) / kPowers, power = std::pow(x, p);
    double slope = p * power / x;
    powers[i] = {power - slope * x, slope};
  }
  double last = 1;
  for (int i = 0; i != kRoots; ++i) {
    double low = 1 + double(i) / kRootsPerOne;
    double next = std::pow(low + 1.0 / kRootsPerOne, 1 / p);
    double slope = (next - last) * kRootsPerOne;
    roots[i] = {last - slope * low, slope};
    last = next;
  }
  hasTables = true;
}

/// Between the largest of the parts and the norm.
double TimeBounds::combine(std::initializer_list<double> parts) const {
  double most = std::max(parts);
  if (!hasTables || !(most > 0))
    return most;
  double inverse = 1 / most, sum = 0;
  for (double part : parts) {
    double x = part * inverse;
    const Line &line = powers[std::min(int(x * kPowers), kPowers - 1)];
    sum += std::max(0.0, line.at + line.slope * x);
  }
  sum = std::clamp(sum, 1.0, double(kMostParts));
  const Line &line = roots[std::min(int((sum - 1) * kRootsPerOne), kRoots - 1)];
  return most * (line.at + line.slope * sum);
}

/// The estimate may be rounded differently.
static constexpr double kRounding = 1 - 1e-9;

double TimeBounds::getCoarse(const KernelWork &work) const {
  MaximumNorm norm;
  return kRounding * Estimate(work, constants, load, norm).getNanoseconds();
}

double TimeBounds::getClose(const KernelWork &work) const {
  return kRounding * Estimate(work, constants, load, *this).getNanoseconds();
}

/// Each processor computes at least the stages of the CTAs that the busiest one
/// has. A norm of sums is no more than the sum of norms, so that one stands for
/// all rounds.
double TimeBounds::getLeastOfTile(const KernelWork &tile,
                                  const TileVariants &variants) const {
  const ScheduleConstants &c = constants;
  TileParts parts;
  parts.tensor =
      tile.rowMacs * std::max(tile.columns, c.leastColumns) / c.tensorRate;
  parts.shared = tile.stageBytes / c.sharedRate;
  if (tile.fragmentBytes > 0)
    parts.shared += tile.fragmentBytes / c.fragmentRate;
  parts.l2 = getLeastL2Bytes(tile, variants.mostSharers) *
             (1 + c.outside * tile.outsidePart) / c.l2Rate;
  parts.latency = c.latency + c.held * (parts.tensor + parts.shared);
  parts.stores =
      tile.tileBytes / (tile.storeGroups * getStoreRate(tile.storePath, c));
  double main = c.prologue + (tile.ctas > tile.processors
                                  ? getLeastOfMany(tile, variants, parts)
                                  : getLeastOfFew(tile, variants, parts));
  double memory = (tile.inputBytes + tile.outputBytes) / c.dramRate;
  double others =
      tile.packBytes > 0 ? c.packLaunch + tile.packBytes / c.packRate : 0;
  // Rested boards have no limit of power.
  double power = 0;
  if (load == BoardLoad::Loaded)
    power =
        getPowerTime(tile.ctas * tile.iterations * tile.rowMacs * tile.columns,
                     tile.inputBytes + tile.outputBytes, tile.processors, c);
  return kRounding * (c.launch + combine({main, memory, power}) + others);
}

/// Neighbours read one of the operands together; or CTAs of a cluster share
/// one, or both in parts.
double TimeBounds::getLeastL2Bytes(const KernelWork &tile,
                                   double mostSharers) const {
  double one = tile.neighbourBytes, other = tile.l2Bytes - one;
  double least = tile.l2Bytes - (1 - constants.neighbourPart) * one;
  least =
      std::min({least, one / mostSharers + other, one + other / mostSharers});
  if (mostSharers > 2)
    least = std::min({least, one / 4 + other / 2, one / 2 + other / 4});
  return std::max(0.0, least);
}

/// More tiles than processors: nothing splits k. Ping-pong has no fewer
/// warpgroups.
double TimeBounds::getLeastOfMany(const KernelWork &tile,
                                  const TileVariants &variants,
                                  const TileParts &parts) const {
  const ScheduleConstants &c = constants;
  double ofBusiest = std::ceil(tile.ctas / tile.processors);
  double stage = combine({ofBusiest * parts.tensor, ofBusiest * parts.shared,
                          tile.ctas * parts.l2,
                          parts.latency / (variants.mostStages - 1)});
  double exposed = std::min({1.0, c.exposedPersistent, c.exposedPingpong});
  double further = ofBusiest * (tile.warpgroups - 1) * c.perWarpgroup;
  return tile.iterations * (stage + c.perStage + further) +
         exposed * (c.perTile + ofBusiest * parts.stores);
}

/// The least for any number of slices of k, although there are candidates of
/// some numbers only.
double TimeBounds::getLeastOfFew(const KernelWork &tile,
                                 const TileVariants &variants,
                                 const TileParts &parts) const {
  const ScheduleConstants &c = constants;
  constexpr double mostSlices = 32, leastStages = 2;
  double exposedOfFew = std::min({1.0, c.exposedPersistent, c.exposedPingpong});
  double sums = std::min(c.reduceLaunch, c.clusterLaunch + c.exchange);
  double most = std::min(mostSlices, std::max(2 * tile.processors / tile.ctas,
                                              variants.mostClusterSlices));
  double least = 0;
  for (double slices = 1; slices <= most; ++slices) {
    double ctas = tile.ctas * slices;
    double iterations = std::ceil(tile.iterations / slices);
    double ofBusiest = std::ceil(ctas / tile.processors);
    // Only the copies of a persistent kernel go ahead of its tile.
    double stages =
        ofBusiest > 1 || !variants.hasUsedRing
            ? variants.mostStages
            : std::clamp(iterations, leastStages, variants.mostStages);
    double further = ofBusiest * (tile.warpgroups - 1) * c.perWarpgroup;
    double rest = iterations * (c.perStage + further);
    rest += slices == 1 ? c.perTile + parts.stores
                        : sums + (ofBusiest > 1 ? exposedOfFew : 1) * c.perTile;
    double tensor = ofBusiest * parts.tensor, shared = ofBusiest * parts.shared,
           l2 = ctas * parts.l2, latency = parts.latency / (stages - 1);
    double coarse = rest + iterations * std::max({tensor, shared, l2, latency});
    if (slices > 1 && coarse >= least)
      continue;
    double close = rest + iterations * combine({tensor, shared, l2, latency});
    least = slices == 1 ? close : std::min(least, close);
  }
  return least;
}

TimeParts estimateParts(const KernelWork &work,
                        const ScheduleConstants &constants) {
  ExactNorm norm(constants.sharpness);
  return Estimate(work, constants, BoardLoad::Rested, norm).getParts();
}

std::vector<double> getSensitivities(const KernelWork &work,
                                     const ScheduleConstants &constants) {
  constexpr double step = 1e-3;
  std::vector<double> sensitivities;
  for (const ConstantInfo &info : getConstantInfos()) {
    ScheduleConstants more = constants, less = constants;
    more.*info.member *= std::exp(step);
    less.*info.member *= std::exp(-step);
    sensitivities.push_back(
        std::log(estimateTime(work, more) / estimateTime(work, less)) /
        (2 * step));
  }
  return sensitivities;
}

} // namespace tcgemm
