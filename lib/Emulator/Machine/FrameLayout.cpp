//===- FrameLayout.cpp - Slots of a frame ---------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/FrameLayout.h"

namespace tcgemm::emu {

using ptx::Type;

unsigned getSlotBytes(Type type) {
  switch (ptx::getBitWidth(type)) {
  case 1:
    return 0;
  case 4:
  case 8:
    return 2;
  default:
    return ptx::getBitWidth(type) / 8;
  }
}

void FrameLayout::begin(const ptx::Function &function) {
  for (const ptx::Register &reg : function.registers) {
    Slot slot = newSlot(getSlotBytes(reg.type));
    slot.id = registers.size();
    registers.push_back(slot);
  }
  out.registers = registers.size();
  sink = newSlot(16);
  out.constantsOffset = out.frameBytes;
}

Slot FrameLayout::newSlot(unsigned bytesPerLane) {
  Slot slot;
  slot.offset = out.frameBytes;
  out.frameBytes += bytesPerLane ? bytesPerLane * kWarpSize : 64;
  return slot;
}

std::optional<Slot> FrameLayout::constant(uint64_t bits, Type type) {
  unsigned bytes = getSlotBytes(type);
  auto [it, isNew] = constantSlots.try_emplace({bits, bytes});
  if (!isNew)
    return it->second;
  if (!fits())
    return std::nullopt;
  // Constants follow the registers.
  Slot slot;
  slot.offset = out.constants.size();
  out.constants.resize(slot.offset + (bytes ? bytes * kWarpSize : 64));
  uint8_t *at = out.constants.data() + slot.offset;
  if (bytes == 0) {
    uint32_t mask = bits ? ~0u : 0;
    memcpy(at, &mask, sizeof(mask));
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      memcpy(at + size_t(lane) * bytes, &bits, std::min(bytes, 8u));
  }
  slot.offset += out.constantsOffset;
  return it->second = slot;
}

std::optional<Slot> FrameLayout::special(SpecialRegister reg, uint32_t argument,
                                         Type type) {
  unsigned bytes = getSlotBytes(type);
  uint64_t key = uint64_t(reg) << 32 | argument;
  auto [it, isNew] = specialSlots.try_emplace({key, bytes});
  if (!isNew)
    return it->second;
  if (!fits())
    return std::nullopt;
  // It has a place among the constants. Each new frame sets it.
  Slot slot;
  slot.offset = out.constantsOffset + out.constants.size();
  out.constants.resize(out.constants.size() + (bytes ? bytes * kWarpSize : 64));
  out.specials.push_back({reg, argument, bytes, slot});
  return it->second = slot;
}

} // namespace tcgemm::emu
