//===- ModelFit.h - The model's constants from measurements -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_MODELFIT_H
#define TCGEMM_TUNER_MODELFIT_H

#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Record.h"

namespace tcgemm {

struct FitOptions {
  /// Emphasis of faster configurations: the weight is (best / time) to this
  /// power.
  double emphasis = 3;
  /// Weight of an error that is common to all configurations of a problem,
  /// relative to the errors between configurations, which determine the order.
  double offsetWeight = 0.1;
  /// Errors beyond it, as differences of logarithms, count linearly (Huber).
  double robust = 0.15;
  /// Penalty for the distance of a constant from its start value, per square of
  /// the logarithm. It determines constants that the data do not determine.
  double ridge = 1e-4;
  unsigned iterations = 40; ///< Maximum number of steps.
  /// With 2 or more, the problems are divided into as many folds, and the
  /// losses of each fold are those of constants fitted to the others.
  unsigned folds = 0;
};

/// The loss if the model chooses a problem's fastest configuration.
struct ChoiceLoss {
  std::string problem;
  /// The time of the configuration with the least estimate over the least time.
  double ratio = 1;
  double microseconds = 0, estimate = 0; ///< Its measured and estimated time.
  std::string config;
};

/// How well the constants of one schedule describe its records.
struct FitQuality {
  uint64_t records = 0, problems = 0;
  double error = 0; ///< Weighted root mean square of the logarithms' errors.
  std::vector<ChoiceLoss> losses; ///< Of each problem, the greatest first.
};

struct FitResult {
  ModelConstants constants;
  /// The quality for each schedule that has records.
  std::map<Schedule, FitQuality> qualities;
};

/// Fits the constants to the successes among `records`, which must be of one
/// chip: weighted least squares on logarithms of times, robust, by the method
/// of Levenberg and Marquardt over the constants' logarithms. A schedule
/// without records keeps the constants of `start`. Errors: there is no usable
/// record.
llvm::Expected<FitResult> fitModel(llvm::ArrayRef<Record> records,
                                   const ModelConstants &start,
                                   const FitOptions &options = {});

} // namespace tcgemm

#endif // TCGEMM_TUNER_MODELFIT_H
