//===- Technique.h - Ways to search a pool ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a strategy does alone and the bandit with several that share one pool.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_TECHNIQUE_H
#define TCGEMM_LIB_TUNER_SEARCH_TECHNIQUE_H

#include "Search/CandidatePool.h"

namespace tcgemm {

class Technique {
public:
  virtual ~Technique();
  /// A point that was not proposed before; the caller marks it. None if it has
  /// no wish, or waits for reports.
  virtual std::optional<CandidateId> propose() = 0;
  /// What became of a point, whoever proposed it; the pool knows it already.
  virtual void report(CandidateId id) = 0;
};

/// The pool must outlive the technique.
std::unique_ptr<Technique> createLocalSearch(const CandidatePool &pool,
                                             uint64_t seed);
std::unique_ptr<Technique> createGeneticSearch(const CandidatePool &pool,
                                               uint64_t seed);
std::unique_ptr<Technique> createAnnealing(const CandidatePool &pool,
                                           uint64_t seed);
/// Chooses among the three above.
std::unique_ptr<Technique> createBandit(const CandidatePool &pool,
                                        uint64_t seed);

/// A strategy that follows one technique, and goes on with random points where
/// it has no wish, so that it ends when all were tried. With a model, they are
/// the most promising ones of several.
std::unique_ptr<Strategy> createTechniqueStrategy(
    llvm::StringLiteral name, const SearchSpace &space,
    const StrategyOptions &options,
    std::unique_ptr<Technique> (*create)(const CandidatePool &, uint64_t seed));

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_TECHNIQUE_H
