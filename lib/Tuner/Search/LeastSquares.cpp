//===- LeastSquares.cpp - Minimization of sums of squares -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/LeastSquares.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace llvm;

namespace tcgemm {
namespace {

using Vector = std::vector<double>;
using Residuals = function_ref<Vector(ArrayRef<double>)>;

double multiply(ArrayRef<double> a, ArrayRef<double> b) {
  double sum = 0;
  for (auto [x, y] : zip_equal(a, b))
    sum += x * y;
  return sum;
}

/// The normal equations at a position: `matrix` times a step is `gradient`.
struct NormalEquations {
  std::vector<Vector> matrix;
  Vector gradient;
};

NormalEquations linearize(ArrayRef<double> place, ArrayRef<double> values,
                          double difference, Residuals residuals) {
  std::vector<Vector> derivatives;
  for (size_t i = 0; i != place.size(); ++i) {
    Vector moved = place.vec();
    moved[i] += difference;
    Vector changed = residuals(moved);
    for (auto [value, old] : zip_equal(changed, values))
      value = (value - old) / difference;
    derivatives.push_back(std::move(changed));
  }
  NormalEquations equations;
  for (const Vector &row : derivatives) {
    Vector products;
    for (const Vector &column : derivatives)
      products.push_back(multiply(row, column));
    equations.matrix.push_back(std::move(products));
    equations.gradient.push_back(multiply(row, values));
  }
  return equations;
}

/// Solves the equations with a diagonal that is enlarged by `damping`. The
/// matrix is then positive definite, so that elimination needs no pivots.
Vector solve(NormalEquations equations, double damping) {
  constexpr double least = 1e-12;
  std::vector<Vector> &a = equations.matrix;
  Vector &b = equations.gradient;
  size_t size = b.size();
  for (size_t i = 0; i != size; ++i)
    a[i][i] += damping * a[i][i] + least;
  for (size_t i = 0; i != size; ++i)
    for (size_t row = i + 1; row != size; ++row) {
      double factor = a[row][i] / a[i][i];
      for (size_t column = i; column != size; ++column)
        a[row][column] -= factor * a[i][column];
      b[row] -= factor * b[i];
    }
  for (size_t i = size; i-- > 0;) {
    for (size_t column = i + 1; column != size; ++column)
      b[i] -= a[i][column] * b[column];
    b[i] /= a[i][i];
  }
  return std::move(b);
}

} // namespace

std::vector<double> minimizeSquares(ArrayRef<double> start,
                                    const LeastSquaresOptions &options,
                                    Residuals residuals) {
  constexpr double mostDamping = 1e6, leastDamping = 1e-9;
  Vector place = start.vec(), values = residuals(place);
  double sum = multiply(values, values), damping = 1e-3;
  for (unsigned step = 0; step != options.iterations; ++step) {
    NormalEquations equations =
        linearize(place, values, options.difference, residuals);
    double gain = 0;
    for (; gain <= 0 && damping < mostDamping; damping *= 6) {
      Vector next = place;
      for (auto [x, change] : zip_equal(next, solve(equations, damping)))
        x -= std::clamp(change, -options.longestStep, options.longestStep);
      Vector nextValues = residuals(next);
      double nextSum = multiply(nextValues, nextValues);
      if (!(nextSum < sum))
        continue;
      gain = (sum - nextSum) / sum;
      place = std::move(next);
      values = std::move(nextValues);
      sum = nextSum;
      damping = std::max(damping / 30, leastDamping);
    }
    if (gain < options.tolerance)
      break;
  }
  return place;
}

} // namespace tcgemm
