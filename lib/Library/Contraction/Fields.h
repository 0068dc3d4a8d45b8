//===- Fields.h - The fields of a contraction -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_CONTRACTION_FIELDS_H
#define TCGEMM_LIB_LIBRARY_CONTRACTION_FIELDS_H

#include "Descriptor.h"

namespace tcgemm::library {

/// The number of D among the operands of a contraction.
inline constexpr unsigned kD = 2;

/// A contraction as its descriptor states it, with all letters.
struct ContractionFields {
  Contraction given;
  std::array<StridedShape, kNumContracted> shapes; ///< By the given letters.
  StridedShape shapeOfC; ///< By the letters of D; empty without beta.

  /// Reads the string, the sizes and the strides. Errors: a field breaks a
  /// rule.
  llvm::Error read(const tcgemmContractionDesc &desc);

private:
  llvm::Error readIndices(const char *indices);
  llvm::Error readExtent(unsigned operand, size_t position, int64_t size);
  llvm::Error readExtents(unsigned operand, const int64_t *sizes);
  llvm::Error readStrides(unsigned operand, const char *name,
                          const int64_t *strides, StridedShape &shape) const;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_CONTRACTION_FIELDS_H
