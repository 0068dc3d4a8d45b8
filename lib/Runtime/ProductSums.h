//===- ProductSums.h - The sums of one product and their errors -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_PRODUCTSUMS_H
#define TCGEMM_LIB_RUNTIME_PRODUCTSUMS_H

#include "tcgemm/Runtime/Reference.h"

namespace tcgemm {

/// What is known of the sums of one row, an entry for each column.
struct RowSums {
  std::vector<double> errors;            ///< The device's errors, at most.
  std::vector<long double> squaredNorms; ///< Bounds of the squared sums.
  std::vector<uint8_t> isInteger;        ///< The device's sums are exact.
};

/// The sums of products of A's and B's elements, and their bounds, as
/// tcgemm/Runtime/Reference.h explains them.
class ProductSums {
public:
  ProductSums(const VerifyProblem &problem, const OperandView &a,
              const OperandView &b);
  /// The sums of one batch, infinite where they overflow in their type.
  AccumulatorBlock compute(int64_t batch, llvm::ArrayRef<int64_t> rows,
                           llvm::ArrayRef<int64_t> columns) const;
  /// The bounds of row number `row` of a block.
  RowSums getBounds(const AccumulatorBlock &block, int64_t row) const;
  /// The values that the sum at (batch, m, n), of which `bounds` has an entry
  /// `i`, may have on the device if it is not `expected`. `isFinite` states
  /// that the device's result is.
  std::vector<double> listPossible(const RowSums &bounds, int64_t i,
                                   double expected, bool isFinite,
                                   int64_t batch, int64_t m, int64_t n) const;

private:
  const VerifyProblem &problem;
  const OperandView &a, &b;
  ScalarType sumType, instructionSum;
  double factor, underflow = 0, largestExact;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_PRODUCTSUMS_H
