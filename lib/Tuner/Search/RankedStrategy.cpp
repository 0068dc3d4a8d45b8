//===- RankedStrategy.cpp - Ranking by a corrected model ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proposes points in the order of a model's estimates, which results correct.
// The next point is the one with the least lower confidence bound. Points with
// uncertain estimates are therefore earlier, and points similar to an
// outstanding proposal wait for its report.
//
// `ranked` corrects points that are near each other. `modelled` also corrects
// the constants of the model, to which the sensitivities of the times are
// known, and the effect of each value of an axis.
//
//===----------------------------------------------------------------------===//

#include "Search/ResidualProcess.h"
#include "Search/Strategies.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

class RankedStrategy : public Strategy {
public:
  /// `name` is a literal.
  RankedStrategy(StringRef name, const SearchSpace &space,
                 const CostModel &model,
                 const ResidualProcess::Deviations &deviations, double optimism,
                 const ModelFeatures &features)
      : name(name), optimism(optimism), pool(space),
        process(pool, estimate(space, model), deviations,
                describe(space, features)) {}

  StringRef getName() const override { return name; }
  std::vector<SpacePoint> propose(size_t count) override;
  void report(const Trial &trial) override;

private:
  static std::vector<double> estimate(const SearchSpace &space,
                                      const CostModel &model);
  static std::vector<std::vector<double>>
  describe(const SearchSpace &space, const ModelFeatures &features);
  CandidateId findNext() const;

  /// The maximum number of observations; later trials hardly change the order.
  static constexpr size_t mostObserved = 100;

  StringRef name;
  /// The distance of the bound from the mean in standard deviations.
  double optimism;
  CandidatePool pool;
  ResidualProcess process;
  std::vector<CandidateId> awaited;
};

} // namespace

std::vector<double> RankedStrategy::estimate(const SearchSpace &space,
                                             const CostModel &model) {
  std::vector<double> means;
  for (uint64_t index : space.getLegal()) {
    double time = model(space, space.getConfig(space.getPoint(index)));
    means.push_back(std::log(std::max(time, 1e-9)));
  }
  return means;
}

std::vector<std::vector<double>>
RankedStrategy::describe(const SearchSpace &space,
                         const ModelFeatures &features) {
  std::vector<std::vector<double>> all;
  if (features)
    for (uint64_t index : space.getLegal())
      all.push_back(features(space, space.getConfig(space.getPoint(index))));
  return all;
}

CandidateId RankedStrategy::findNext() const {
  CandidateId best = pool.size();
  double least = 0;
  for (CandidateId id = 0; id != pool.size(); ++id) {
    if (pool.isProposed(id))
      continue;
    // An outstanding report also reduces the variance of this point.
    double variance = process.getVariance(id);
    for (CandidateId other : awaited) {
      double covariance = process.getCovariance(id, other);
      variance -= covariance * covariance / process.getVariance(other);
    }
    double bound =
        process.getMean(id) - optimism * std::sqrt(std::max(0.0, variance));
    if (best == pool.size() || bound < least) {
      best = id;
      least = bound;
    }
  }
  return best;
}

std::vector<SpacePoint> RankedStrategy::propose(size_t count) {
  std::vector<SpacePoint> points;
  while (points.size() < count && pool.getNumUnproposed() > 0) {
    CandidateId next = findNext();
    pool.propose(next);
    awaited.push_back(next);
    points.push_back(pool.getPoint(next));
  }
  return points;
}

void RankedStrategy::report(const Trial &trial) {
  CandidateId id = pool.getId(trial.point);
  llvm::erase(awaited, id);
  // Failures have no time.
  if (trial.outcome == Outcome::Success && trial.microseconds > 0 &&
      process.getNumObserved() < mostObserved)
    process.observe(id, std::log(trial.microseconds));
}

std::unique_ptr<Strategy> createRankedStrategy(const SearchSpace &space,
                                               const StrategyOptions &options) {
  return std::make_unique<RankedStrategy>("ranked", space, options.model,
                                          ResidualProcess::Deviations(),
                                          /*optimism=*/1, ModelFeatures());
}

std::unique_ptr<Strategy>
createModelledStrategy(const SearchSpace &space,
                       const StrategyOptions &options) {
  // Chosen by replays of stored sweeps (docs/experiments/search-quality.md).
  ResidualProcess::Deviations deviations;
  deviations.feature = 0.5;
  deviations.value = 0.15;
  deviations.shared = 0.1;
  deviations.own = 0.04;
  constexpr double optimism = 0.25;
  return std::make_unique<RankedStrategy>(
      "modelled", space, options.model, deviations, optimism, options.features);
}

} // namespace tcgemm
