//===- FrameLayout.h - Slots of a frame -------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_FRAMELAYOUT_H
#define TCGEMM_LIB_EMULATOR_MACHINE_FRAMELAYOUT_H

#include "Machine/Code.h"

#include "llvm/ADT/DenseMap.h"

namespace tcgemm::emu {

/// Bytes that a value of `type` takes in a slot, per lane; 0 for predicates.
unsigned getSlotBytes(ptx::Type type);

/// Places the registers and constants of a function in its frame.
class FrameLayout {
public:
  explicit FrameLayout(FunctionCode &out) : out(out) {}

  /// Places the registers and the sink. Constants follow.
  void begin(const ptx::Function &function);
  /// All constants are known.
  void end() { out.frameBytes = out.constantsOffset + out.constants.size(); }
  /// Returns whether the frame is within kMaxFrameBytes.
  bool fits() const {
    return uint64_t(out.frameBytes) + out.constants.size() <= kMaxFrameBytes;
  }

  Slot getRegister(uint32_t index) const { return registers[index]; }
  /// The slot of results that are not used.
  Slot getSink() const { return sink; }
  /// A value that all lanes share. Nothing if the frame does not fit.
  std::optional<Slot> constant(uint64_t bits, ptx::Type type);
  /// A special register, which each new frame sets. Nothing if the frame does
  /// not fit.
  std::optional<Slot> special(SpecialRegister reg, uint32_t argument,
                              ptx::Type type);

private:
  Slot newSlot(unsigned bytesPerLane);

  FunctionCode &out;
  std::vector<Slot> registers;
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Slot> constantSlots;
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Slot> specialSlots;
  Slot sink;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_FRAMELAYOUT_H
