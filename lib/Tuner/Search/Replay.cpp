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
    // Pruned candidates were not tried. They are no points of the sweep.
    if (record.outcome == Outcome::Pruned ||
        record.problem.str() != problem.str())
      continue;
    std::optional<double> &known = times[record.config.str()];
    double time = record.timing.median;
    if (record.isSuccess() && time > 0)
      known = known ? std::min(*known, time) : time;
    configs.push_back(record.config);
  }
  Sweep sweep{whole->restrictTo(configs), 0, {}, 0};
  for (uint64_t index : sweep.space.getLegal()) {
    KernelConfig config = sweep.space.getConfig(sweep.space.getPoint(index));
    std::optional<double> time = times.lookup(config.str());
    sweep.times.push_back(time.value_or(0));
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

namespace {

/// One run of a strategy.
class ReplayRun {
public:
  ReplayRun(const Sweep &sweep, Evaluator &evaluator,
            const ReplayOptions &options)
      : sweep(sweep), evaluator(evaluator), options(options),
        most(*llvm::max_element(options.candidates)) {}

  Error run(uint64_t seed, const ProblemPruner *useOfPruner);

  std::vector<double> best; ///< The best time after each candidate.
  std::array<uint64_t, kNumPruneReasons> pruned{};

private:
  /// A candidate that the evaluator has; no point if it is the pruner's choice.
  using Outstanding = std::optional<SpacePoint>;

  Expected<std::unique_ptr<Strategy>> createStrategy(uint64_t seed) const;
  Error submit(const KernelConfig &config, Outstanding point);
  Error submitFirst();
  Expected<bool> proposeOne();
  Expected<bool> takeAnswer();

  const Sweep &sweep;
  Evaluator &evaluator;
  const ReplayOptions &options;
  const ProblemPruner *pruner = nullptr;
  const uint64_t most;
  std::unique_ptr<Strategy> strategy;
  /// Replayed answers are in the order of the proposals.
  std::deque<Outstanding> outstanding;
  std::optional<Trial> first; ///< The result of the pruner's choice.
  SpacePoint firstPoint;
  uint64_t submitted = 0;
};

} // namespace

Expected<std::unique_ptr<Strategy>>
ReplayRun::createStrategy(uint64_t seed) const {
  StrategyOptions strategyOptions = options.strategyOptions;
  strategyOptions.seed = seed;
  // Each run starts a new protocol.
  if (strategyOptions.protocol)
    strategyOptions.protocol = std::make_shared<ProtocolRun>(
        ProtocolRun{strategyOptions.protocol->protocol, {}});
  return tcgemm::createStrategy(options.strategy, sweep.space, strategyOptions);
}

Error ReplayRun::submit(const KernelConfig &config, Outstanding point) {
  outstanding.push_back(std::move(point));
  ++submitted;
  return evaluator.submit(config);
}

/// Tries the pruner's choice, so that there is a time to compare with.
Error ReplayRun::submitFirst() {
  std::optional<KernelConfig> choice = pruner->chooseFirst(sweep.space);
  if (!choice)
    return Error::success();
  firstPoint = *sweep.space.findLegal(*choice);
  if (Error error = submit(*choice, std::nullopt))
    return error;
  return takeAnswer().takeError();
}

/// Submits the strategy's next proposal, or reports that it is pruned or known.
/// False if there is none now.
Expected<bool> ReplayRun::proposeOne() {
  std::vector<SpacePoint> points = strategy->propose(1);
  if (points.empty())
    return false;
  if (first && points[0] == firstPoint) {
    strategy->report(*first);
    return true;
  }
  KernelConfig config = sweep.space.getConfig(points[0]);
  if (pruner && !best.empty())
    if (std::optional<Pruning> pruning =
            pruner->check(config, std::isinf(best.back()) ? 0 : best.back())) {
      ++pruned[static_cast<unsigned>(pruning->reason)];
      strategy->report({points[0], Outcome::Pruned, 0});
      return true;
    }
  if (Error error = submit(config, std::move(points[0])))
    return std::move(error);
  return true;
}

/// Takes the next answer; false if there is none.
Expected<bool> ReplayRun::takeAnswer() {
  Expected<std::optional<Evaluation>> answer = evaluator.wait();
  if (!answer)
    return answer.takeError();
  if (!*answer)
    return false;
  const Record &record = (*answer)->record;
  double time = record.timing.median;
  double least =
      best.empty() ? std::numeric_limits<double>::infinity() : best.back();
  if (record.isSuccess() && time > 0)
    least = std::min(least, time);
  best.push_back(least);
  Outstanding point = std::move(outstanding.front());
  outstanding.pop_front();
  if (point)
    strategy->report({*point, record.outcome, time});
  else
    first = Trial{firstPoint, record.outcome, time};
  return true;
}

Error ReplayRun::run(uint64_t seed, const ProblemPruner *useOfPruner) {
  pruner = useOfPruner;
  Expected<std::unique_ptr<Strategy>> created = createStrategy(seed);
  if (!created)
    return created.takeError();
  strategy = std::move(*created);
  if (pruner)
    if (Error error = submitFirst())
      return error;
  while (true) {
    while ((pruner || submitted < most) &&
           outstanding.size() < options.outstanding) {
      Expected<bool> hasProposed = proposeOne();
      if (!hasProposed)
        return hasProposed.takeError();
      if (!*hasProposed)
        break;
    }
    Expected<bool> hasTaken = takeAnswer();
    if (!hasTaken)
      return hasTaken.takeError();
    if (!*hasTaken)
      return Error::success();
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

Expected<ReplayResult> replayStrategy(const Sweep &sweep, Evaluator &evaluator,
                                      const ReplayOptions &options) {
  std::vector<std::vector<double>> losses(options.candidates.size());
  std::vector<double> lasts;
  std::optional<ProblemPruner> pruner;
  if (options.prune.mode != PruneMode::None)
    pruner.emplace(options.prune, sweep.space.getChip(),
                   sweep.space.getProblem());
  ReplayResult result;
  for (unsigned number = 0; number != getNumRuns(options); ++number) {
    ReplayRun run(sweep, evaluator, options);
    if (Error error = run.run(options.strategyOptions.seed + number,
                              pruner ? &*pruner : nullptr))
      return std::move(error);
    for (auto [i, count] : enumerate(options.candidates)) {
      size_t last = std::min<size_t>(count, run.best.size());
      losses[i].push_back(run.best[last - 1] / sweep.optimum - 1);
    }
    lasts.push_back(run.best.back() / sweep.optimum - 1);
    result.tried += run.best.size();
    for (auto [sum, count] : zip_equal(result.pruned, run.pruned))
      sum += count;
  }
  for (auto [count, loss] : zip_equal(options.candidates, losses)) {
    llvm::sort(loss);
    result.points.push_back(
        {count, getQuantile(loss, 0.5), getQuantile(loss, 0.9)});
  }
  llvm::sort(lasts);
  result.loss = getQuantile(lasts, 0.5);
  return result;
}

} // namespace tcgemm
