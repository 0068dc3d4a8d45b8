//===- Limits.h - Limits of the parser --------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_LIMITS_H
#define TCGEMM_LIB_EMULATOR_PTX_LIMITS_H

#include <cstddef>
#include <cstdint>

namespace tcgemm::ptx {

constexpr size_t kMaxText = size_t(64) << 20;
constexpr uint64_t kMaxRegisters = 1 << 19; ///< Per function.
/// Per module. A node takes the memory of an operand, about 100 bytes. Two
/// bytes of text can make one.
constexpr uint64_t kMaxNodes = 1 << 22;
constexpr uint64_t kNodesOfInstruction = 8;
constexpr uint64_t kNodesOfName = 4;
constexpr uint64_t kMaxVariableBytes = uint64_t(1) << 40;
constexpr uint64_t kMaxInitBytes = uint64_t(1) << 26; ///< Per module.
constexpr uint32_t kMaxAlign = 1 << 20;
constexpr unsigned kMaxScopes = 64;
constexpr unsigned kMaxNesting =
    64; ///< Nesting of expressions and initialisers.
constexpr unsigned kMaxOperandNesting = 4;

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_LIMITS_H
