//===- Replay.h - Strategies on a stored sweep ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures how close a strategy comes to a sweep's optimum and after how many
// candidates, without a device, from the records of an exhaustive search. The
// space is restricted to the sweep's points, so that every proposal has a
// record.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_REPLAY_H
#define TCGEMM_TUNER_REPLAY_H

#include "tcgemm/Tuner/Evaluator.h"
#include "tcgemm/Tuner/Pruner.h"
#include "tcgemm/Tuner/Strategy.h"

namespace tcgemm {

/// The records of one problem that are points of a space.
struct Sweep {
  SearchSpace space; ///< Restricted to the records.
  uint64_t failures = 0;
  /// Microseconds of each legal point of `space`; zero for failures.
  std::vector<double> times;
  double optimum = 0; ///< Microseconds of the fastest record.
};

/// The sweep of `problem` in `space` from `records`, which may contain other
/// problems. Errors: no successful record.
llvm::Expected<Sweep> createSweep(const Space &space, const ChipInfo &chip,
                                  const TuningProblem &problem,
                                  llvm::ArrayRef<Record> records);

/// The loss of a set of runs relative to the fastest configuration after a
/// number of candidates: 0.03 is 3 %. Infinite if there was no success yet.
struct ReplayPoint {
  uint64_t candidates = 0;
  double median = 0, p90 = 0;
};

struct ReplayOptions {
  std::string strategy = "ranked";
  StrategyOptions strategyOptions; ///< With the seed of the first run.
  unsigned seeds = 20;             ///< Number of runs, with consecutive seeds.
  /// Number of outstanding candidates: a search on a device proposes without
  /// the latest results.
  unsigned outstanding = 1;
  /// The numbers of candidates after which the loss is computed; larger numbers
  /// mean the whole sweep.
  std::vector<uint64_t> candidates = {1, 2, 4, 8, 16, 32, 60, 120, 240};
  /// Decides which candidates are left out. With pruning, each run starts with
  /// the candidate of ProblemPruner::chooseFirst and tries the whole sweep.
  PruneOptions prune;
};

/// The result of a set of runs.
struct ReplayResult {
  /// For each of ReplayOptions::candidates; those are tried, not pruned.
  std::vector<ReplayPoint> points;
  /// Pruned candidates by PruneReason, of all runs together.
  std::array<uint64_t, kNumPruneReasons> pruned{};
  uint64_t tried = 0; ///< Of all runs together.
  double loss = 0;    ///< The median after all tried candidates.
};

/// Runs a strategy on a sweep, once for each seed, or once if the strategy is
/// not random. `evaluator` must have begun the problem. Errors are those of the
/// strategy or the evaluator.
llvm::Expected<ReplayResult> replayStrategy(const Sweep &sweep,
                                            Evaluator &evaluator,
                                            const ReplayOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TUNER_REPLAY_H
