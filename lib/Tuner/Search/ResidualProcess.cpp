//===- ResidualProcess.cpp - What a model is wrong by ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/ResidualProcess.h"

#include <cmath>

namespace tcgemm {

/// Standard deviations of logarithms: of what is wrong everywhere alike (the
/// clock, the launch), of what neighbours share, and of a single measurement
/// with what is a point's own.
static constexpr double kCommon = 0.5, kShared = 0.15, kOwn = 0.02;
/// So many steps away, a residual is related by 1/e.
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
