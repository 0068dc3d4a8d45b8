//===- LocalSearch.cpp - Local search -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries a few random points, then first improvement from the best: neighbours
// are tried until one is faster, and the search continues there. If none is
// faster, it starts again, alternately from the fastest point whose neighbours
// were not tried and from a random point.
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
  /// The fastest known point whose neighbours were not tried.
  std::optional<CandidateId> findStart() const;

  /// The number of random points at the start.
  static constexpr size_t numRandom = 10;

  const CandidatePool &pool;
  Random random;
  size_t drawn = 0;
  double currentCost = std::numeric_limits<double>::infinity();
  /// Neighbours of the current point; the next one is at the end.
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
