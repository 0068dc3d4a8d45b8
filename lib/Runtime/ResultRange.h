//===- ResultRange.h - The results that may be right ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values an element may have where infinities and NaN are possible: a sum
// that overflows in f32 in one order of its terms may not do so in another, and
// a result beside the largest finite number may round to infinity or not.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_RESULTRANGE_H
#define TCGEMM_LIB_RUNTIME_RESULTRANGE_H

#include "tcgemm/Runtime/Reference.h"

#include <cmath>

namespace tcgemm {

/// The values that roundings and orders of sums leave possible for an element.
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
  /// Of a float type: adds what lies up to `tolerance` beyond the finite
  /// values, and what that rounds to in `type`.
  void widen(ScalarType type, double tolerance);
  bool contains(double value) const;

private:
  double low = HUGE_VAL, high = -HUGE_VAL; ///< Of the finite ones.
  bool hasNaN = false, hasPositive = false, hasNegative = false;
};

/// A sum in double as f32 has it where that is infinite; any other stays as it
/// is.
double overflowSum(double value);

/// A sum with an error; one that is finite stays so, since findPossibleSums
/// knows better whether it may overflow.
double moveSum(double sum, double error);

/// Whether terms whose squares sum to `squaredNorm` may overflow in f32.
bool mayOverflow(double squaredNorm);

/// The special values that a sum in f32 of the products A(m, k)·B(k, n) may
/// have, and the finite ones that it may have instead; in any order of the
/// terms.
std::vector<double> findPossibleSums(const OperandView &a, const OperandView &b,
                                     int64_t batch, int64_t m, int64_t n,
                                     int64_t k);

/// Whether an element of a float operand, or a scalar, is infinite or NaN.
bool hasSpecialValues(const OperandView &view);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_RESULTRANGE_H
