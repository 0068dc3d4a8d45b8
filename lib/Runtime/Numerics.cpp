//===- Numerics.cpp - Errors of products by their depth -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Numerics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// In the order of the enumeration.
static constexpr llvm::StringLiteral kDataNames[] = {"normal", "wide",
                                                     "cancelling"};

llvm::StringRef tcgemm::getName(NumericsData data) {
  return kDataNames[static_cast<unsigned>(data)];
}

llvm::Expected<NumericsData> tcgemm::parseNumericsData(llvm::StringRef name) {
  const auto *found = llvm::find(kDataNames, name);
  if (found == std::end(kDataNames))
    return llvm::createStringError(
        "data: '" + name + "' is none of " +
        llvm::join(llvm::ArrayRef(kDataNames), ", "));
  return static_cast<NumericsData>(found - kDataNames);
}

/// `count` numbers of a distribution, from streams of their own.
static std::vector<double> drawNumbers(FillOptions::Kind kind, int64_t count,
                                       uint64_t seed) {
  HostTensor tensor(ScalarType::F64, StridedShape::rowMajor({count}));
  FillOptions options;
  options.kind = kind;
  llvm::cantFail(fillTensor(tensor, options, seed));
  std::vector<double> numbers(count);
  decodeRun(tensor.type, tensor.bytes.data(), 0, 1, count, numbers.data());
  return numbers;
}

/// The largest power of two by which Wide scales numbers of `type`.
static double getWideExponent(ScalarType type) {
  return std::min(20.0, std::floor(std::log2(getLargest(type)) / 4));
}

static void round(std::vector<double> &numbers, ScalarType type) {
  for (double &number : numbers)
    number = roundToType(type, number);
}

/// Makes each number of odd k almost the negative of the one before it.
static void cancel(std::vector<double> &numbers, int64_t k, ScalarType type,
                   llvm::ArrayRef<double> noise) {
  double difference = std::max(0x1p-13, getUlp(type, 1));
  for (size_t row = 0; row != numbers.size(); row += k)
    for (int64_t i = 1; i < k; i += 2)
      numbers[row + i] =
          -numbers[row + i - 1] * (1 + difference * noise[row + i]);
}

NumericsProblem NumericsProblem::draw(NumericsData data, ScalarType typeA,
                                      ScalarType typeB, int64_t m, int64_t n,
                                      int64_t k, uint64_t seed) {
  NumericsProblem problem{m, n, k, {}, {}};
  for (unsigned operand : {0, 1}) {
    std::vector<double> &numbers = operand ? problem.b : problem.a;
    ScalarType type = operand ? typeB : typeA;
    int64_t count = (operand ? n : m) * k;
    auto drawMore = [&](FillOptions::Kind kind, uint64_t stream) {
      return drawNumbers(kind, count, mixSeed(seed, 2 * stream + operand));
    };
    numbers = drawMore(FillOptions::Normal, 0);
    if (data == NumericsData::Wide)
      for (auto [number, exponent] :
           llvm::zip_equal(numbers, drawMore(FillOptions::Uniform, 1)))
        number *= std::exp2(getWideExponent(type) * exponent);
    round(numbers, type);
    if (data == NumericsData::Cancelling && operand == 0) {
      cancel(numbers, k, type, drawMore(FillOptions::Normal, 1));
      round(numbers, type);
    }
    // Neighbours of B are equal, so that the terms have A's signs.
    if (data == NumericsData::Cancelling && operand == 1)
      for (int64_t i = 0; i != count; ++i)
        if (i % k % 2)
          numbers[i] = numbers[i - 1];
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

NumericsReference::NumericsReference(const NumericsProblem &problem)
    : problem(problem), product(problem.m * problem.n),
      magnitude(problem.m * problem.n) {
  parallelFor(problem.m, [&](int64_t row) {
    const double *a = problem.a.data() + row * problem.k;
    for (int64_t column = 0; column != problem.n; ++column) {
      const double *b = problem.b.data() + column * problem.k;
      long double sum = 0, size = 0;
      for (int64_t i = 0; i != problem.k; ++i) {
        long double term = static_cast<long double>(a[i]) * b[i];
        sum += term;
        size += std::fabs(term);
      }
      product[row * problem.n + column] = sum;
      magnitude[row * problem.n + column] = size;
    }
  });
}

NumericsError NumericsReference::measure(llvm::ArrayRef<double> c) const {
  NumericsError error;
  for (auto [value, exact, size] : llvm::zip_equal(c, product, magnitude)) {
    long double difference = std::fabs(value - exact);
    auto each = static_cast<double>(difference == 0 ? 0 : difference / size);
    if (!std::isfinite(value))
      each = HUGE_VAL;
    error.largest = std::max(error.largest, each);
    error.mean += each / static_cast<double>(c.size());
  }
  return error;
}

template <typename T>
static std::vector<double> addInOrder(const NumericsProblem &problem) {
  std::vector<double> sums(problem.m * problem.n);
  parallelFor(problem.m, [&](int64_t row) {
    const double *a = problem.a.data() + row * problem.k;
    for (int64_t column = 0; column != problem.n; ++column) {
      const double *b = problem.b.data() + column * problem.k;
      T sum = 0;
      for (int64_t i = 0; i != problem.k; ++i)
        sum = std::fma(static_cast<T>(a[i]), static_cast<T>(b[i]), sum);
      sums[row * problem.n + column] = sum;
    }
  });
  return sums;
}

NumericsError NumericsReference::measureLoop(ScalarType type) const {
  return measure(type == ScalarType::F64 ? addInOrder<double>(problem)
                                         : addInOrder<float>(problem));
}
