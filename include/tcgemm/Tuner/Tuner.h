//===- Tuner.h - The search for the fastest configuration -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a strategy with an evaluator and a budget: for each problem a search,
// and then a final between the fastest candidates. It prints nothing; observers
// do.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_TUNER_H
#define TCGEMM_TUNER_TUNER_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Tuner/Evaluator.h"
#include "tcgemm/Tuner/Finalists.h"
#include "tcgemm/Tuner/Pruner.h"
#include "tcgemm/Tuner/Strategy.h"

#include <atomic>

namespace tcgemm {

struct TunerOptions {
  std::string strategy = "exhaustive";
  StrategyOptions strategyOptions;
  Budget budget;
  /// The provider whose answer for a problem is the first candidate, even if no
  /// space contains it. The search therefore also measures the configuration
  /// that would be used without a search. `prepare` must have been called.
  std::shared_ptr<ConfigProvider> known;
  /// Decides which candidates are not compiled. With pruning, a search starts
  /// with the configuration that the model prefers, and waits for its time.
  PruneOptions prune;
  /// The only candidates of a problem, in place of the spaces and the strategy;
  /// an empty list searches the spaces.
  std::function<std::vector<KernelConfig>(const TuningProblem &)> getCandidates;
  FinalistRules finalists;
  const std::atomic<bool> *interrupted = nullptr;
};

/// The result of the search for one problem.
struct TuningResult {
  TuningProblem problem;
  /// Fastest first; ties with the first are those whose intervals overlap its.
  std::vector<Record> finalists;
  unsigned numTies = 0; ///< Ties among the other finalists.
  std::array<uint64_t, kNumOutcomes> outcomes{};
  uint64_t legal = 0; ///< Legal configurations of the spaces, and a known one.
  uint64_t tried = 0; ///< Tried candidates, including resumed ones.
  uint64_t resumed = 0; ///< Candidates with a record in the store.
  /// Candidates that were not tried, by PruneReason.
  std::array<uint64_t, kNumPruneReasons> pruned{};
  double seconds = 0;
  /// The reason of the end: `space`, `budget`, `interrupted`.
  std::string end;

  uint64_t getNumPruned() const {
    return std::accumulate(pruned.begin(), pruned.end(), uint64_t(0));
  }
  const Record *getBest() const {
    return finalists.empty() ? nullptr : &finalists.front();
  }
};

/// Receives the progress of a run. All calls come from one thread.
class TuningObserver {
public:
  virtual ~TuningObserver();
  /// `total`: the number of candidates that the budget allows, 0 if unknown.
  virtual void beginProblem(const TuningProblem &problem, uint64_t index,
                            uint64_t numProblems, uint64_t total) {}
  /// Reports one of several problems for which no configuration is legal.
  virtual void skipProblem(const TuningProblem &problem, uint64_t index,
                           uint64_t numProblems) {}
  /// `isResumed`: the record was in the store.
  virtual void record(const Record &record, bool isResumed) {}
  /// Reports a candidate that is not tried.
  virtual void prune(const Record &record, const Pruning &pruning) {}
  virtual void beginFinal(llvm::ArrayRef<Record> finalists) {}
  virtual void endProblem(const TuningResult &result) {}
  /// The device of this observer failed. Another one tunes its problems.
  virtual void loseDevice(llvm::StringRef failure) {}
};

/// The spaces that are searched for a problem.
using SpaceChoice =
    llvm::function_ref<llvm::ArrayRef<Space>(const TuningProblem &)>;

/// A device of a run.
struct TuningLane {
  std::string name; ///< For messages: `cuda:3`.
  Evaluator *evaluator = nullptr;
  const ChipInfo *chip = nullptr; ///< The target of its kernels.
  std::function<llvm::ArrayRef<Space>(const TuningProblem &)> getSpaces;
  TuningObserver *observer = nullptr;
};

/// Tunes problems on several devices at a time. Each device takes the next
/// problem, so that all candidates of a problem are timed on one device.
/// Devices whose platforms differ do not share problems: each model of device
/// tunes all of them. A device that fails with a DeviceError is not used again,
/// and its problem is tuned on another device of its model. The results of a
/// model are in the order of the problems. Errors: there is no such device, and
/// those of `tune`.
llvm::Expected<std::vector<TuningResult>>
tuneOnDevices(llvm::ArrayRef<TuningProblem> problems,
              llvm::ArrayRef<TuningLane> lanes, const TunerOptions &options);

/// Tunes problems one after the other. The spaces of a problem are searched one
/// after the other, followed by one final. Errors concern the whole run. A
/// problem without a legal configuration is an error only if this applies to
/// all problems.
llvm::Expected<std::vector<TuningResult>>
tune(llvm::ArrayRef<TuningProblem> problems, SpaceChoice getSpaces,
     const ChipInfo &chip, Evaluator &evaluator, const TunerOptions &options,
     TuningObserver &observer);
/// Like above, with the same spaces for all problems.
llvm::Expected<std::vector<TuningResult>>
tune(llvm::ArrayRef<TuningProblem> problems, llvm::ArrayRef<Space> spaces,
     const ChipInfo &chip, Evaluator &evaluator, const TunerOptions &options,
     TuningObserver &observer);

} // namespace tcgemm

#endif // TCGEMM_TUNER_TUNER_H
