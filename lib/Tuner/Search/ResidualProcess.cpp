//===- ResidualProcess.cpp - The error of a model -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/ResidualProcess.h"

#include <cmath>

namespace tcgemm {

/// Standard deviations of logarithms: of the common error of all points (clock,
/// launch), of the error that neighbours share, and of a single measurement
/// together with the individual error of a point.
static constexpr double kCommon = 0.5, kShared = 0.15, kOwn = 0.02;
/// The distance in steps at which the correlation of residuals is 1/e.
static constexpr double kReach = 4;

ResidualProcess::ResidualProcess(const CandidatePool &pool,
                                 std::vector<double> means)
    : pool(pool), means(std::move(means)),
      variances(pool.size(), kCommon * kCommon + kShared * kShared) {}

double ResidualProcess::getPrior(CandidateId a, CandidateId b) const {
  return kCommon * kCommon +
         kShared * kShared * std::exp(-pool.getDistance(a, b) / kReach);
}

double ResidualProcess::getCovariance(CandidateId a, CandidateId b) const {
  double covariance = getPrior(a, b);
  for (const std::vector<double> &column : columns)
    covariance -= column[a] * column[b];
  return covariance;
}

void ResidualProcess::observe(CandidateId id, double logTime) {
  double deviation = std::sqrt(variances[id] + kOwn * kOwn);
  double surprise = (logTime - means[id]) / deviation;
  std::vector<double> column(pool.size());
  for (CandidateId other = 0; other != pool.size(); ++other)
    column[other] = getCovariance(other, id) / deviation;
  for (CandidateId other = 0; other != pool.size(); ++other) {
    means[other] += column[other] * surprise;
    variances[other] -= column[other] * column[other];
  }
  columns.push_back(std::move(column));
}

} // namespace tcgemm
