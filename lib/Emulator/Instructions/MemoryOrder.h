//===- MemoryOrder.h - Order and scope modifiers ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_MEMORYORDER_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_MEMORYORDER_H

#include "Machine/Decoder.h"
#include "Machine/Memory.h"

namespace tcgemm::emu {

/// `.acquire.gpu` and the like, as an instruction keeps it in `imm`.
struct MemoryOrder {
  Order order = Order::Weak;
  Scope scope = Scope::Cta;
  uint64_t pack() const { return uint64_t(order) | uint64_t(scope) << 8; }
};

inline Order getOrder(const Instruction &inst) { return Order(inst.imm & 255); }
inline Scope getScope(const Instruction &inst) {
  return Scope(inst.imm >> 8 & 255);
}

/// Takes the order and scope; weak if there is none.
MemoryOrder takeMemoryOrder(Modifiers &mods);
/// Consumes the modifiers for caches.
void takeCacheHints(Modifiers &mods);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_MEMORYORDER_H
