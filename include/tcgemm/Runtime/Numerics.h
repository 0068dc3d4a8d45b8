//===- Numerics.h - Errors of products by their depth -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures the rounding errors of a product C = A·B. The error of an element is
// |C - C'| / (|A|·|B|), where C' is the product and |A|·|B| that of the
// magnitudes, both in long double.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_NUMERICS_H
#define TCGEMM_RUNTIME_NUMERICS_H

#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm {

/// The contents of A and B.
enum class NumericsData {
  Normal, ///< Mean 0, deviation 1.
  /// Normal numbers times powers of two between 2^-20 and 2^20. The range is
  /// smaller for types whose largest number is smaller than 2^80: the sums of
  /// products must be finite.
  Wide,
  /// Terms of opposite signs that differ by 2^-13 of their magnitudes, or by
  /// one unit in the last place of the type.
  Cancelling,
};

llvm::StringRef getName(NumericsData data);
/// The error lists the names.
llvm::Expected<NumericsData> parseNumericsData(llvm::StringRef name);

/// A of `m` x `k` and B of `n` x `k` elements. Both have their rows along k.
struct NumericsProblem {
  int64_t m = 0, n = 0, k = 0;
  std::vector<double> a, b;

  /// Draws operands that are numbers of the types `typeA` and `typeB`.
  static NumericsProblem draw(NumericsData data, ScalarType typeA,
                              ScalarType typeB, int64_t m, int64_t n, int64_t k,
                              uint64_t seed);
};

/// Errors of the elements of C. They are infinite where C is not finite.
struct NumericsError {
  double largest = 0, mean = 0;
};

class NumericsReference {
public:
  /// Computes the product of `problem`, which must outlive this object.
  explicit NumericsReference(const NumericsProblem &problem);

  /// The errors of `c`, of m x n elements.
  NumericsError measure(llvm::ArrayRef<double> c) const;
  /// The errors of a loop that adds the products in the order of k, by fused
  /// multiply-adds of `type`: f32 or f64.
  NumericsError measureLoop(ScalarType type) const;

private:
  const NumericsProblem &problem;
  std::vector<long double> product, magnitude; ///< m x n elements.
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_NUMERICS_H
