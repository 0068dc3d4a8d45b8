//===- LeastSquares.h - Minimization of sums of squares ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_LEASTSQUARES_H
#define TCGEMM_LIB_TUNER_SEARCH_LEASTSQUARES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace tcgemm {

struct LeastSquaresOptions {
  unsigned iterations = 40; ///< Maximum number of accepted steps.
  double difference = 1e-4; ///< Step of the numerical derivatives.
  double longestStep = 0.7; ///< Limit of a step along each coordinate.
  /// Ends when a step reduces the sum by less than this part of it.
  double tolerance = 1e-6;
};

/// The method of Levenberg and Marquardt with numerical derivatives.
/// `residuals` returns the same number of finite values for each position; the
/// sum of their squares is minimized. Deterministic. Returns the best position.
std::vector<double> minimizeSquares(
    llvm::ArrayRef<double> start, const LeastSquaresOptions &options,
    llvm::function_ref<std::vector<double>(llvm::ArrayRef<double>)> residuals);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_LEASTSQUARES_H
