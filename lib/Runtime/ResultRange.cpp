//===- ResultRange.cpp - Possible results ---------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultRange.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tcgemm;

/// Sums of terms of one sign above this value overflow in any order of the
/// terms, those below the other one in none; between them roundings decide.
static long double getSurelyInfinite(ScalarType type) {
  return static_cast<long double>(getLargest(type)) * (1 + 0x1p-8L);
}
static long double getMaybeInfinite(ScalarType type) {
  return static_cast<long double>(getLargest(type)) * (1 - 0x1p-8L);
}

void ResultRange::widen(ScalarType type, double tolerance) {
  if (low > high)
    return;
  double largest = getLargest(type);
  low -= tolerance;
  high += tolerance;
  // Values nearer to the next power of two than to the largest round to
  // infinity.
  double limit = largest + getUlp(type, largest) / 2;
  hasPositive |= high >= limit;
  hasNegative |= low <= -limit;
}

bool ResultRange::contains(double value) const {
  if (std::isnan(value))
    return hasNaN;
  if (std::isinf(value))
    return value > 0 ? hasPositive : hasNegative;
  return value >= low && value <= high;
}

double tcgemm::overflowSum(ScalarType type, double value) {
  double rounded = roundToType(type, value);
  return std::isinf(rounded) ? rounded : value;
}

double tcgemm::moveSum(ScalarType type, double sum, double error) {
  if (!std::isfinite(sum))
    return sum;
  double largest = getLargest(type);
  return std::clamp(sum + error, -largest, largest);
}

bool tcgemm::mayOverflow(ScalarType type, long double squaredNorm) {
  long double limit = getMaybeInfinite(type);
  return squaredNorm >= limit * limit;
}

std::vector<double> tcgemm::findPossibleSums(ScalarType type,
                                             const OperandView &a,
                                             const OperandView &b,
                                             int64_t batch, int64_t m,
                                             int64_t n, int64_t k) {
  auto load = [](const OperandView &view, int64_t offset) {
    return loadElement(view.info->type, view.data, offset);
  };
  int64_t aStart = a.getBatchOffset(batch) + m * a.getStride(Dim::M);
  int64_t bStart = b.getBatchOffset(batch) + n * b.getStride(Dim::N);
  // The sum of the terms may be finite though some of them are not in double.
  long double positive = 0, negative = 0;
  bool plusInfinity = false, minusInfinity = false;
  for (int64_t i = 0; i != k; ++i) {
    long double left =
        load(a, aStart + i * a.getStride(Dim::K)) - a.getZeroPoint(batch, m, i);
    long double product = left *
                          (load(b, bStart + i * b.getStride(Dim::K)) -
                           b.getZeroPoint(batch, n, i)) *
                          a.getScale(batch, m, i) * b.getScale(batch, n, i);
    if (std::isnan(product))
      return {std::nan("")};
    if (std::isinf(product))
      (product > 0 ? plusInfinity : minusInfinity) = true;
    else
      (product > 0 ? positive : negative) += std::fabs(product);
  }
  bool mayRise = plusInfinity || positive >= getMaybeInfinite(type);
  bool mayFall = minusInfinity || negative >= getMaybeInfinite(type);
  long double sum = positive - negative;
  std::vector<double> sums;
  if (mayRise)
    sums.push_back(HUGE_VAL);
  if (mayFall)
    sums.push_back(-HUGE_VAL);
  if (mayRise && mayFall)
    sums.push_back(std::nan(""));
  long double largest = getLargest(type);
  if (!plusInfinity && !minusInfinity &&
      std::fabs(sum) < getSurelyInfinite(type))
    sums.push_back(static_cast<double>(std::clamp(sum, -largest, largest)));
  return sums;
}

bool tcgemm::hasSpecialValues(const OperandView &view) {
  if (view.info->role == OperandUse::Scalar)
    return !std::isfinite(view.scalar);
  if (!isFloatType(view.info->type))
    return false;
  bool found = false;
  std::vector<double> line(view.shape.getRowSize());
  view.shape.forEachRow([&](int64_t offset) {
    if (found)
      return;
    decodeRun(view.info->type, view.data, offset, view.shape.getRowStride(),
              static_cast<int64_t>(line.size()), line.data());
    found = llvm::any_of(line, [](double x) { return !std::isfinite(x); });
  });
  return found;
}
