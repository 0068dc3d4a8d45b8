//===- ReducedResults.cpp - Checking the reductions of outputs ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReducedResults.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace tcgemm;

bool ReducedResults::has(Dim dim) const {
  return llvm::is_contained(view->info->dims, dim);
}

int64_t ReducedResults::getNumResults() const {
  int64_t number = 1;
  for (Dim dim : {Dim::Batch, Dim::M, Dim::N})
    number *= has(dim) ? sizes[unsigned(dim)] : 1;
  return number;
}

/// The elements of each result.
int64_t ReducedResults::getNumElements() const {
  int64_t number = 1;
  for (Dim dim : {Dim::Batch, Dim::M, Dim::N})
    number *= has(dim) ? 1 : sizes[unsigned(dim)];
  return number;
}

void ReducedResults::merge(Result &result, const Result &part) const {
  if (result.count == 0) {
    result = part;
    return;
  }
  Combiner combiner = view->info->reduction->combiner;
  // The reference rounds nothing. Sums of i32 wrap around.
  ScalarType type =
      isFloatType(view->info->type) ? ScalarType::F64 : view->info->type;
  result.count += part.count;
  result.expected = combine(combiner, type, result.expected, part.expected);
  result.low = combine(combiner, type, result.low, part.low);
  result.high = combine(combiner, type, result.high, part.high);
  result.magnitude += part.magnitude;
  result.isExact &= part.isExact;
  result.isWhole &= part.isWhole;
  result.mayBeSpecial |= part.mayBeSpecial;
}

void ReducedResults::add(int64_t b, int64_t m, int64_t n,
                         const ReducedElement &element) {
  Result part;
  part.b = has(Dim::Batch) ? b : 0;
  part.m = has(Dim::M) ? m : 0;
  part.n = has(Dim::N) ? n : 0;
  part.count = 1;
  part.expected = element.expected;
  part.low = element.expected - element.tolerance;
  part.high = element.expected + element.tolerance;
  part.magnitude = std::fabs(element.expected) + element.tolerance;
  part.isExact = element.isExact;
  part.isWhole =
      element.isExact && std::trunc(element.expected) == element.expected;
  part.mayBeSpecial = element.mayBeSpecial;
  int64_t offset = part.b * view->getStride(Dim::Batch) +
                   part.m * view->getStride(Dim::M) +
                   part.n * view->getStride(Dim::N);
  merge(results[offset], part);
}

void ReducedResults::add(const ReducedResults &part) {
  for (const auto &[offset, result] : part.results)
    merge(results[offset], result);
}

/// The greatest rounding error of a sum. Kernels add in several levels, so that
/// an element takes part in far fewer additions than there are elements.
double ReducedResults::getRounding(const Result &result) const {
  const OperandInfo &info = *view->info;
  if (!isOrdered(info.reduction->combiner))
    return 0;
  double unit = info.type == ScalarType::F64 ? 0x1p-53 : 0x1p-24;
  if (result.isWhole && result.magnitude * unit <= 1)
    return 0;
  double additions = 32 + static_cast<double>(result.count) / 32;
  return additions * unit * result.magnitude;
}

bool ReducedResults::isRight(const Result &result, double actual) const {
  if (actual == result.expected ||
      (std::isnan(actual) && std::isnan(result.expected)))
    return true;
  double rounding = getRounding(result);
  return actual >= result.low - rounding && actual <= result.high + rounding;
}

void ReducedResults::compare(VerifyReport &report) const {
  const OperandInfo &info = *view->info;
  ScalarType type = info.type;
  ReducedElement first;
  const ScalarConstant &initial = info.reduction->initial;
  first.expected = std::holds_alternative<double>(initial)
                       ? std::get<double>(initial)
                       : static_cast<double>(std::get<int64_t>(initial));
  first.isExact = true;
  for (const auto &[offset, partial] : results) {
    if (partial.count != getNumElements())
      continue;
    Result result = partial;
    ReducedResults start(*view, output, sizes);
    start.add(0, 0, 0, first);
    merge(result, start.results.begin()->second);
    double actual = loadElement(type, view->data, offset);
    ++report.numChecked;
    bool isExact = result.isExact && getRounding(result) == 0;
    report.numExact += isExact;
    if (isRight(result, actual) || result.mayBeSpecial) {
      report.numDueNaN += std::isnan(actual);
      double error = std::fabs(actual - result.expected);
      if (std::isfinite(error))
        report.maxError = std::max(report.maxError, error);
      continue;
    }
    ++report.numWrong;
    if (report.mismatches.size() < VerifyReport::kMaxMismatches)
      report.mismatches.push_back(
          {output, result.b, result.m, result.n, actual, result.expected,
           (result.high - result.low) / 2 + getRounding(result)});
  }
}
