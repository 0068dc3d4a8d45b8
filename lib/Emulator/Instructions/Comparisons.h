//===- Comparisons.h - Comparisons of 32 lanes ------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_COMPARISONS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_COMPARISONS_H

#include "Instructions/FloatOps.h"

namespace tcgemm::emu {

// clang-format off
enum class Comparison : uint8_t {
  Eq, Ne, Lt, Le, Gt, Ge,             // of all types; false for NaNs
  Equ, Neu, Ltu, Leu, Gtu, Geu,       // true for NaNs
  Num, Nan,                           // whether there is a NaN
};
// clang-format on

/// The lanes for which a comparison of two slots holds.
using MaskFunction = uint32_t (*)(const void *a, const void *b, bool ftz);

/// Null if the type does not have the comparison. `part` is the half of a
/// packed type that is compared.
MaskFunction getMaskFunction(ptx::Type type, Comparison comparison,
                             unsigned part = 0);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_COMPARISONS_H
