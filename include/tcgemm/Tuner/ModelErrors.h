//===- ModelErrors.h - A model's times beside stored ones -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_MODELERRORS_H
#define TCGEMM_TUNER_MODELERRORS_H

#include "tcgemm/Tuner/Replay.h"

namespace tcgemm {

/// How a model's times of some configurations of a sweep differ from the
/// measured ones. A factor that is common to all of them does not matter to a
/// search, so that it is removed: the geometric mean of estimated over measured
/// times.
struct ModelErrors {
  size_t configurations = 0;
  double factor = 1;
  /// The mean of |estimated / (factor * measured) - 1|.
  double error = 0;
  /// Spearman's rank correlation of estimated and measured times; equal times
  /// have the mean of their ranks. None if there are fewer than three
  /// configurations, or if all times of one kind are equal.
  std::optional<double> correlation;
};

/// Compares the configurations that take at most `within` times the sweep's
/// optimum. `model` is not empty.
ModelErrors compareWithModel(const Sweep &sweep, const CostModel &model,
                             double within);

} // namespace tcgemm

#endif // TCGEMM_TUNER_MODELERRORS_H
