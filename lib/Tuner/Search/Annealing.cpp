//===- Annealing.cpp - Simulated annealing --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk from a point to one of its neighbours, which accepts a slower point
// with the probability exp(-(ln t' - ln t) / T) (Kirkpatrick, Gelatt and Vecchi
// 1983). The budget is not known here, so that the temperature decreases with
// the number of trials. At a low temperature the walk starts again from the
// best point, at a slightly higher temperature.
//
//===----------------------------------------------------------------------===//

#include "Search/Technique.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

class Annealing : public Technique {
public:
  Annealing(const CandidatePool &pool, uint64_t seed)
      : pool(pool), random(seed) {}

  std::optional<CandidateId> propose() override;
  void report(CandidateId id) override;

private:
  bool accepts(double cost, double before);

  /// Temperatures for logarithms of times: at first, 20 % slower points are
  /// accepted with a probability of one third.
  static constexpr double hot = 0.2, warm = 0.05, cold = 0.005, cooling = 0.93;
  static constexpr size_t numRandom = 8;

  const CandidatePool &pool;
  Random random;
  size_t drawn = 0;
  double temperature = hot;
  std::optional<CandidateId> current;
  std::vector<CandidateId> awaited;
};

} // namespace

bool Annealing::accepts(double cost, double before) {
  double rise = std::log(cost) - std::log(before);
  return rise <= 0 || random.uniform() < std::exp(-rise / temperature);
}

std::optional<CandidateId> Annealing::propose() {
  std::optional<CandidateId> best = pool.getBest();
  if (drawn < numRandom || !best) {
    ++drawn;
    return std::nullopt;
  }
  CandidateId from = current.value_or(*best);
  if (temperature < cold) {
    temperature = warm;
    from = *best;
  }
  current = from;
  std::vector<CandidateId> neighbours = pool.getNeighbours(from, random);
  llvm::erase_if(neighbours,
                 [&](CandidateId id) { return pool.isProposed(id); });
  std::optional<CandidateId> next;
  if (neighbours.empty()) {
    next = pool.findNearestUnproposed(pool.getPoint(from), random);
  } else {
    // From the nearer half: these points need the fewest other changes.
    size_t nearer = (neighbours.size() + 1) / 2;
    next = neighbours[random.below(nearer)];
  }
  if (next)
    awaited.push_back(*next);
  return next;
}

void Annealing::report(CandidateId id) {
  if (!is_contained(awaited, id) || !current)
    return;
  llvm::erase(awaited, id);
  temperature *= cooling;
  double cost = pool.getCost(id);
  if (cost != std::numeric_limits<double>::infinity() &&
      accepts(cost, pool.getCost(*current)))
    current = id;
}

std::unique_ptr<Technique> createAnnealing(const CandidatePool &pool,
                                           uint64_t seed) {
  return std::make_unique<Annealing>(pool, seed);
}

} // namespace tcgemm
