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
  /// How much faster configurations count more: a weight of (best / time) to
  /// this power.
  double emphasis = 3;
  /// How much an error common to all configurations of a problem counts beside
  /// those between them, which decide the order.
  double offsetWeight = 0.1;
  /// Errors beyond it, as differences of logarithms, count linearly (Huber).
  double robust = 0.15;
  /// What it costs to move a constant from where the fit starts, for the square
  /// of its logarithm: decides what the data leave open.
  double ridge = 1e-4;
  unsigned rounds = 4;         ///< Simplices, each from the last one's minimum.
  unsigned evaluations = 3000; ///< Of each.
};

/// How well the constants of one schedule describe its records.
struct FitQuality {
  uint64_t records = 0, problems = 0;
  double error = 0; ///< Weighted root mean square of the logarithms' errors.
};

struct FitResult {
  ModelConstants constants;
  FitQuality wgmma, mmaSync;
};

/// Fits the constants to the successes among `records`, which must be of one
/// chip: weighted least squares on logarithms of times, robust, by downhill
/// simplices over the constants' logarithms. A schedule without records keeps
/// the constants of `start`. An error: no record that can be used.
llvm::Expected<FitResult> fitModel(llvm::ArrayRef<Record> records,
                                   const ModelConstants &start,
                                   const FitOptions &options = {});

} // namespace tcgemm

#endif // TCGEMM_TUNER_MODELFIT_H
