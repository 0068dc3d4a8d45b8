//===- ElementwisePtx.h - An epilogue as a separate kernel ------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that cannot fuse an epilogue applies it to the result by a second
// kernel. For a fair comparison the kernel is optimised: one pass, loads and
// stores of 16 bytes, in place, with approximate instructions for math.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_ELEMENTWISEPTX_H
#define TCGEMM_LIB_RUNTIME_ELEMENTWISEPTX_H

#include "tcgemm/Target/Manifest.h"

#include <optional>

namespace tcgemm {

/// The division of an epilogue between a product with a fused bias and the
/// kernel after it.
struct EpilogueSplit {
  /// Operands without dimensions by which the accumulators of FP8 matrices are
  /// multiplied first; two at most.
  std::vector<unsigned> scales;
  /// alpha·A·B + beta·C with scalar factors, if the epilogue starts so: the
  /// operands, C of the output's type. There may be no alpha, or no beta·C.
  std::optional<unsigned> alpha, addend, beta;
  /// The operand, a vector along n, that is added to the accumulators first;
  /// none if there is no such operand.
  std::optional<unsigned> bias;
  /// The value of the epilogue's program that the product computes.
  unsigned start = 0;
  /// True if the rest only rounds to the output's type.
  bool isWhole = false;
};

EpilogueSplit splitEpilogue(const KernelInfo &kernel);

/// The rest of an epilogue as PTX. The parameters of `elementwise` are the
/// address of the output, which it reads and writes, the addresses of `inputs`,
/// the values of `scalars` (f32), and the number of vectors (u32). All matrices
/// must be contiguous and aligned to 16 bytes.
struct ElementwiseKernel {
  static constexpr unsigned kVector = 8;    ///< Elements of a thread.
  static constexpr unsigned kThreads = 256; ///< Threads of a block.

  std::string ptx;
  /// Operands of the kernel, in the order of the parameters.
  std::vector<unsigned> inputs, scalars;
};

/// Errors name the unsupported part: an operation, an operand that is not a
/// matrix of the output's size, an element type without 16 bits.
llvm::Expected<ElementwiseKernel> writeElementwise(const KernelInfo &kernel,
                                                   const EpilogueSplit &split);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_ELEMENTWISEPTX_H
