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

int64_t ReducedResults::getOffset(int64_t b, int64_t m, int64_t n) const {
  return b * view->getStride(Dim::Batch) + m * view->getStride(Dim::M) +
         n * view->getStride(Dim::N);
}

ReducedResult &ReducedResults::getResult(int64_t offset, int64_t b, int64_t m,
                                         int64_t n) {
  Entry &entry = entries[offset];
  if (!entry.result)
    entry = {b, m, n,
             createReducedResult(*view->info, loadElement(view->info->type,
                                                          view->data, offset))};
  return *entry.result;
}

void ReducedResults::add(int64_t b, int64_t m, int64_t n,
                         const ReducedElement &element) {
  // All elements are numbered row by row.
  int64_t coordinate = has(Dim::M)   ? n
                       : has(Dim::N) ? m
                                     : m * sizes[unsigned(Dim::N)] + n;
  b = has(Dim::Batch) ? b : 0;
  m = has(Dim::M) ? m : 0;
  n = has(Dim::N) ? n : 0;
  getResult(getOffset(b, m, n), b, m, n).add(element, coordinate);
}

void ReducedResults::add(const ReducedResults &part) {
  for (const auto &[offset, entry] : part.entries)
    getResult(offset, entry.b, entry.m, entry.n).merge(*entry.result);
}

/// Adds all results, which have no elements.
void ReducedResults::addEmpty() {
  auto getExtent = [&](Dim dim) { return has(dim) ? sizes[unsigned(dim)] : 1; };
  for (int64_t b = 0; b != getExtent(Dim::Batch); ++b)
    for (int64_t m = 0; m != getExtent(Dim::M); ++m)
      for (int64_t n = 0; n != getExtent(Dim::N); ++n)
        getResult(getOffset(b, m, n), b, m, n);
}

void ReducedResults::compare(VerifyReport &report) {
  if (getNumElements() == 0)
    addEmpty();
  for (const auto &[offset, entry] : entries) {
    if (entry.result->getCount() != getNumElements())
      continue;
    double actual = loadElement(view->info->type, view->data, offset);
    ReducedVerdict verdict = entry.result->judge();
    ++report.numChecked;
    report.numExact += verdict.isExact;
    if (verdict.isRight) {
      report.numDueNaN += std::isnan(actual);
      double error = std::fabs(actual - verdict.expected);
      if (std::isfinite(error))
        report.maxError = std::max(report.maxError, error);
      continue;
    }
    ++report.numWrong;
    if (report.mismatches.size() < VerifyReport::kMaxMismatches)
      report.mismatches.push_back({output, entry.b, entry.m, entry.n, actual,
                                   verdict.expected, verdict.tolerance});
  }
}

ScalarType tcgemm::getValueType(const KernelInfo &kernel, size_t output) {
  return kernel.epilogue.ops[kernel.epilogue.yields[output]].type;
}
