//===- Scales.h - Scales of a product's operands ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_FEATURES_SCALES_H
#define TCGEMM_LIB_LIBRARY_FEATURES_SCALES_H

#include "Portable/descriptor.h"
#include "tcgemm/Store/Problems.h"

namespace tcgemm::library {

/// Gives the kernel, whose types are known, the descriptor's scales of blocks
/// or groups. Errors: TCGEMM_INVALID_VALUE for fields that break a rule,
/// TCGEMM_NOT_SUPPORTED for types without scales.
llvm::Error readScales(const tcgemmMatmulDesc &desc, KernelSpec &kernel);

/// Adds the slots of the kernel's scales and zero points behind those of A and
/// B.
void addScales(const tcgemmMatmulDesc &desc, const KernelSpec &kernel,
               tcgemmSlots &slots);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_FEATURES_SCALES_H
