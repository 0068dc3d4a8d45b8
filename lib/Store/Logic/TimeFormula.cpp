//===- TimeFormula.cpp - A configuration's time from sizes ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/TimeFormula.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

/// ceil(value / divisor) of whole numbers. Reals are faster than integers, and
/// half an element keeps their error away from the next number. More than
/// `most` are counted as `most`.
static double divideUp(double value, int64_t divisor) {
  constexpr double most = 1e15;
  double quotient = (value - 0.5) / static_cast<double>(divisor);
  return static_cast<double>(
             static_cast<int64_t>(std::min(quotient, most))) +
         1;
}

TimeFormula TimeFormula::create(const KernelConfig &config, int64_t places) {
  TimeFormula formula;
  formula.slices = config.splitK * config.wgmma.cluster[2];
  formula.rows = config.cta[0];
  formula.columns = config.cta[1];
  formula.depth = config.cta[2] * formula.slices;
  formula.places = places;
  return formula;
}

std::array<double, TimeFormula::kNumWeights>
TimeFormula::getTerms(const MatmulSizes &sizes) const {
  auto m = static_cast<double>(sizes.m), n = static_cast<double>(sizes.n),
       k = static_cast<double>(sizes.k),
       batch = static_cast<double>(sizes.batch);
  auto parts = static_cast<double>(slices);
  double tiles = batch * divideUp(m, rows) * divideUp(n, columns) * parts;
  double more = divideUp(tiles, places) - 1, steps = divideUp(k, depth);
  double millions = batch / kMillion;
  return {1,
          steps,
          more,
          more * steps,
          millions * m * k,
          millions * n * k,
          millions * m * n * parts};
}

double TimeFormula::estimateSquare(const MatmulSizes &sizes) const {
  std::array<double, kNumWeights> terms = getTerms(sizes);
  double x = weights[0] + weights[1] * terms[1] + weights[2] * terms[2] +
             weights[3] * terms[3];
  double y =
      weights[4] * terms[4] + weights[5] * terms[5] + weights[6] * terms[6];
  return x * x + y * y;
}

} // namespace tcgemm
