//===- NamedDual.h - How two products become one value ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dual product computes x = A·B and y = A·B2 in one kernel. Its epilogue
// starts with a function of x and y.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_NAMEDDUAL_H
#define TCGEMM_PROBLEM_NAMEDDUAL_H

#include "tcgemm/Problem/NamedEpilogue.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace tcgemm {

enum class DualKind {
  None,        ///< One product.
  SiluMul,     ///< silu(x)·y.
  GeluMul,     ///< gelu(x)·y, by erf.
  GeluTanhMul, ///< gelu(x)·y, by tanh.
  ReluMul,     ///< relu(x)·y.
  Mul,         ///< x·y.
  Add,         ///< x + y.
  Other        ///< A function without a name.
};

/// The names of the functions in the help of tools.
inline constexpr llvm::StringLiteral kDualHelp =
    "silu-mul, gelu-mul, gelutanh-mul, relu-mul, mul, add";

/// How a function of the two sums is computed.
struct DualInfo {
  llvm::StringLiteral name;
  DualKind kind;
  /// The function of x; none if x is taken as it is.
  std::optional<EpiloguePart> activation;
  /// True: the results are multiplied. False: they are added.
  bool multiplies;
};

/// The functions with names, in the order of the enumeration.
llvm::ArrayRef<DualInfo> getDualInfos();
/// The row of a function with a name.
const DualInfo &getDualInfo(DualKind kind);
/// The function's name, `none`, or `other`.
llvm::StringRef getDualName(DualKind kind);
/// Reads `none` or a name of the table. The error has the names.
llvm::Expected<DualKind> parseDual(llvm::StringRef text);

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_NAMEDDUAL_H
