//===- TensorCore.h - Arithmetic of a tensor core ---------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floating-point products of dense tiles with Hopper's arithmetic, which PTX
// does not specify. The results had the bits of an H200 in all of several
// 100,000 cases with random operands of f16, bf16, tf32, e4m3 and e5m2.
//
// An element of D is one sum of C's and of up to 16 products. Let E be the
// largest of C's exponent and of the sums of two factors' exponents. Every
// term is truncated to a multiple of 2^(E - 25), and the sum of these, which is
// exact, is truncated to a float, to infinity from 2^128 on, or rounded to the
// nearest half. So a sum of
// n + 1 terms, none above 2^(E + 2), is wrong by less than (n + 1) 2^(E - 25)
// before that last step.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_TENSORCORE_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_TENSORCORE_H

#include <cstdint>

namespace tcgemm::emu {

/// Products of two elements must be exact in a float but for the exponent: at
/// most 12 significant bits each.
struct alignas(64) FloatTile {
  float a[16][16]; ///< By row and k.
  float b[16][8];  ///< By k and column.
  float c[16][8];
  float d[16][8];
  /// The exponent below which the elements are subnormal numbers.
  int leastExponent = -126;
};

struct TensorCore {
  /// D = A B + C, with the first `depth` (4, 8 or 16) of k and `rows` (8 or
  /// 16).
  void (*multiply)(FloatTile &tile, unsigned rows, unsigned depth);
  /// The same with D rounded to halves, and C taken as halves.
  void (*multiplyToHalf)(FloatTile &tile, unsigned rows, unsigned depth);

  /// D += A B with rows of `depth` and 8 elements, in the order of k.
  void (*multiplyDoubles)(const double *a, const double *b, double *d,
                          unsigned rows, unsigned depth);

  /// 8 x 8 elements at `from`, row after row, to rows `pitch` apart.
  void (*convertHalves)(const void *from, float *to, unsigned pitch);
  void (*convertBFloats)(const void *from, float *to, unsigned pitch);
  /// The same, transposed.
  void (*transposeHalves)(const void *from, float *to, unsigned pitch);
  void (*transposeBFloats)(const void *from, float *to, unsigned pitch);
};

/// The version for the host's processor.
const TensorCore &getTensorCore();

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_TENSORCORE_H
