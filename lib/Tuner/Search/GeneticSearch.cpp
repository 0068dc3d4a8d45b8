//===- GeneticSearch.cpp - A genetic algorithm ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steady state: each report may replace the slowest member of the population.
// Each proposal is a child of two parents chosen by tournament. Children are
// rarely legal, so that the nearest untried point replaces them.
//
//===----------------------------------------------------------------------===//

#include "Search/Technique.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

class GeneticSearch : public Technique {
public:
  GeneticSearch(const CandidatePool &pool, uint64_t seed)
      : pool(pool), random(seed) {}

  std::optional<CandidateId> propose() override;
  void report(CandidateId id) override;

private:
  CandidateId choose();

  static constexpr size_t size = 10;
  static constexpr unsigned tournament = 3;
  static constexpr double crossover = 0.7;

  const CandidatePool &pool;
  Random random;
  size_t drawn = 0;
  std::vector<CandidateId> population; ///< Fastest first.
};

} // namespace

/// The population is sorted, so that the least of a few random indices wins the
/// tournament.
CandidateId GeneticSearch::choose() {
  uint64_t place = population.size();
  for (unsigned i = 0; i != tournament; ++i)
    place = std::min(place, random.below(population.size()));
  return population[place];
}

std::optional<CandidateId> GeneticSearch::propose() {
  if (drawn < size || population.empty()) {
    ++drawn;
    return std::nullopt;
  }
  SpacePoint child = pool.getPoint(choose());
  if (random.uniform() < crossover) {
    SpacePoint other = pool.getPoint(choose());
    for (unsigned axis = 0; axis != pool.getNumAxes(); ++axis)
      if (random.below(2))
        child[axis] = other[axis];
  }
  // One axis mutates on average.
  const SearchSpace &space = pool.getSpace();
  for (unsigned axis = 0; axis != pool.getNumAxes(); ++axis) {
    unsigned numValues = space.getNumValues(axis);
    if (numValues < 2 || random.below(pool.getNumAxes()) != 0)
      continue;
    if (child[axis] == 0 || (child[axis] + 1U < numValues && random.below(2)))
      ++child[axis];
    else
      --child[axis];
  }
  return pool.findNearestUnproposed(child, random);
}

void GeneticSearch::report(CandidateId id) {
  double cost = pool.getCost(id);
  if (cost == std::numeric_limits<double>::infinity())
    return;
  auto place =
      llvm::upper_bound(population, cost, [&](double cost, CandidateId other) {
        return cost < pool.getCost(other);
      });
  population.insert(place, id);
  if (population.size() > size)
    population.pop_back();
}

std::unique_ptr<Technique> createGeneticSearch(const CandidatePool &pool,
                                               uint64_t seed) {
  return std::make_unique<GeneticSearch>(pool, seed);
}

} // namespace tcgemm
