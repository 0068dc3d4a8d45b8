//===- NumericsModes.h - The ways to compute a product ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSMODES_H
#define TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSMODES_H

#include "tcgemm/Problem/MatmulProblem.h"

namespace tcgemm {

/// A precision of products, and how their sums are computed.
struct NumericsMode {
  /// The name of a precision of f32, or the type of the instruction's sums with
  /// `-sums` or `-promoted`.
  std::string name;
  Precision precision = Precision::IEEE;
  /// True if sums of the instruction are added in registers (promote_sums).
  bool promotes = false;
};

/// The modes that `chip` has for operands of the types of `kind`. Modes that it
/// lacks are left out and named in `notes`. The error states that it has none.
llvm::Expected<std::vector<NumericsMode>>
findNumericsModes(const MatmulKind &kind, const ChipInfo &chip,
                  std::vector<std::string> &notes);

/// Keeps the modes called `names`, in this order. The error lists the names of
/// `modes`.
llvm::Expected<std::vector<NumericsMode>>
selectNumericsModes(std::vector<NumericsMode> modes,
                    llvm::ArrayRef<std::string> names);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSMODES_H
