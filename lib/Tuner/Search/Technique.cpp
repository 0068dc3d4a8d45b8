//===- Technique.cpp - A technique as a strategy --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/Technique.h"

#include <limits>

using namespace llvm;

namespace tcgemm {

Technique::~Technique() = default;

namespace {

class TechniqueStrategy : public Strategy {
public:
  TechniqueStrategy(StringLiteral name, const SearchSpace &space,
                    const StrategyOptions &options,
                    std::unique_ptr<Technique> (*create)(const CandidatePool &,
                                                         uint64_t))
      : name(name), pool(space), random(options.seed), model(options.model),
        // Independent of the random numbers that draw points.
        technique(create(pool, ~options.seed)) {}

  StringRef getName() const override { return name; }

  std::vector<SpacePoint> propose(size_t count) override {
    std::vector<SpacePoint> points;
    while (points.size() < count && pool.getNumUnproposed() > 0) {
      std::optional<CandidateId> id = technique->propose();
      if (!id)
        id = draw();
      pool.propose(*id);
      points.push_back(pool.getPoint(*id));
    }
    return points;
  }

  void report(const Trial &trial) override {
    CandidateId id = pool.getId(trial.point);
    bool isSuccess =
        trial.outcome == Outcome::Success && trial.microseconds > 0;
    pool.report(id, isSuccess ? trial.microseconds
                              : std::numeric_limits<double>::infinity());
    technique->report(id);
  }

private:
  /// A random point; with a model, the winner of a tournament by its estimates.
  CandidateId draw() {
    CandidateId best = pool.drawUnproposed(random);
    if (!model)
      return best;
    constexpr unsigned tournament = 16;
    auto estimate = [this](CandidateId id) {
      const SearchSpace &space = pool.getSpace();
      return model(space, space.getConfig(pool.getPoint(id)));
    };
    double least = estimate(best);
    for (unsigned i = 1; i != tournament; ++i) {
      CandidateId other = pool.drawUnproposed(random);
      if (double time = estimate(other); time < least) {
        best = other;
        least = time;
      }
    }
    return best;
  }

  StringLiteral name;
  CandidatePool pool;
  Random random;
  CostModel model; ///< May be empty.
  std::unique_ptr<Technique> technique;
};

} // namespace

std::unique_ptr<Strategy> createTechniqueStrategy(
    StringLiteral name, const SearchSpace &space,
    const StrategyOptions &options,
    std::unique_ptr<Technique> (*create)(const CandidatePool &,
                                         uint64_t seed)) {
  return std::make_unique<TechniqueStrategy>(name, space, options, create);
}

} // namespace tcgemm
