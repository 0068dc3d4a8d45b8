//===- BilinearBody.h - Bodies that multiply complex numbers ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to tcgemm-complex-to-real. The body of a product is bilinear if each
// component of its result is that of the sum so far plus terms that multiply
// one component of A's element, one of B's and a constant:
//
//   sum[p] + T[q, r, p] a[q] b[r]
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_COMPLEX_BILINEARBODY_H
#define TCGEMM_LIB_TRANSFORMS_COMPLEX_BILINEARBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <array>
#include <optional>
#include <string>

namespace tcgemm::complex_to_real {

/// The components of a complex number: real part, imaginary part.
inline constexpr unsigned kNumComponents = 2;

struct BilinearBody {
  /// 2 if the elements of A (0) or B (1) are complex, 1 if they are real.
  std::array<unsigned, 2> numComponents;
  /// T[q, r, p], with p innermost.
  llvm::SmallVector<double, 8> constants;

  double get(unsigned q, unsigned r, unsigned p) const {
    return constants[(q * numComponents[1] + r) * kNumComponents + p];
  }
};

/// Returns whether the element type is complex, of floats that have kernels.
bool isComplexElement(mlir::Type type);

/// The structure constants of the body of `op`, which has two inputs and one
/// complex result. If there are none, `reason` says why.
std::optional<BilinearBody> matchBilinearBody(mlir::linalg::LinalgOp op,
                                              std::string &reason);

} // namespace tcgemm::complex_to_real

#endif // TCGEMM_LIB_TRANSFORMS_COMPLEX_BILINEARBODY_H
