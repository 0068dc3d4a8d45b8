//===- Vectors.h - Vectors of a contraction's epilogue ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector along n has the indices of B and D, one along m those of A and D. If
// the kernel's A is the caller's B, they change places.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_CONTRACTION_VECTORS_H
#define TCGEMM_LIB_LIBRARY_CONTRACTION_VECTORS_H

#include "tcgemm/Problem/NamedEpilogue.h"
#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm::library {

/// A tensor whose dimensions have letters.
struct LetteredTensor {
  std::string letters;
  StridedShape shape;

  /// Sizes and strides along these letters. One that the tensor does not have
  /// has the size 1 and the stride 0.
  StridedShape select(llvm::StringRef chosen) const;
};

/// The epilogue with vectors along m in the place of those along n, and the
/// reverse: rowbias for bias.
NamedEpilogue exchangeVectors(const NamedEpilogue &epilogue);

/// The MLIR text of an epilogue with the names of its operands exchanged in the
/// same way: %rowbias1 for %bias1. Other values keep their names.
std::string exchangeVectorNames(llvm::StringRef body);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_CONTRACTION_VECTORS_H
