//===- ProductTerms.h - Products in the terms of the C API ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_PRODUCTTERMS_H
#define TCGEMM_LIB_LIBRARY_PRODUCTTERMS_H

#include "Portable/descriptor.h"
#include "tcgemm/Store/Problems.h"

#include <string>
#include <vector>

namespace tcgemm::library {

/// The version of tcgemm as text, and as tcgemmGetVersion returns it.
llvm::StringRef getVersionText();
int getVersionNumber();

/// The type's name in texts of problems; the type is one.
llvm::StringRef getTypeName(tcgemmType type);
/// The type of its elements in memory; the type is one.
ScalarType getScalarType(tcgemmType type);
/// The type of the C API with this memory; none if it has none.
std::optional<tcgemmType> findType(ScalarType type);
/// The type in which a kernel's epilogue computes.
tcgemmType getSumType(const KernelSpec &kernel);
/// The operands that the parts of an epilogue read, in their order.
std::vector<tcgemmOperandShape> getOperandShapes(const NamedEpilogue &epilogue);

/// The fields of a descriptor that a kernel of a generated library decides.
struct ProductTerms {
  tcgemmType typeA = TCGEMM_BF16, typeB = TCGEMM_BF16, typeD = TCGEMM_BF16;
  tcgemmType sums = TCGEMM_F32;
  tcgemmTranspose transA = TCGEMM_N, transB = TCGEMM_N;
  tcgemmScaling scaling = TCGEMM_UNSCALED;
  std::string precision, epilogue;
  std::vector<tcgemmOperandShape> shapes;
};

/// Errors: generated libraries have no such product.
llvm::Expected<ProductTerms> getProductTerms(const KernelSpec &kernel);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_PRODUCTTERMS_H
