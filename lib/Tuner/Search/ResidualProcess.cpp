//===- ResidualProcess.cpp - The error of a model -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/ResidualProcess.h"

#include <cmath>

namespace tcgemm {

ResidualProcess::ResidualProcess(const CandidatePool &pool,
                                 std::vector<double> means,
                                 const Deviations &deviations,
                                 std::vector<std::vector<double>> features)
    : pool(pool), deviations(deviations), features(std::move(features)),
      means(std::move(means)) {
  for (CandidateId id = 0; id != pool.size(); ++id)
    variances.push_back(getPrior(id, id));
}

double ResidualProcess::getPrior(CandidateId a, CandidateId b) const {
  auto square = [](double value) { return value * value; };
  double prior = square(deviations.common) +
                 square(deviations.shared) *
                     std::exp(-pool.getDistance(a, b) / deviations.reach);
  if (deviations.value > 0) {
    unsigned equal = 0;
    for (unsigned axis = 0; axis != pool.getNumAxes(); ++axis)
      equal += pool.getCoordinate(a, axis) == pool.getCoordinate(b, axis);
    prior += square(deviations.value) * equal;
  }
  if (features.empty())
    return prior;
  double product = 0;
  for (size_t i = 0; i != features[a].size(); ++i)
    product += features[a][i] * features[b][i];
  return prior + square(deviations.feature) * product;
}

double ResidualProcess::getCovariance(CandidateId a, CandidateId b) const {
  double covariance = getPrior(a, b);
  for (const std::vector<double> &column : columns)
    covariance -= column[a] * column[b];
  return covariance;
}

void ResidualProcess::observe(CandidateId id, double logTime) {
  double deviation = std::sqrt(variances[id] + deviations.own * deviations.own);
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
