//===- ReducedResult.cpp - Checking one result of a reduction -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReducedResult.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tcgemm;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static double toDouble(const ScalarConstant &constant) {
  if (const auto *integer = std::get_if<int64_t>(&constant))
    return static_cast<double>(*integer);
  return std::get<double>(constant);
}

ReducedResult::ReducedResult(const OperandInfo &info, double actual)
    : info(info), actual(actual), initial(toDouble(info.reduction->initial)) {}

void ReducedResult::add(const ReducedElement &element, int64_t coordinate) {
  ++count;
  isExact &= element.isExact;
  mayBeSpecial |= element.mayBeSpecial;
  addValue(element, coordinate);
}

void ReducedResult::merge(const ReducedResult &other) {
  mergeValues(other);
  count += other.count;
  isExact &= other.isExact;
  mayBeSpecial |= other.mayBeSpecial;
}

ReducedVerdict ReducedResult::judgeInterval(double expected, double low,
                                            double high) const {
  ReducedVerdict verdict;
  verdict.expected = expected;
  verdict.isExact = isExact && low == high;
  verdict.tolerance = (high - low) / 2;
  verdict.isRight = actual == expected || mayBeSpecial ||
                    (std::isnan(actual) && std::isnan(expected)) ||
                    (actual >= low && actual <= high);
  return verdict;
}

namespace {

/// A state that is a value. The ends of its interval are the combinations of
/// the ends of the elements' intervals, because all combiners but those of
/// unsigned integers, which are exact, are monotone.
class ReducedValue : public ReducedResult {
public:
  using ReducedResult::ReducedResult;

  void addValue(const ReducedElement &element, int64_t) override {
    Interval own;
    own.expected = element.expected;
    own.low = element.expected - element.tolerance;
    own.high = element.expected + element.tolerance;
    own.magnitude = std::fabs(element.expected) + element.tolerance;
    own.isWhole =
        element.isExact && std::trunc(element.expected) == element.expected;
    add(own);
  }
  void mergeValues(const ReducedResult &other) override {
    if (other.getCount())
      add(static_cast<const ReducedValue &>(other).all);
  }
  ReducedVerdict judge() const override {
    ReducedValue result = *this;
    ReducedElement first;
    first.expected = initial;
    first.isExact = true;
    result.addValue(first, 0);
    double rounding = getRounding(result.all);
    return judgeInterval(result.all.expected, result.all.low - rounding,
                         result.all.high + rounding);
  }

private:
  struct Interval {
    double expected = 0, low = 0, high = 0;
    double magnitude = 0; ///< Sum of the elements' absolute values.
    bool isWhole = true;  ///< All elements are exact integers.
  };
  void add(const Interval &own) {
    if (!hasValues) {
      all = own;
      hasValues = true;
      return;
    }
    // The reference rounds nothing. Sums of i32 wrap around.
    ScalarType type = isFloatType(info.type) ? ScalarType::F64 : info.type;
    Combiner combiner = getCombiner();
    all.expected = combine(combiner, type, all.expected, own.expected);
    all.low = combine(combiner, type, all.low, own.low);
    all.high = combine(combiner, type, all.high, own.high);
    all.magnitude += own.magnitude;
    all.isWhole &= own.isWhole;
  }
  /// The greatest rounding error of a sum.
  double getRounding(const Interval &result) const {
    if (!isOrdered(getCombiner()) ||
        (result.isWhole && result.magnitude * getUnit() <= 1))
      return 0;
    return getRoundings() * getUnit() * result.magnitude;
  }

  Interval all;
  bool hasValues = false;
};

/// The index of the greatest value. Of elements that are not exact, each is
/// right that may be the greatest.
class ReducedIndex : public ReducedResult {
public:
  using ReducedResult::ReducedResult;

  void addValue(const ReducedElement &element, int64_t coordinate) override {
    double value = element.expected;
    if (std::isnan(value) && getCombiner() != Combiner::ArgMaximumF)
      return;
    Rank rank{std::isnan(value), std::isnan(value) ? 0 : value};
    if (rank <= getLeast())
      return; // The initial index comes before it.
    note(rank, coordinate);
    double tolerance = std::isfinite(value) ? element.tolerance : 0;
    greatestLow =
        std::max(greatestLow, Rank{rank.first, rank.second - tolerance});
    if (static_cast<double>(coordinate) == actual)
      highOfActual =
          std::max(highOfActual, Rank{rank.first, rank.second + tolerance});
  }
  void mergeValues(const ReducedResult &other) override {
    const auto &part = static_cast<const ReducedIndex &>(other);
    if (part.greatest > kNone)
      note(part.greatest, part.index);
    greatestLow = std::max(greatestLow, part.greatestLow);
    highOfActual = std::max(highOfActual, part.highOfActual);
  }
  ReducedVerdict judge() const override {
    ReducedVerdict verdict;
    verdict.expected = greatest == kNone ? initial : static_cast<double>(index);
    verdict.isExact = isExact;
    bool mayBeGreatest =
        !isExact && highOfActual > kNone && highOfActual >= greatestLow;
    verdict.isRight =
        actual == verdict.expected || mayBeSpecial || mayBeGreatest;
    return verdict;
  }

private:
  /// Ordered as the combiner orders values: whether it is NaN, and the value.
  using Rank = std::pair<bool, double>;
  static constexpr Rank kNone{false, -kInfinity};

  /// The value that does not replace the initial index.
  Rank getLeast() const {
    return getCombiner() == Combiner::ArgMaxSI ? Rank{false, INT32_MIN} : kNone;
  }
  void note(const Rank &value, int64_t coordinate) {
    if (value < greatest || (value == greatest && coordinate > index))
      return;
    greatest = value;
    index = coordinate;
  }

  Rank greatest = kNone, greatestLow = kNone;
  Rank highOfActual = kNone; ///< Of the element that the device found.
  int64_t index = 0;
};

/// The sum of exp(x - greatest) of some x.
struct ExpSum {
  void add(const ExpSum &other) {
    bool hasNaN = std::isnan(greatest) || std::isnan(other.greatest);
    double next = hasNaN ? std::nan("") : std::max(greatest, other.greatest);
    sum = sum * getWeight(greatest, next) +
          other.sum * getWeight(other.greatest, next);
    greatest = next;
  }
  static double getWeight(double from, double to) {
    return from == to ? 1 : std::exp(from - to);
  }

  double greatest = -kInfinity, sum = 0;
};

/// The sum of exp(x - m). Each x may differ by its tolerance, and so may m.
class ReducedSumExp : public ReducedResult {
public:
  using ReducedResult::ReducedResult;

  void addValue(const ReducedElement &element, int64_t) override {
    exact.add({element.expected, 1});
    low.add({element.expected - element.tolerance, 1});
    high.add({element.expected + element.tolerance, 1});
  }
  void mergeValues(const ReducedResult &other) override {
    const auto &part = static_cast<const ReducedSumExp &>(other);
    exact.add(part.exact);
    low.add(part.low);
    high.add(part.high);
  }
  ReducedVerdict judge() const override {
    if (!count)
      return judgeInterval(initial, initial, initial);
    if (!std::isfinite(exact.greatest))
      return judgeInterval(std::nan(""), 1, 0);
    // The GPU's exp2 has a relative error of 2^-22, and a sum is scaled several
    // times. The greatest value itself adds 1.
    double error = 0x1p-19 + getRoundings() * getUnit();
    double least = low.sum * std::exp(low.greatest - high.greatest);
    double most = high.sum * std::exp(high.greatest - low.greatest);
    return judgeInterval(exact.sum, std::max(1.0, least) * (1 - error),
                         most * (1 + error));
  }

private:
  ExpSum exact, low, high;
};

/// A mean or a variance.
class ReducedMoment : public ReducedResult {
public:
  using ReducedResult::ReducedResult;

  void addValue(const ReducedElement &element, int64_t) override {
    addMoments(1, element.expected, 0);
    magnitude += std::fabs(element.expected);
    tolerances += element.tolerance;
    squaredTolerances += element.tolerance * element.tolerance;
  }
  void mergeValues(const ReducedResult &other) override {
    const auto &part = static_cast<const ReducedMoment &>(other);
    addMoments(part.number, part.mean, part.squares);
    magnitude += part.magnitude;
    tolerances += part.tolerances;
    squaredTolerances += part.squaredTolerances;
  }
  ReducedVerdict judge() const override {
    if (!count)
      return judgeInterval(0, 0, 0);
    bool isMean = getCombiner() == Combiner::MeanF;
    double expected = isMean ? mean : squares / number;
    if (!std::isfinite(expected)) {
      ReducedVerdict verdict = judgeInterval(expected, 1, 0);
      verdict.isRight |= !std::isfinite(actual);
      return verdict;
    }
    double shift = getRoundings() * getUnit() * magnitude / number;
    double error = shift + tolerances / number;
    if (!isMean) {
      // Deviations are wrong by their elements' errors and by that of the mean.
      double moved = std::sqrt(squaredTolerances / number) + shift;
      error = 2 * std::sqrt(expected) * moved + moved * moved +
              getRoundings() * getUnit() * expected;
    }
    // The variance of elements that may be anything may be anything.
    error = std::isnan(error) ? kInfinity : error;
    return judgeInterval(expected, expected - error, expected + error);
  }

private:
  void addMoments(double count, double mean, double squares) {
    if (count == 0)
      return;
    double difference = mean - this->mean, all = number + count;
    this->mean += difference * count / all;
    this->squares += squares + difference * difference * number * count / all;
    number = all;
  }

  double number = 0, mean = 0, squares = 0;
  double magnitude = 0, tolerances = 0, squaredTolerances = 0;
};

} // namespace

std::unique_ptr<ReducedResult>
tcgemm::createReducedResult(const OperandInfo &info, double actual) {
  switch (getStateKind(info.reduction->combiner)) {
  case StateKind::Value:
    return std::make_unique<ReducedValue>(info, actual);
  case StateKind::Index:
    return std::make_unique<ReducedIndex>(info, actual);
  case StateKind::SumExp:
    return std::make_unique<ReducedSumExp>(info, actual);
  case StateKind::Moments:
    return std::make_unique<ReducedMoment>(info, actual);
  }
  llvm_unreachable("covered switch");
}
