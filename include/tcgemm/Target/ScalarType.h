//===- ScalarType.h - Element types of kernels ------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that a manifest can name, with their sizes in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_SCALARTYPE_H
#define TCGEMM_TARGET_SCALARTYPE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <variant>

namespace tcgemm {

enum class ScalarType { I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64 };

/// The name as MLIR writes it: `bf16`, `i32`, `index`.
llvm::StringRef getTypeName(ScalarType type);
std::optional<ScalarType> parseScalarType(llvm::StringRef name);

bool isFloatType(ScalarType type);

/// Width in bits; `index` has 64.
unsigned getBitWidth(ScalarType type);
/// Bytes of one element in memory; `i1` takes one.
unsigned getByteSize(ScalarType type);

/// The value of a scalar: a double for float types; empty if there is none.
using ScalarConstant = std::variant<std::monostate, int64_t, double>;

} // namespace tcgemm

#endif // TCGEMM_TARGET_SCALARTYPE_H
