//===- Pruner.h - Candidates that need no measurement -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is pruned, that is, not compiled, if it takes longer than the
// best measured time:
//
// * in any case, because its lower bound (tcgemm/Model/TimeBound.h) does, or
// * probably, because a model's prediction less a margin does. The margin is a
//   quantile of the model's errors for the fast configurations of other
//   problems: with the quantile 0.95, at most 5 % of these would have been
//   pruned.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_PRUNER_H
#define TCGEMM_TUNER_PRUNER_H

#include "tcgemm/Model/SpeedLimits.h"
#include "tcgemm/Tuner/CostModel.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace tcgemm {

enum class PruneMode { None, Sound, Statistical };

enum class PruneReason {
  Bound,      ///< The lower bound is above the best time.
  Prediction, ///< The prediction less its margin is.
};
inline constexpr unsigned kNumPruneReasons = 2;
/// `bound`, `prediction`.
llvm::StringRef getPruneReasonName(PruneReason reason);

/// Why a candidate is not compiled; times in microseconds.
struct Pruning {
  PruneReason reason = PruneReason::Bound;
  double least = 0; ///< The bound, or the prediction less its margin.
  double best = 0;  ///< The best measured time.

  /// `bound: at least 210.32 us, but 173.08 us was measured`.
  std::string str() const;
};

struct PruneOptions {
  PruneMode mode = PruneMode::None;
  /// By chips. Candidates for other chips are not pruned by bounds.
  llvm::StringMap<SpeedLimits> limits;
  /// The model of the predictions, which `Statistical` needs. With `Sound` it
  /// only chooses the first candidate.
  TimeModel model;
  /// The part of the fast configurations of other problems that is kept, 0.5 to
  /// 1.
  double quantile = 0.95;
  /// Measurements of other problems; those of the same kind are used.
  std::vector<Record> sweeps;
};

/// The margins of predictions for a problem, as differences of logarithms.
using PredictionMargins = std::map<Schedule, double>;

/// The quantile of log(prediction / time) of the configurations in `sweeps`
/// that are within 10 % of the fastest of their problem, by schedules. The
/// problems have the kernel of `problem` and other sizes. Schedules with fewer
/// than kFewestErrors such configurations have no margin.
PredictionMargins findMargins(llvm::ArrayRef<Record> sweeps,
                              const TuningProblem &problem,
                              const ChipInfo &chip, const TimeModel &model,
                              double quantile);
inline constexpr size_t kFewestErrors = 20;

/// Decides for the candidates of one problem.
class ProblemPruner {
public:
  /// `options` must outlive this object.
  ProblemPruner(const PruneOptions &options, const ChipInfo &chip,
                const TuningProblem &problem);

  /// Why a legal `config` need not be measured after `best` microseconds were
  /// measured; none if it must be, or if `best` is 0.
  std::optional<Pruning> check(const KernelConfig &config, double best) const;
  /// The configuration to measure first: pruning needs a time to compare with.
  /// It has the least prediction, or without a model the least bound. None if
  /// the space is empty.
  std::optional<KernelConfig> chooseFirst(const SearchSpace &space) const;
  const PredictionMargins &getMargins() const { return margins; }

private:
  double getBound(const KernelConfig &config) const;

  const PruneOptions &options;
  const SpeedLimits *limits; ///< Null if there are none for the chip.
  const ChipInfo &chip;
  ProblemInfo problem;
  PredictionMargins margins;
};

/// The lower bound of a stored time that lies nearest to it.
struct BoundCheck {
  uint64_t records = 0; ///< The measured times that were compared.
  uint64_t below = 0;   ///< Those below their bound.
  /// The least time over bound, and its record.
  double least = 0;
  std::optional<Record> nearest;
};
/// Compares measured times with their bounds. Times of a model, failures and
/// configurations that are not computable are left out.
BoundCheck checkBounds(llvm::ArrayRef<Record> records, const ChipInfo &chip,
                       const SpeedLimits &limits);

/// The limits of a file, or of a shipped file by name: `nvidia-h200`.
llvm::Expected<SpeedLimits> readSpeedLimits(llvm::StringRef name);
/// The shipped limits, by chip.
llvm::Expected<llvm::StringMap<SpeedLimits>> readShippedLimits();

} // namespace tcgemm

#endif // TCGEMM_TUNER_PRUNER_H
