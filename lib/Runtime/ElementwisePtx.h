//===- ElementwisePtx.h - An epilogue as a kernel of its own ----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a library does that cannot fuse an epilogue: a second kernel goes over
// the result. It is a contender, so it does what a careful programmer would:
// one pass, 16 bytes a load and a store, in place, math by approximate
// instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_ELEMENTWISEPTX_H
#define TCGEMM_LIB_RUNTIME_ELEMENTWISEPTX_H

#include "tcgemm/Target/Manifest.h"

#include <optional>

namespace tcgemm {

/// How an epilogue divides between a product with a fused bias and a kernel
/// behind it.
struct EpilogueSplit {
  /// The operand, a vector along n, that is added to the accumulators before
  /// anything else; none if there is no such.
  std::optional<unsigned> bias;
  /// The value of the epilogue's program that the product leaves.
  unsigned start = 0;
  /// Whether nothing is left to do but to round to the output's type.
  bool isWhole = false;
};

EpilogueSplit splitEpilogue(const KernelInfo &kernel);

/// The rest of an epilogue as PTX. `elementwise` has as parameters the address
/// of the output, which it reads and writes, those of `inputs`, the values of
/// `scalars` (f32), and the number of vectors (u32). All matrices must be
/// contiguous and aligned to 16 bytes.
struct ElementwiseKernel {
  static constexpr unsigned kVector = 8;    ///< Elements of a thread.
  static constexpr unsigned kThreads = 256; ///< Of a block.

  std::string ptx;
  /// Operands of the kernel, in the order of the parameters.
  std::vector<unsigned> inputs, scalars;
};

/// Errors name what there is no translation for: an operation, an operand that
/// is no matrix of the output's size, an element type that has not 16 bits.
llvm::Expected<ElementwiseKernel> writeElementwise(const KernelInfo &kernel,
                                                   const EpilogueSplit &split);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_ELEMENTWISEPTX_H
