//===- ModelErrors.cpp - A model's times beside stored ones ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/ModelErrors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {

/// The rank of each value; equal values have the mean of their ranks.
static std::vector<double> getRanks(ArrayRef<double> values) {
  auto order = to_vector(seq<size_t>(values.size()));
  llvm::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0, end = 0; first != order.size(); first = end) {
    while (end != order.size() && values[order[end]] == values[order[first]])
      ++end;
    for (size_t i = first; i != end; ++i)
      ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
  }
  return ranks;
}

/// Pearson's correlation; none if one side does not vary.
static std::optional<double> getCorrelation(ArrayRef<double> a,
                                            ArrayRef<double> b) {
  // Both sides are ranks, whose mean is the same.
  double mean = static_cast<double>(a.size() - 1) / 2;
  double squaresA = 0, squaresB = 0, products = 0;
  for (auto [x, y] : zip_equal(a, b)) {
    squaresA += (x - mean) * (x - mean);
    squaresB += (y - mean) * (y - mean);
    products += (x - mean) * (y - mean);
  }
  if (squaresA == 0 || squaresB == 0)
    return std::nullopt;
  return products / std::sqrt(squaresA * squaresB);
}

ModelErrors compareWithModel(const Sweep &sweep, const CostModel &model,
                             double within) {
  std::vector<double> measured, estimated;
  double logarithms = 0;
  for (auto [index, time] : zip_equal(sweep.space.getLegal(), sweep.times)) {
    if (time == 0 || time > within * sweep.optimum)
      continue;
    measured.push_back(time);
    estimated.push_back(
        model(sweep.space, sweep.space.getConfig(sweep.space.getPoint(index))));
    logarithms += std::log(estimated.back() / time);
  }
  ModelErrors errors;
  errors.configurations = measured.size();
  auto count = static_cast<double>(measured.size());
  errors.factor = std::exp(logarithms / count);
  for (auto [time, estimate] : zip_equal(measured, estimated))
    errors.error += std::abs(estimate / (errors.factor * time) - 1) / count;
  constexpr size_t fewest = 3;
  if (measured.size() >= fewest)
    errors.correlation =
        getCorrelation(getRanks(measured), getRanks(estimated));
  return errors;
}

} // namespace tcgemm
