//===- Technique.h - Techniques for searching a pool ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A technique is used by a strategy, or by the bandit together with other
// techniques on the same pool.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_TECHNIQUE_H
#define TCGEMM_LIB_TUNER_SEARCH_TECHNIQUE_H

#include "Search/CandidatePool.h"

namespace tcgemm {

class Technique {
public:
  virtual ~Technique();
  /// A point that was not proposed before; the caller marks it. None if the
  /// technique has no proposal, or waits for reports.
  virtual std::optional<CandidateId> propose() = 0;
  /// Reports the result of a point of any technique. The pool already has it.
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

/// A strategy that uses one technique. If the technique has no proposal, the
/// strategy proposes random points, so that it ends when all points were tried.
/// With a model, each of these is the best of several by its estimate.
std::unique_ptr<Strategy> createTechniqueStrategy(
    llvm::StringLiteral name, const SearchSpace &space,
    const StrategyOptions &options,
    std::unique_ptr<Technique> (*create)(const CandidatePool &, uint64_t seed));

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_TECHNIQUE_H
