//===- RatioInterval.cpp - How two sets of times differ -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/RatioInterval.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// The differences of the elements of two sorted lists, in order, without a
/// list of them: there may be millions.
class Differences {
public:
  Differences(ArrayRef<double> from, ArrayRef<double> to)
      : from(from), to(to) {}

  double getCount() const {
    return static_cast<double>(from.size()) * static_cast<double>(to.size());
  }
  /// The smallest difference that at least `rank` differences do not exceed;
  /// ranks start at 1.
  double get(double rank) const {
    double low = to.front() - from.back(), high = to.back() - from.front();
    // Each step halves the range; doubles have 53 bits.
    for (unsigned i = 0; i != 80 && low < high; ++i) {
      double middle = low + (high - low) / 2;
      if (countUpTo(middle) >= rank)
        high = middle;
      else
        low = middle;
    }
    return high;
  }

private:
  double countUpTo(double limit) const {
    double count = 0;
    const double *first = from.begin();
    for (double value : to) {
      while (first != from.end() && value - *first > limit)
        ++first;
      count += static_cast<double>(from.end() - first);
    }
    return count;
  }
  ArrayRef<double> from, to;
};

/// The number of differences to leave out at each end for an interval that is
/// missed on each side with a probability of at most `tail`. None if no
/// interval has that confidence.
std::optional<double> getRanksOutside(size_t m, size_t n, double tail) {
  constexpr size_t mostExact = 2500;
  size_t pairs = m * n;
  if (pairs > mostExact) {
    double product = static_cast<double>(m) * static_cast<double>(n);
    double deviation = std::sqrt(product * static_cast<double>(m + n + 1) / 12);
    return std::floor(product / 2 -
                      getNormalQuantile(1 - 2 * tail) * deviation);
  }
  // The probability of each value of Mann and Whitney's statistic: coefficients
  // of a product of (1 - q^(n+i)) / (1 - q^i).
  std::vector<double> ways(pairs + 1);
  ways[0] = 1;
  double all = 1;
  for (size_t i = 1; i <= m; ++i) {
    for (size_t j = pairs; j >= n + i; --j)
      ways[j] -= ways[j - n - i];
    for (size_t j = i; j <= pairs; ++j)
      ways[j] += ways[j - i];
    all *= static_cast<double>(n + i) / static_cast<double>(i);
  }
  double sum = 0;
  size_t count = 0;
  // A confidence that is reached exactly counts, whatever is rounded.
  constexpr double rounding = 1 + 1e-9;
  while (count <= pairs && (sum + ways[count]) / all <= tail * rounding)
    sum += ways[count++];
  if (count == 0)
    return std::nullopt;
  return static_cast<double>(count - 1);
}

/// The logarithms in order; none if one does not exist.
std::optional<std::vector<double>> getLogarithms(ArrayRef<double> values) {
  std::vector<double> logarithms;
  for (double value : values) {
    if (!(value > 0) || !std::isfinite(value))
      return std::nullopt;
    logarithms.push_back(std::log(value));
  }
  llvm::sort(logarithms);
  return logarithms;
}

} // namespace

double getNormalQuantile(double confidence) {
  double low = 0, high = 40;
  for (unsigned i = 0; i != 80; ++i) {
    double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

std::optional<RatioInterval>
estimateRatio(ArrayRef<double> from, ArrayRef<double> to, double confidence) {
  std::optional<std::vector<double>> a = getLogarithms(from),
                                     b = getLogarithms(to);
  if (!a || !b || a->empty() || b->empty())
    return std::nullopt;
  std::optional<double> outside =
      getRanksOutside(a->size(), b->size(), (1 - confidence) / 2);
  if (!outside)
    return std::nullopt;
  Differences differences(*a, *b);
  double count = differences.getCount();
  auto get = [&](double rank) { return differences.get(rank); };
  double middle =
      (get(std::floor((count + 1) / 2)) + get(std::floor((count + 2) / 2))) / 2;
  return RatioInterval{std::exp(middle), std::exp(get(*outside + 1)),
                       std::exp(get(count - *outside))};
}

std::optional<RatioInterval> getGeometricMean(ArrayRef<RatioInterval> all,
                                              double confidence) {
  if (all.empty())
    return std::nullopt;
  double z = getNormalQuantile(confidence), sum = 0, variance = 0;
  for (const RatioInterval &ratio : all) {
    sum += std::log(ratio.ratio);
    double error = (std::log(ratio.high) - std::log(ratio.low)) / (2 * z);
    variance += error * error;
  }
  auto count = static_cast<double>(all.size());
  double mean = sum / count, reach = z * std::sqrt(variance) / count;
  return RatioInterval{std::exp(mean), std::exp(mean - reach),
                       std::exp(mean + reach)};
}

} // namespace tcgemm
