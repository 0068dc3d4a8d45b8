//===- Definedness.cpp - Undefined values ---------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/HostAccess.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Definedness::checkSource(const Instruction &inst, uint32_t id,
                              uint32_t lanes) {
  uint32_t bad = id == kNoRegister ? 0 : lanes & ~warp.frame->defined[id];
  if (!bad)
    return;
  warp.frame->defined[id] |= bad; // One finding is enough.
  reportSource(inst, id, llvm::countr_zero(bad));
}

void Definedness::reportSource(const Instruction &inst, uint32_t id,
                               unsigned lane) {
  llvm::StringRef name = warp.frame->function->source->registers[id].name;
  for (const auto &[slot, origin] : origins) {
    if (slot != id || origin.frame != warp.frame)
      continue;
    FindingKind kind = origin.space == ptx::Space::Global
                           ? FindingKind::UninitialisedGlobal
                       : origin.space == ptx::Space::Shared
                           ? FindingKind::UninitialisedShared
                           : FindingKind::UninitialisedRegister;
    if (origin.space == ptx::Space::Reg)
      return warp.report(
          kind, inst, lane, 0,
          llvm::formatv("'{0}' is used, which line {1} got from a "
                        "lane that has no value there",
                        name, origin.inst->source->line));
    return warp.report(
        kind, inst, lane, origin.address,
        llvm::formatv("'{0}' is used, which line {1} loaded from {2} "
                      "{3:x} that was never written",
                      name, origin.inst->source->line,
                      ptx::getName(origin.space), origin.address));
  }
  warp.report(FindingKind::UninitialisedRegister, inst, lane, 0,
              "'" + name + "' is used before it is written");
}

uint32_t Definedness::getMoved(const Instruction &inst) {
  auto definedOf = [&](const Slot &slot) {
    return slot.id == kNoRegister ? ~0u : warp.frame->defined[slot.id];
  };
  if (inst.selects) {
    uint32_t first = warp.mask(inst.operands[3]);
    return (definedOf(inst.operands[1]) & first) |
           (definedOf(inst.operands[2]) & ~first);
  }
  uint32_t all = ~0u;
  for (uint32_t id : inst.sources)
    all &= warp.frame->defined[id];
  return all;
}

void Definedness::checkGuard(const Instruction &inst) {
  if (checks)
    checkSource(inst, inst.guard.id, warp.exec);
}

uint32_t Definedness::begin(const Instruction &inst) {
  if (!checks)
    return 0;
  auto &defined = warp.frame->defined;
  uint32_t moved = 0;
  exchanged = inst.exchanged == kNoRegister ? ~0u : defined[inst.exchanged];
  if (inst.movesOnly || inst.selects)
    moved = getMoved(inst);
  else
    for (uint32_t id : inst.sources)
      if (id != inst.exchanged)
        checkSource(inst, id, warp.exec);
  if (inst.selects && inst.operands[3].id != kNoRegister)
    checkSource(inst, inst.operands[3].id, warp.exec);
  // The handler may take this back for a value that it loads.
  for (uint32_t id : inst.destinations)
    defined[id] |= warp.exec;
  return moved;
}

void Definedness::end(const Instruction &inst, uint32_t moved) {
  if (inst.movesOnly || inst.selects)
    for (uint32_t id : inst.destinations)
      warp.frame->defined[id] &= ~warp.exec | moved;
}

void Definedness::markUndefined(const Slot &slot, uint32_t lanes,
                                const LaneAccess &access) {
  if (!lanes)
    return;
  uint32_t from = access.lanes & lanes ? access.lanes & lanes : access.lanes;
  unsigned lane = from ? llvm::countr_zero(from) : 0;
  markUndefined(slot, lanes,
                UndefinedOrigin{access.inst, access.region[lane]->space,
                                access.address[lane]});
}

void Definedness::markUndefined(const Slot &slot, uint32_t lanes,
                                UndefinedOrigin origin) {
  if (!checks || !lanes || slot.id == kNoRegister)
    return;
  warp.frame->defined[slot.id] &= ~lanes;
  origin.frame = warp.frame;
  for (auto &[id, old] : origins)
    if (id == slot.id && old.frame == warp.frame) {
      old = origin;
      return;
    }
  origins.emplace_back(slot.id, origin);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns whether all of `bytes` flags are set; each is 0 or 1.
static bool allSet(const uint8_t *flags, uint32_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  while (bytes >= 8) {
    if (loadShared<uint64_t>(flags) != kOnes)
      return false;
    flags += 8;
    bytes -= 8;
  }
  for (; bytes; --bytes)
    if (!loadShared<uint8_t>(flags++))
      return false;
  return true;
}

uint32_t Definedness::findUndefined(const LaneAccess &access, uint32_t offset,
                                    uint32_t bytes) const {
  if (!checks)
    return 0;
  uint32_t undefined = 0;
  forEachLane(access.lanes, [&](unsigned lane) {
    const uint8_t *flags = access.defined(lane);
    if (flags && !allSet(flags + offset, bytes))
      undefined |= 1u << lane;
  });
  return undefined;
}

void Definedness::markDefined(const LaneAccess &access) const {
  forEachLane(access.lanes, [&](unsigned lane) {
    uint8_t *flags = access.defined(lane);
    if (!flags || allSet(flags, access.bytes))
      return;
    for (uint32_t i = 0; i != access.bytes; ++i)
      storeShared<uint8_t>(flags + i, 1);
  });
}

void Definedness::moveToMemory(const LaneAccess &access, const Slot &slot,
                               uint32_t offset, uint32_t bytes) const {
  uint32_t known =
      slot.id == kNoRegister || !checks ? ~0u : warp.frame->defined[slot.id];
  forEachLane(access.lanes, [&](unsigned lane) {
    if (uint8_t *flags = access.defined(lane))
      memset(flags + offset, known >> lane & 1, bytes);
  });
}

} // namespace tcgemm::emu
