//===- Reductions.h - Reductions and algebras of a product ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_FEATURES_REDUCTIONS_H
#define TCGEMM_LIB_LIBRARY_FEATURES_REDUCTIONS_H

#include "Portable/descriptor.h"
#include "tcgemm/Store/Problems.h"

namespace tcgemm::library {

/// Gives the kernel, whose types are known, the descriptor's algebra, unless
/// that has numbers with components: see Numbers.h. Errors:
/// TCGEMM_INVALID_VALUE for a text that names none, TCGEMM_NOT_SUPPORTED for
/// one that the types do not have.
llvm::Error readAlgebra(const tcgemmMatmulDesc &desc, KernelSpec &kernel);

/// Gives the kernel, whose types and epilogue are known, the descriptor's
/// reductions. Errors: TCGEMM_INVALID_VALUE for a text that names none, for too
/// many of them and for a D without elements, TCGEMM_NOT_SUPPORTED for those
/// that the types do not have.
llvm::Error readReductions(const tcgemmMatmulDesc &desc, KernelSpec &kernel);

/// Adds the slots of the kernel's reductions behind that of D.
void addReductions(const tcgemmMatmulDesc &desc, const KernelSpec &kernel,
                   tcgemmSlots &slots);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_FEATURES_REDUCTIONS_H
