//===- ResidualProcess.h - The error of a model -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Gaussian process over the points of a pool whose mean is a model's estimate
// (Rasmussen and Williams 2006, sections 2.2 and 2.7). If a trial was slower
// than estimated, similar points are expected to be slower too. Points are
// similar if few steps are between them, and if their times depend on the same
// features: a linear model of the error with uncertain weights (section 2.1.2).
// Each trial needs one pass over the pool, because the factor's columns are
// stored for all points.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_RESIDUALPROCESS_H
#define TCGEMM_LIB_TUNER_SEARCH_RESIDUALPROCESS_H

#include "Search/CandidatePool.h"

namespace tcgemm {

class ResidualProcess {
public:
  /// The standard deviations of the parts of the error, as logarithms.
  struct Deviations {
    double common = 0.5;  ///< Of all points: clock, launch.
    double shared = 0.15; ///< That neighbours share.
    double own = 0.02;    ///< Of a point and its measurement.
    double feature = 0;   ///< Of the weight of a feature.
    double value = 0;     ///< Of the effect of a value of an axis.
    double reach = 4;     ///< Steps at which neighbours correlate by 1/e.
  };

  /// `means` are the logarithms of the model's estimates for all points of the
  /// pool. The pool must outlive this object. `features` are those of all
  /// points, or none.
  ResidualProcess(const CandidatePool &pool, std::vector<double> means,
                  const Deviations &deviations,
                  std::vector<std::vector<double>> features = {});

  /// Adds the logarithm of a measured time.
  void observe(CandidateId id, double logTime);
  double getMean(CandidateId id) const { return means[id]; }
  double getVariance(CandidateId id) const { return variances[id]; }
  /// The covariance of two points, given the observations.
  double getCovariance(CandidateId a, CandidateId b) const;
  size_t getNumObserved() const { return columns.size(); }

private:
  double getPrior(CandidateId a, CandidateId b) const;

  const CandidatePool &pool;
  const Deviations deviations;
  std::vector<std::vector<double>> features;
  std::vector<double> means, variances;
  std::vector<std::vector<double>>
      columns; ///< Columns of the factor, for all points.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_RESIDUALPROCESS_H
