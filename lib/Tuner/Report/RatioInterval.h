//===- RatioInterval.h - How two sets of times differ -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The estimate of Hodges and Lehmann for the ratio of two sets of times, with
// the interval that belongs to the test of Mann and Whitney (Hollander, Wolfe
// and Chicken, Nonparametric Statistical Methods, 2014, sections 4.2 and 4.3).
// It assumes that the times of one set are those of the other, multiplied by a
// constant; it assumes no distribution, and outliers change it little.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_REPORT_RATIOINTERVAL_H
#define TCGEMM_LIB_TUNER_REPORT_RATIOINTERVAL_H

#include "tcgemm/Tuner/Trend.h"

namespace tcgemm {

/// The ratio of `to` over `from` with an interval that contains it with the
/// given confidence. None if a time is not positive, or if there are too few
/// times for an interval of that confidence: 95 % need four of each, or two
/// against eight.
std::optional<RatioInterval> estimateRatio(llvm::ArrayRef<double> from,
                                           llvm::ArrayRef<double> to,
                                           double confidence);

/// The quantile of the standard normal distribution of which a part
/// `confidence` lies between its negative and itself: 1.96 for 0.95.
double getNormalQuantile(double confidence);

/// The geometric mean of ratios. Its interval assumes that their errors are
/// independent. None if there are no ratios.
std::optional<RatioInterval> getGeometricMean(llvm::ArrayRef<RatioInterval> all,
                                              double confidence);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_REPORT_RATIOINTERVAL_H
