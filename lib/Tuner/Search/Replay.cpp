//===- Replay.cpp - Strategies on a stored sweep --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Replay.h"
#include "tcgemm/Tuner/Protocol.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <deque>
#include <limits>

using namespace llvm;

namespace tcgemm {

Expected<Sweep> createSweep(const Space &space, const ChipInfo &chip,
                            const TuningProblem &problem,
                            ArrayRef<Record> records) {
  Expected<SearchSpace> whole = SearchSpace::create(space, chip, problem);
  if (!whole)
    return whole.takeError();
  // The time of each configuration; none for a failure.
  StringMap<std::optional<double>> times;
  std::vector<KernelConfig> configs;
  for (const Record &record : records) {
    if (record.problem.str() != problem.str())
      continue;
    std::optional<double> &known = times[record.config.str()];
    double time = record.timing.median;
    if (record.isSuccess() && time > 0)
      known = known ? std::min(*known, time) : time;
    configs.push_back(record.config);
  }
  Sweep sweep{whole->restrictTo(configs)};
  for (uint64_t index : sweep.space.getLegal()) {
    KernelConfig config = sweep.space.getConfig(sweep.space.getPoint(index));
    std::optional<double> time = times.lookup(config.str());
    if (!time)
      ++sweep.failures;
    else if (sweep.optimum == 0 || *time < sweep.optimum)
      sweep.optimum = *time;
  }
  if (sweep.optimum == 0)
    return createStringError("the records of " + problem.str() +
                             " have no success that is a point of space '" +
                             space.getName() + "' on " + chip.name);
  return sweep;
}

/// The best time after each candidate.
static Expected<std::vector<double>> runOnce(const Sweep &sweep,
                                             Evaluator &evaluator,
                                             const ReplayOptions &options,
                                             uint64_t seed) {
  StrategyOptions strategyOptions = options.strategyOptions;
  strategyOptions.seed = seed;
  // Each run starts a new protocol.
  if (strategyOptions.protocol)
    strategyOptions.protocol = std::make_shared<ProtocolRun>(
        ProtocolRun{strategyOptions.protocol->protocol, {}});
  Expected<std::unique_ptr<Strategy>> strategy =
      createStrategy(options.strategy, sweep.space, strategyOptions);
  if (!strategy)
    return strategy.takeError();
  uint64_t last = *llvm::max_element(options.candidates);
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  // Replayed answers are in the order of the proposals.
  std::deque<SpacePoint> outstanding;
  uint64_t proposed = 0;
  while (true) {
    while (proposed < last && outstanding.size() < options.outstanding) {
      std::vector<SpacePoint> points = (*strategy)->propose(1);
      if (points.empty())
        break;
      if (Error error = evaluator.submit(sweep.space.getConfig(points[0])))
        return std::move(error);
      outstanding.push_back(std::move(points[0]));
      ++proposed;
    }
    Expected<std::optional<Evaluation>> answer = evaluator.wait();
    if (!answer)
      return answer.takeError();
    const std::optional<Evaluation> &evaluation = *answer;
    if (!evaluation)
      return best;
    const Record &record = evaluation->record;
    double time = record.timing.median;
    if (record.isSuccess() && time > 0)
      least = std::min(least, time);
    best.push_back(least);
    (*strategy)->report({outstanding.front(), record.outcome, time});
    outstanding.pop_front();
  }
}

/// The quantile `part` of `sorted`; the mean if it is between two values.
static double getQuantile(ArrayRef<double> sorted, double part) {
  double place = part * static_cast<double>(sorted.size() - 1);
  double low = sorted[static_cast<size_t>(std::floor(place))];
  double high = sorted[static_cast<size_t>(std::ceil(place))];
  return low == high ? low : (low + high) / 2;
}

/// The number of different runs: one if the strategy is not random.
static unsigned getNumRuns(const ReplayOptions &options) {
  bool isRandom = false;
  for (const StrategyInfo &info : getStrategies())
    isRandom |= info.name == options.strategy && info.isRandom;
  return isRandom ? options.seeds : 1;
}

Expected<std::vector<ReplayPoint>>
replayStrategy(const Sweep &sweep, Evaluator &evaluator,
               const ReplayOptions &options) {
  std::vector<std::vector<double>> losses(options.candidates.size());
  for (unsigned run = 0; run != getNumRuns(options); ++run) {
    Expected<std::vector<double>> best =
        runOnce(sweep, evaluator, options, options.strategyOptions.seed + run);
    if (!best)
      return best.takeError();
    for (auto [i, count] : enumerate(options.candidates)) {
      size_t last = std::min<size_t>(count, best->size());
      losses[i].push_back((*best)[last - 1] / sweep.optimum - 1);
    }
  }
  std::vector<ReplayPoint> points;
  for (auto [count, loss] : zip_equal(options.candidates, losses)) {
    llvm::sort(loss);
    points.push_back({count, getQuantile(loss, 0.5), getQuantile(loss, 0.9)});
  }
  return points;
}

} // namespace tcgemm
