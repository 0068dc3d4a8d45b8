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
//   filled = min(1, tiles / places)
//
// the time of all CTAs, and of memory, is
//
//   x = w0 + w1·steps + (rounds - 1)·(w2 + w3·steps) + w4·filled·steps
//   y = batch · (w5·M·K + w6·N·K + w7·M·N·slices)
//
// and the kernel's time is sqrt(x² + y²): the longer one hides a part of the
// shorter one, as in the fitted model (tcgemm/Model/AnalyticModel.h), which
// such formulas approximate. A step takes longer if more CTAs run, because they
// share the L2 cache.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_TIMEFORMULA_H
#define TCGEMM_STORE_TIMEFORMULA_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Problem/MatmulSizes.h"

namespace tcgemm {

/// The sizes of a product as formulas need them.
struct FormulaSizes {
  explicit FormulaSizes(const MatmulSizes &sizes);

  double m, n, k, batch;
  /// Millions of products of two sizes, for the whole batch.
  double mk, nk, mn;
};

/// The tile of a configuration, and how many CTAs run together.
struct FormulaShape {
  /// Elements along M and N of a CTA's tile, and along K of a step of all of a
  /// tile's slices.
  int64_t rows = 1, columns = 1, depth = 1;
  int64_t slices = 1; ///< CTAs that share a tile.
  int64_t places = 1; ///< CTAs that run together.

  static FormulaShape create(const KernelConfig &config, int64_t places);
};

/// The time of one configuration.
class TimeFormula {
public:
  static constexpr unsigned kNumWeights = 8;
  using Weights = std::array<double, kNumWeights>;

  TimeFormula() = default;
  /// `weights` are w0 to w7 in microseconds; those of y for a million elements.
  TimeFormula(unsigned config, const FormulaShape &shape,
              const Weights &weights);

  /// The number of the configuration.
  unsigned config = 0;
  const FormulaShape &getShape() const { return shape; }
  const Weights &getWeights() const { return weights; }

  /// The factors of the weights: five terms of x, three of y.
  Weights getTerms(const FormulaSizes &sizes) const {
    double tiles = sizes.batch * divideUp(sizes.m, perRow) *
                   divideUp(sizes.n, perColumn) * slices;
    double more = divideUp(tiles, perPlace) - 1;
    double steps = divideUp(sizes.k, perDepth);
    double filled = more > 0 ? 1 : tiles * perPlace;
    return {1,
            steps,
            more,
            more * steps,
            filled * steps,
            sizes.mk,
            sizes.nk,
            sizes.mn * slices};
  }
  /// The square of the time, which ranks as the time does.
  double estimateSquare(const FormulaSizes &sizes) const {
    Weights terms = getTerms(sizes);
    double x = weights[0] + weights[1] * terms[1] + weights[2] * terms[2] +
               weights[3] * terms[3] + weights[4] * terms[4];
    double y =
        weights[5] * terms[5] + weights[6] * terms[6] + weights[7] * terms[7];
    return x * x + y * y;
  }

private:
  /// The least whole number that is not less than a positive whole number times
  /// `factor`, the reciprocal of a whole number. The half keeps the product's
  /// error away from whole numbers. Reals of this size have no fraction, so
  /// that the sum rounds, which is faster than a conversion to an integer.
  static double divideUp(double value, double factor) {
    constexpr double noFraction = 4503599627370496.0;
    return ((value - 0.5) * factor + 0.5 + noFraction) - noFraction;
  }

  FormulaShape shape;
  Weights weights = {};
  /// The shape's slices, and reciprocals of its other numbers.
  double slices = 1, perRow = 1, perColumn = 1, perDepth = 1, perPlace = 1;
};

} // namespace tcgemm

#endif // TCGEMM_STORE_TIMEFORMULA_H
