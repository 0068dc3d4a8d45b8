//===- LocalSearch.cpp - From neighbour to neighbour ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few random points, then first improvement from the best: neighbours are
// tried until one is faster, and the search goes on from there. Where none is,
// it starts again from the fastest point whose neighbours were not tried, in
// turns with a random one.
//
//===----------------------------------------------------------------------===//

#include "Search/Technique.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

class LocalSearch : public Technique {
public:
  LocalSearch(const CandidatePool &pool, uint64_t seed)
      : pool(pool), random(seed) {}

  std::optional<CandidateId> propose() override;
  void report(CandidateId id) override;

private:
  void moveTo(CandidateId id);
  /// The fastest known point whose neighbourhood was not looked at.
  std::optional<CandidateId> findStart() const;

  /// So many points of the first are random.
  static constexpr size_t numRandom = 10;

  const CandidatePool &pool;
  Random random;
  size_t drawn = 0;
  double currentCost = std::numeric_limits<double>::infinity();
  /// Of the current point, the next at the end.
  std::vector<CandidateId> neighbours;
  DenseSet<CandidateId> visited;
  std::vector<CandidateId> known; ///< Successes.
};

} // namespace

void LocalSearch::moveTo(CandidateId id) {
  currentCost = pool.getCost(id);
  visited.insert(id);
  neighbours = pool.getNeighbours(id, random);
  std::reverse(neighbours.begin(), neighbours.end());
}

std::optional<CandidateId> LocalSearch::findStart() const {
  std::optional<CandidateId> best;
  for (CandidateId id : known)
    if (!visited.contains(id) &&
        (!best || pool.getCost(id) < pool.getCost(*best)))
      best = id;
  return best;
}

std::optional<CandidateId> LocalSearch::propose() {
  if (drawn < numRandom) {
    ++drawn;
    return std::nullopt;
  }
  while (true) {
    while (!neighbours.empty()) {
      CandidateId next = neighbours.back();
      neighbours.pop_back();
      if (!pool.isProposed(next))
        return next;
      if (pool.isKnown(next) && pool.getCost(next) < currentCost)
        moveTo(next);
    }
    std::optional<CandidateId> start = findStart();
    if (!start)
      return std::nullopt;
    moveTo(*start);
  }
}

void LocalSearch::report(CandidateId id) {
  if (pool.getCost(id) == std::numeric_limits<double>::infinity())
    return;
  known.push_back(id);
  // Before the first start, points are only collected.
  if (!visited.empty() && pool.getCost(id) < currentCost)
    moveTo(id);
}

std::unique_ptr<Technique> createLocalSearch(const CandidatePool &pool,
                                             uint64_t seed) {
  return std::make_unique<LocalSearch>(pool, seed);
}

} // namespace tcgemm
