//===- VariableLayout.h - Places of variables -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_VARIABLELAYOUT_H
#define TCGEMM_LIB_EMULATOR_MACHINE_VARIABLELAYOUT_H

#include "tcgemm/Emulator/Ptx.h"

#include "llvm/Support/MathExtras.h"

#include <optional>

namespace tcgemm::emu {

/// The limit of each memory of a thread or block. Real memories are smaller,
/// and offsets cannot overflow.
constexpr uint64_t kMaxPlaced = 1 << 20;
constexpr uint32_t kMaxVariableAlign = 1 << 12;

/// Places a variable behind the ones before. Nothing if there is no room.
inline std::optional<uint32_t> tryPlace(uint32_t &end,
                                        const ptx::Variable &variable) {
  uint64_t at = llvm::alignTo(end, std::max(1u, variable.align));
  if (variable.align > kMaxVariableAlign || variable.bytes > kMaxPlaced ||
      at + variable.bytes > kMaxPlaced)
    return std::nullopt;
  end = at + variable.bytes;
  return at;
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_VARIABLELAYOUT_H
