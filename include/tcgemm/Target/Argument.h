//===- Argument.h - Arguments of a device function --------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a device function, described in docs/reference/manifest.md.
// The compiler's plan and the manifest share this type. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_ARGUMENT_H
#define TCGEMM_TARGET_ARGUMENT_H

#include "tcgemm/Target/Expr.h"

namespace tcgemm {

enum class ArgumentKind { Pointer, Scalar, I32, I64, Workspace, TensorMap };
inline constexpr unsigned kNumArgumentKinds = 6;
llvm::StringRef getArgumentKindName(ArgumentKind kind);
std::optional<ArgumentKind> parseArgumentKind(llvm::StringRef name);

/// Returns whether a kernel may have an operand of this name: A, B, scaleA,
/// scaleB, in<N> or out<N>.
bool isOperandName(llvm::StringRef name);

/// One argument of a device function.
struct Argument {
  ArgumentKind kind = ArgumentKind::I32;
  std::string operand; ///< Pointer and Scalar: the name of an operand.
  Expr value; ///< The value of an integer, or an offset in the workspace.
  unsigned index = 0; ///< TensorMap: index in Step::tensorMaps.

  static Argument pointer(llvm::StringRef operand) {
    return {ArgumentKind::Pointer, operand.str(), Expr()};
  }
  static Argument scalar(llvm::StringRef operand) {
    return {ArgumentKind::Scalar, operand.str(), Expr()};
  }
  static Argument i32(Expr value) {
    return {ArgumentKind::I32, "", std::move(value)};
  }
  static Argument i64(Expr value) {
    return {ArgumentKind::I64, "", std::move(value)};
  }
  static Argument workspace(Expr offset) {
    return {ArgumentKind::Workspace, "", std::move(offset)};
  }
  static Argument tensorMap(unsigned index) {
    return {ArgumentKind::TensorMap, "", Expr(), index};
  }

  /// Returns whether arguments of this kind have an `operand`.
  bool takesOperand() const {
    return kind == ArgumentKind::Pointer || kind == ArgumentKind::Scalar;
  }

  /// Structural equality.
  bool isSame(const Argument &other) const;
  /// Equal for arguments that isSame compares equal.
  friend llvm::hash_code hash_value(const Argument &argument);
};

} // namespace tcgemm

#endif // TCGEMM_TARGET_ARGUMENT_H
