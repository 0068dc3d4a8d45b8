//===- ResultRange.h - Possible results -------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the possible values of an element if infinities and NaN may occur. A
// sum may overflow in one order of its terms and not in another, and a
// result near the largest finite number may round to infinity or not.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_RESULTRANGE_H
#define TCGEMM_LIB_RUNTIME_RESULTRANGE_H

#include "tcgemm/Runtime/Reference.h"

#include <cmath>

namespace tcgemm {

/// The values of an element for all possible roundings and orders of sums.
class ResultRange {
public:
  void add(double value) {
    if (std::isnan(value)) {
      hasNaN = true;
    } else if (std::isinf(value)) {
      (value > 0 ? hasPositive : hasNegative) = true;
    } else {
      low = std::fmin(low, value);
      high = std::fmax(high, value);
    }
  }
  /// Extends the range of finite values of a float type by `tolerance`, and
  /// adds the values to which these round in `type`.
  void widen(ScalarType type, double tolerance);
  bool contains(double value) const;

private:
  double low = HUGE_VAL, high = -HUGE_VAL; ///< Range of the finite values.
  bool hasNaN = false, hasPositive = false, hasNegative = false;
};

/// Replaces a sum in double by infinity if it overflows in `type`, that of
/// sums.
double overflowSum(ScalarType type, double value);

/// Adds an error to a sum of `type`. A finite sum remains finite, because
/// findPossibleSums determines more exactly whether it may overflow.
double moveSum(ScalarType type, double sum, double error);

/// Returns whether terms whose squares sum to `squaredNorm` may overflow in
/// `type`.
bool mayOverflow(ScalarType type, long double squaredNorm);

/// The possible special values of a sum in `type` of the products
/// A(m, k)·B(k, n), and the possible finite values, in any order of the terms.
std::vector<double> findPossibleSums(ScalarType type, const OperandView &a,
                                     const OperandView &b, int64_t batch,
                                     int64_t m, int64_t n, int64_t k);

/// Returns whether an element of a float operand, or a scalar, is infinite or
/// NaN.
bool hasSpecialValues(const OperandView &view);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_RESULTRANGE_H
