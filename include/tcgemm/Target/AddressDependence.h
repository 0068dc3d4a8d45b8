//===- AddressDependence.h - Which plans addresses decide -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_ADDRESSDEPENDENCE_H
#define TCGEMM_TARGET_ADDRESSDEPENDENCE_H

#include "tcgemm/Target/Manifest.h"

namespace tcgemm {

/// Returns whether the variant's launches can be planned before addresses are
/// known. Its guard has addresses in conditions `X.base % c == 0` only, so that
/// it holds for all multiples of the power of two that divides an address for
/// which it holds, and no number of its steps depends on an address.
bool dependsOnAlignmentOnly(const Variant &variant);

} // namespace tcgemm

#endif // TCGEMM_TARGET_ADDRESSDEPENDENCE_H
