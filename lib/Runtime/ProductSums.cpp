//===- ProductSums.cpp - The sums of one product and their errors ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductSums.h"

#include "ResultRange.h"
#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tcgemm;

ProductSums::ProductSums(const VerifyProblem &problem, const OperandView &a,
                         const OperandView &b)
    : problem(problem), a(a), b(b),
      sumType(problem.kernel->epilogue.ops.front().type),
      instructionSum(getInstructionSum(a.info->type, sumType)) {
  int64_t k = problem.sizes[unsigned(Dim::K)];
  double unit = getAccumulationError(a.info->type, b.info->type, sumType);
  factor = getSumError(a.info->type, b.info->type, sumType, k);
  if (problem.isZeroMean && k != 0)
    factor /= std::sqrt(static_cast<double>(k));
  // Each step may lose one unit of subnormal numbers.
  if (isFloatType(sumType))
    underflow = getUlp(instructionSum, 0) * (16 + static_cast<double>(k));
  // Sums of integers up to this are exact, whatever their order.
  largestExact = isFloatType(sumType) ? 2 / unit : HUGE_VAL;
  if (const SplitInfo *split = getSplit(a.info->type))
    largestExact = std::min(largestExact, split->largestExact);
}

AccumulatorBlock ProductSums::compute(int64_t batch,
                                      llvm::ArrayRef<int64_t> rows,
                                      llvm::ArrayRef<int64_t> columns) const {
  AccumulatorBlock block;
  computeAccumulators(a, b, batch, problem.sizes[unsigned(Dim::K)], rows,
                      columns, block, problem.kernel->algebra);
  if (isFloatType(sumType))
    for (double &acc : block.acc)
      acc = overflowSum(sumType, acc);
  return block;
}

RowSums ProductSums::getBounds(const AccumulatorBlock &block,
                               int64_t row) const {
  RowSums sums;
  for (size_t j = 0; j != block.columnNorms.size(); ++j) {
    long double squared = block.rowNorms[row] * block.columnNorms[j];
    auto norm = static_cast<double>(std::sqrt(squared));
    sums.squaredNorms.push_back(squared);
    sums.errors.push_back(factor * norm + underflow +
                          block.getDeviation(row, static_cast<int64_t>(j)));
    sums.isInteger.push_back(block.rowIsInteger[row] &&
                             block.columnIsInteger[j] && norm <= largestExact);
  }
  return sums;
}

std::vector<double> ProductSums::listPossible(const RowSums &bounds, int64_t i,
                                              double expected, bool isFinite,
                                              int64_t batch, int64_t m,
                                              int64_t n) const {
  double error = bounds.errors[i];
  std::vector<double> sums = {expected};
  // A nonzero double may be zero in f32, and its product with infinity NaN.
  if (std::fabs(expected) <= error)
    sums.push_back(0);
  // The parts of an infinite operand are infinity and NaN.
  if (std::isinf(expected) && getSplit(a.info->type))
    sums.push_back(std::numeric_limits<double>::quiet_NaN());
  // The bound of huge terms is much too large and does not permit infinity.
  if (isFinite || error < getLargest(sumType) / 64)
    for (double moved : {error, -error})
      sums.push_back(moveSum(sumType, expected, moved));
  // Some partial sums may be of the kernel's type, which has a larger range.
  for (ScalarType summed : {sumType, instructionSum})
    if (mayOverflow(summed, bounds.squaredNorms[i]))
      llvm::append_range(sums,
                         findPossibleSums(summed, a, b, batch, m, n,
                                          problem.sizes[unsigned(Dim::K)]));
  return sums;
}
