//===- Numbers.h - Products of numbers with components ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_FEATURES_NUMBERS_H
#define TCGEMM_LIB_LIBRARY_FEATURES_NUMBERS_H

#include "Descriptor.h"

namespace tcgemm::library {

/// Makes a description, whose arguments are laid out, one of a product of
/// numbers with components if the descriptor's algebra names such: complex
/// numbers, quaternions and others of NamedBilinear.h. Its arguments get the
/// components as their innermost index, and its problem becomes the product of
/// real numbers that kernels compute: M x pN x qK. Errors: TCGEMM_NOT_SUPPORTED
/// for types and properties that such products do not have,
/// TCGEMM_INVALID_VALUE for sizes.
llvm::Error readNumbers(const tcgemmMatmulDesc &desc, Description &result);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_FEATURES_NUMBERS_H
