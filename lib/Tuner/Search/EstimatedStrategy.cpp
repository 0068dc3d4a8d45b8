//===- EstimatedStrategy.cpp - A model's order without corrections --------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proposes points in the order of a model's estimates, independent of results.
// A compilation in advance without a device therefore compiles the candidates
// that a search with the device proposes. Configurations with equal estimates
// often differ in details only, so that the strategy alternates between tiles.
//
//===----------------------------------------------------------------------===//

#include "Search/Strategies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace tcgemm {
namespace {

class EstimatedStrategy : public Strategy {
public:
  EstimatedStrategy(const SearchSpace &space, const CostModel &model);
  StringRef getName() const override { return "estimated"; }
  std::vector<SpacePoint> propose(size_t count) override {
    std::vector<SpacePoint> points;
    for (; points.size() < count && next != order.size(); ++next)
      points.push_back(space.getPoint(order[next]));
    return points;
  }
  void report(const Trial &) override {}

private:
  SearchSpace space;
  std::vector<uint64_t> order; ///< Indices; the smallest estimate is first.
  size_t next = 0;
};

struct Estimate {
  double time;
  uint64_t index;
};

} // namespace

EstimatedStrategy::EstimatedStrategy(const SearchSpace &space,
                                     const CostModel &model)
    : space(space) {
  // The penalty for each repetition of a tile that was already proposed.
  constexpr double repetition = 1.02;
  std::vector<Estimate> estimates;
  for (uint64_t index : space.getLegal())
    estimates.push_back(
        {model(space, space.getConfig(space.getPoint(index))), index});
  auto isFaster = [](const Estimate &a, const Estimate &b) {
    return std::tie(a.time, a.index) < std::tie(b.time, b.index);
  };
  llvm::sort(estimates, isFaster);
  StringMap<double> factors;
  for (Estimate &estimate : estimates) {
    KernelConfig config = space.getConfig(space.getPoint(estimate.index));
    double &factor =
        factors.try_emplace(config.get("cta") + config.get("split_k"), 1.0)
            .first->second;
    estimate.time *= factor;
    factor *= repetition;
  }
  llvm::sort(estimates, isFaster);
  for (const Estimate &estimate : estimates)
    order.push_back(estimate.index);
}

std::unique_ptr<Strategy>
createEstimatedStrategy(const SearchSpace &space,
                        const StrategyOptions &options) {
  return std::make_unique<EstimatedStrategy>(space, options.model);
}

} // namespace tcgemm
