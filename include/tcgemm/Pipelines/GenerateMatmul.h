//===- GenerateMatmul.h - MLIR for a described product ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates the source of a function with a matrix product and an elementwise
// epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_GENERATEMATMUL_H
#define TCGEMM_PIPELINES_GENERATEMATMUL_H

#include "llvm/Support/Error.h"

#include <string>

namespace tcgemm {

struct GenerateOptions {
  /// As in BLAS: A then B, column-major. `t` for A: K contiguous (M x K), `n`:
  /// M contiguous (K x M); `n` for B: K contiguous (N x K), `t`: N contiguous.
  std::string layout = "tn";
  std::string type = "bf16";
  std::string outType; ///< Empty: the same as `type`.
  /// `none`, or parts joined by `_`, applied in order: bias (along n), rowbias
  /// (along m), relu, gelu, gelutanh, silu, residual (adds a matrix), gate
  /// (multiplies by a matrix).
  std::string epilogue = "none";
  bool hasAlpha = false;
  bool hasBeta = false; ///< Adds beta·C.
  bool isBatched = false;
  bool isStatic = false;
  long long m = 0, n = 0, k = 0, batch = 1; ///< Sizes of static dimensions.
};

llvm::Expected<std::string> generateMLIR(const GenerateOptions &options);

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_GENERATEMATMUL_H
