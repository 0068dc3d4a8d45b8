//===- ProblemSearch.h - The search of one problem --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_PROBLEMSEARCH_H
#define TCGEMM_LIB_TUNER_SEARCH_PROBLEMSEARCH_H

#include "tcgemm/Tuner/Tuner.h"
#include "llvm/ADT/StringMap.h"

#include <chrono>
#include <deque>

namespace tcgemm {

/// A search and its final. `advance` makes progress, so that one thread can run
/// the searches of several devices.
class ProblemSearch {
public:
  ProblemSearch(const TuningProblem &problem, Evaluator &evaluator,
                const TunerOptions &options, TuningObserver &observer)
      : evaluator(evaluator), options(options), observer(observer) {
    result.problem = problem;
  }

  llvm::Error addSpace(const Space &space, const ChipInfo &chip);
  /// Adds the answer of `options.known`, and with pruning the model's choices;
  /// called after all spaces are added.
  void addFirst(const ChipInfo &chip);
  /// Adds configurations that are candidates without a space.
  void addCandidates(std::vector<KernelConfig> configs);
  /// The number of candidates that the budget allows; called after all spaces
  /// are added.
  uint64_t getTotal() const;
  /// Starts the search; called after all spaces are added.
  llvm::Error start();
  /// Makes progress without waiting. True at the end, when `result` is
  /// complete.
  llvm::Expected<bool> advance();

  TuningResult result;

private:
  using Clock = std::chrono::steady_clock;
  /// A submitted configuration and its result.
  struct Submission {
    bool isKnown = false;
    Outcome outcome = Outcome::Success;
    double microseconds = 0;
  };
  /// A space with its strategy, and the strategy's proposals without a report,
  /// the oldest first. Several spaces may contain the same configuration.
  struct Part {
    SearchSpace space;
    std::unique_ptr<Strategy> strategy;
    std::deque<std::pair<SpacePoint, const Submission *>> untold;
  };

  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }
  double getSeconds() const {
    return std::chrono::duration<double>(Clock::now() - beganAt).count();
  }
  bool isBudgetSpent() const;
  bool isAwaitingFirst() const;
  void addKnown(const ChipInfo &chip);
  Record makePruned(const KernelConfig &config, const Pruning &pruning) const;
  llvm::Expected<bool> pruneIfSlow(const KernelConfig &config);
  llvm::Expected<const Submission *> submit(const KernelConfig &config);
  void noteTold(const Submission &submission);
  bool tellOldest(Part &part);
  std::vector<SpacePoint> propose(Part &part);
  llvm::Expected<bool> submitSome();
  void tell(const Evaluation &evaluation);
  llvm::Expected<std::vector<Record>> findHidden();
  llvm::Error startFinal();
  void endFinal(std::vector<Record> refined);
  llvm::Error endSearch();
  void finish();

  Evaluator &evaluator;
  const TunerOptions &options;
  TuningObserver &observer;
  Clock::time_point beganAt = Clock::now();
  bool isInFinal = false;
  std::vector<Part> parts;
  /// Submitted before the strategies' proposals.
  std::vector<KernelConfig> first;
  std::optional<ProblemPruner> pruner;
  /// The best time among the first candidates and those that were told to
  /// strategies. It decides what is pruned, so that a resumed search, which has
  /// some results earlier, prunes the same.
  double bestTold = 0;
  /// The platform of a success, which pruned candidates have, too.
  std::optional<Platform> platform;
  llvm::StringMap<Submission> submissions; ///< By the configurations' texts.
  size_t nextPart = 0;
  uint64_t submitted = 0;
  std::vector<Record> successes;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_PROBLEMSEARCH_H
