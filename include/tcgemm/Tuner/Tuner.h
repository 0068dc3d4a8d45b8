//===- Tuner.h - The search for the fastest configuration -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings a strategy, an evaluator and a budget together: for each problem the
// search, then a final between the fastest. It prints nothing; observers do.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_TUNER_H
#define TCGEMM_TUNER_TUNER_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Tuner/Evaluator.h"
#include "tcgemm/Tuner/Strategy.h"

#include <atomic>

namespace tcgemm {

struct TunerOptions {
  std::string strategy = "exhaustive";
  StrategyOptions strategyOptions;
  Budget budget;
  /// Its answer for a problem is the first candidate, whether or not a space
  /// has it, so that a search measures what would be taken without one, too.
  /// Its `prepare` was called.
  std::shared_ptr<ConfigProvider> known;
  /// Finalists: the fastest within this factor of the best, at most so many.
  /// With 0 there is no final: the fastest of the search is the result.
  double finalFactor = 1.05;
  unsigned maxFinalists = 5;
  /// Kernels of at least `longMicroseconds` reach the limit of the board's
  /// power once they run on end, as they do in a final, and then come in
  /// another order than in the search. Of them there are twice as many
  /// finalists, by this factor.
  double longMicroseconds = 80, longFactor = 1.12;
  const std::atomic<bool> *interrupted = nullptr;
};

/// What the search of one problem came to.
struct TuningResult {
  TuningProblem problem;
  /// Fastest first; ties with the first are those whose intervals overlap its.
  std::vector<Record> finalists;
  unsigned numTies = 0; ///< Of the others among the finalists.
  std::array<uint64_t, kNumOutcomes> outcomes{};
  uint64_t legal = 0;   ///< Configurations of the spaces, and a known one.
  uint64_t tried = 0;   ///< Resumed ones included.
  uint64_t resumed = 0; ///< Answered by the store.
  double seconds = 0;
  /// What ended it: `space`, `budget`, `interrupted`.
  std::string end;

  const Record *getBest() const {
    return finalists.empty() ? nullptr : &finalists.front();
  }
};

/// Is told how a run gets on; calls come from one thread.
class TuningObserver {
public:
  virtual ~TuningObserver();
  /// `total`: how many candidates the budget allows, 0 if it is not known.
  virtual void beginProblem(const TuningProblem &problem, uint64_t index,
                            uint64_t numProblems, uint64_t total) {}
  /// Of several problems, one for which no configuration is legal.
  virtual void skipProblem(const TuningProblem &problem, uint64_t index,
                           uint64_t numProblems) {}
  /// `isResumed`: the store had it.
  virtual void record(const Record &record, bool isResumed) {}
  virtual void beginFinal(llvm::ArrayRef<Record> finalists) {}
  virtual void endProblem(const TuningResult &result) {}
};

/// The spaces that a problem is searched in.
using SpaceChoice =
    llvm::function_ref<llvm::ArrayRef<Space>(const TuningProblem &)>;

/// Tunes problems one after the other. A problem's spaces are searched
/// together: each in turn, with one final. An error is one of the whole run;
/// that nothing is legal is one only if that is so for every problem.
llvm::Expected<std::vector<TuningResult>>
tune(llvm::ArrayRef<TuningProblem> problems, SpaceChoice getSpaces,
     const ChipInfo &chip, Evaluator &evaluator, const TunerOptions &options,
     TuningObserver &observer);
/// The same with the same spaces for all problems.
llvm::Expected<std::vector<TuningResult>>
tune(llvm::ArrayRef<TuningProblem> problems, llvm::ArrayRef<Space> spaces,
     const ChipInfo &chip, Evaluator &evaluator, const TunerOptions &options,
     TuningObserver &observer);

} // namespace tcgemm

#endif // TCGEMM_TUNER_TUNER_H
