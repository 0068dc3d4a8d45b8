//===- TimeFormula.h - A configuration's time from sizes --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thresholds cannot express how tiles fill the waves of a GPU. A formula can,
// and takes some nanoseconds: with
//
//   tiles  = batch · ceil(M / rows) · ceil(N / columns) · slices
//   rounds = ceil(tiles / places)
//   steps  = ceil(K / depth)
//
// the time of all CTAs, and of memory, is
//
//   x = w0 + w1·steps + (rounds - 1)·(w2 + w3·steps)
//   y = batch · (w4·M·K + w5·N·K + w6·M·N·slices)
//
// and the kernel's time is sqrt(x² + y²): the longer one hides a part of the
// shorter one, as in the fitted model (tcgemm/Model/AnalyticModel.h), which
// such formulas approximate.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_TIMEFORMULA_H
#define TCGEMM_STORE_TIMEFORMULA_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Problem/MatmulSizes.h"

namespace tcgemm {

/// The time of one configuration.
struct TimeFormula {
  static constexpr unsigned kNumWeights = 7;
  /// Sums of products of sizes are counted in millions.
  static constexpr double kMillion = 1e6;

  unsigned config = 0; ///< Its number.
  /// Elements along M and N of a CTA's tile, and along K of a step of all of a
  /// tile's slices.
  int64_t rows = 1, columns = 1, depth = 1;
  int64_t slices = 1; ///< CTAs that share a tile.
  int64_t places = 1; ///< CTAs that run together.
  /// w0 to w6, in microseconds; those of y for a million elements.
  std::array<double, kNumWeights> weights = {};

  /// A formula without weights.
  static TimeFormula create(const KernelConfig &config, int64_t places);
  /// What the weights multiply: four terms of x, three of y.
  std::array<double, kNumWeights> getTerms(const MatmulSizes &sizes) const;
  /// The square of the time, which ranks as the time does.
  double estimateSquare(const MatmulSizes &sizes) const;
};

} // namespace tcgemm

#endif // TCGEMM_STORE_TIMEFORMULA_H
