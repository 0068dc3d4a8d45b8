//===- Definedness.h - Undefined values -------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_DEFINEDNESS_H
#define TCGEMM_LIB_EMULATOR_MACHINE_DEFINEDNESS_H

#include "Machine/CallStack.h"

#include "llvm/ADT/SmallVector.h"

namespace tcgemm::emu {

/// The origin of an undefined register value.
struct UndefinedOrigin {
  const Instruction *inst = nullptr; ///< A load or shfl.
  /// Reg: the value is another lane's.
  ptx::Space space = ptx::Space::Reg;
  uint64_t address = 0;
  const Frame *frame = nullptr;
};

/// Tracks which registers and which bytes of memory are defined. The use of an
/// undefined register is a finding.
class Definedness {
public:
  Definedness(Warp &warp, bool isChecked) : warp(warp), checks(isChecked) {}

  bool isChecked() const { return checks; }

  /// Checks the guard of the present instruction, for all lanes of the path.
  void checkGuard(const Instruction &inst);
  /// Before the present instruction: checks its sources and marks its
  /// destinations as defined. Returns the lanes whose moved value is defined.
  uint32_t begin(const Instruction &inst);
  /// After an instruction that moves values: `moved` is the result of begin().
  void end(const Instruction &inst, uint32_t moved);
  /// Lanes for which Instruction::exchanged of the present instruction was
  /// defined before.
  uint32_t getExchanged() const { return exchanged; }

  /// Notes that `lanes` of a destination hold undefined bytes of memory. A load
  /// calls this after begin().
  void markUndefined(const Slot &slot, uint32_t lanes,
                     const LaneAccess &access);
  /// The same for values that do not come from memory.
  void markUndefined(const Slot &slot, uint32_t lanes, UndefinedOrigin origin);
  /// The lanes of a resolved load for which a byte of [offset, offset + bytes)
  /// was never written; 0 if that is not checked.
  uint32_t findUndefined(const LaneAccess &access, uint32_t offset,
                         uint32_t bytes) const;
  /// Marks the bytes that a resolved store writes as defined.
  void markDefined(const LaneAccess &access) const;
  /// The same if the stored value may be undefined: padding that is passed by
  /// value.
  void moveToMemory(const LaneAccess &access, const Slot &slot, uint32_t offset,
                    uint32_t bytes) const;

private:
  void checkSource(const Instruction &inst, uint32_t id, uint32_t lanes);
  void reportSource(const Instruction &inst, uint32_t id, unsigned lane);
  /// The lanes for which the result of an instruction that moves or chooses
  /// values is defined.
  uint32_t getMoved(const Instruction &inst);

  Warp &warp;
  const bool checks;
  uint32_t exchanged = ~0u;
  std::vector<std::pair<uint32_t, UndefinedOrigin>> origins;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_DEFINEDNESS_H
