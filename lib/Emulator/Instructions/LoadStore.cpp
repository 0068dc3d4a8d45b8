//===- LoadStore.cpp - ld and st ------------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/BulkCopyOps.h"
#include "Instructions/MemoryOrder.h"
#include "Machine/Decoder.h"
#include "Machine/HostAccess.h"
#include "Machine/Warp.h"

#include <atomic>

namespace tcgemm::emu {

using ptx::Space;
using ptx::Type;

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

MemoryOrder takeMemoryOrder(Modifiers &mods) {
  MemoryOrder result;
  static constexpr std::pair<const char *, Order> kOrders[] = {
      {"weak", Order::Weak},       {"relaxed", Order::Relaxed},
      {"acquire", Order::Acquire}, {"release", Order::Release},
      {"acq_rel", Order::AcqRel},  {"volatile", Order::Volatile},
      {"mmio", Order::Volatile}};
  for (auto &[name, order] : kOrders)
    if (mods.take(name))
      result.order = order;
  static constexpr std::pair<const char *, Scope> kScopes[] = {
      {"cta", Scope::Cta},
      {"cluster", Scope::Cluster},
      {"gpu", Scope::Gpu},
      {"sys", Scope::Sys}};
  if (result.order == Order::Volatile)
    result.scope = Scope::Sys;
  for (auto &[name, scope] : kScopes)
    if (mods.take(name))
      result.scope = scope;
  return result;
}

void takeCacheHints(Modifiers &mods) {
  mods.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  while (mods.takePrefixed("L1::") || mods.takePrefixed("L2::"))
    ;
}

//===----------------------------------------------------------------------===//
// ld
//===----------------------------------------------------------------------===//

/// Loads elements of type Mem into registers of type Reg, extending.
template <class Mem, class Reg>
static Outcome runLoad(Warp &warp, const Instruction &inst) {
  LaneAccess access;
  access.inst = &inst;
  access.kind = AccessKind::Load;
  access.order = getOrder(inst);
  access.scope = getScope(inst);
  access.bytes = inst.bytes;
  access.lanes = warp.exec;
  uint32_t wanted = warp.exec;
  warp.memory.resolve(access, inst.address, inst.space, inst.bytes);
  for (unsigned i = 0, e = inst.operands.size(); i < e; ++i) {
    Reg *to = warp.lanes<Reg>(inst.operands[i]);
    forEachLane(access.lanes, [&](unsigned lane) {
      to[lane] = static_cast<Reg>(
          // NOLINTNEXTLINE(bugprone-signed-char-misuse): extends the sign.
          loadShared<Mem>(access.data(lane) + i * sizeof(Mem)));
    });
    // A failed lane reads zero.
    if (uint32_t failed = wanted & ~access.lanes)
      forEachLane(failed, [&](unsigned lane) { to[lane] = 0; });
    if (uint32_t undefined = warp.definedness.findUndefined(
            access, i * sizeof(Mem), sizeof(Mem)))
      warp.definedness.markUndefined(inst.operands[i], undefined, access);
  }
  if (access.order >= Order::Acquire)
    std::atomic_thread_fence(std::memory_order_acquire);
  return Outcome::Next;
}

template <class Mem> static Handler chooseLoad(unsigned regBytes) {
  switch (regBytes) {
  case 2:
    if constexpr (sizeof(Mem) <= 2)
      return runLoad<Mem, uint16_t>;
    return nullptr;
  case 4:
    if constexpr (sizeof(Mem) <= 4)
      return runLoad<Mem, uint32_t>;
    return nullptr;
  case 8:
    if constexpr (sizeof(Mem) <= 8)
      return runLoad<Mem, uint64_t>;
    return nullptr;
  case 16:
    if constexpr (sizeof(Mem) == 16)
      return runLoad<Mem, unsigned __int128>;
    return nullptr;
  default:
    return nullptr;
  }
}

static Handler chooseLoad(Type type, unsigned regBytes) {
  switch (type) {
  case Type::S8:
    return chooseLoad<int8_t>(regBytes);
  case Type::S16:
    return chooseLoad<int16_t>(regBytes);
  case Type::S32:
    return chooseLoad<int32_t>(regBytes);
  default:
    break;
  }
  switch (ptx::getBitWidth(type)) {
  case 8:
    return chooseLoad<uint8_t>(regBytes);
  case 16:
    return chooseLoad<uint16_t>(regBytes);
  case 32:
    return chooseLoad<uint32_t>(regBytes);
  case 64:
    return chooseLoad<uint64_t>(regBytes);
  case 128:
    return chooseLoad<unsigned __int128>(regBytes);
  default:
    return nullptr;
  }
}

/// The type of the widest register of a scalar or vector operand. ld and st
/// accept registers that are wider than the type.
static Type getValueType(Decoder &d, const ptx::Operand &operand, Type type) {
  Type widest = type;
  auto look = [&](const ptx::Operand &element) {
    Type reg = d.getRegisterType(element);
    if (reg != Type::None && getSlotBytes(reg) > getSlotBytes(widest))
      widest = reg;
  };
  if (operand.kind == ptx::Operand::Kind::Vector)
    for (const ptx::Operand &element : operand.elements)
      look(element);
  else
    look(operand);
  return widest;
}

/// Decodes the common part of ld and st. Returns the element type, or None
/// after a failure.
static Type decodeAccess(Decoder &d, Modifiers &mods, unsigned &count) {
  MemoryOrder order = takeMemoryOrder(mods);
  d.code->imm = order.pack();
  d.code->space = mods.takeSpace();
  takeCacheHints(mods);
  count = 1;
  if (auto vector = mods.takeOneOf({"v2", "v4", "v8"}))
    count = 2u << *vector;
  auto type = mods.takeType();
  if (!type || *type == Type::Pred) {
    d.fail("the type of what is moved is missing");
    return Type::None;
  }
  d.code->bytes = ptx::getBitWidth(*type) / 8 * count;
  return *type;
}

static void decodeLoad(Decoder &d, Modifiers &mods) {
  unsigned count;
  bool nonCoherent = mods.take("nc");
  Type type = decodeAccess(d, mods, count);
  (void)nonCoherent; // Says that nobody writes: the race checker sees that.
  mods.take("unified");
  if (type == Type::None || !d.expectOperands(2, 3))
    return;
  Type reg = getValueType(d, d.operand(0), type);
  d.dst(0u, reg, count);
  d.code->address = d.address(1u, d.code->space);
  d.code->run = chooseLoad(type, getSlotBytes(reg));
}

//===----------------------------------------------------------------------===//
// st
//===----------------------------------------------------------------------===//

template <class Mem, class Reg>
static Outcome runStore(Warp &warp, const Instruction &inst) {
  LaneAccess access;
  access.inst = &inst;
  access.kind = AccessKind::Store;
  access.order = getOrder(inst);
  access.scope = getScope(inst);
  access.bytes = inst.bytes;
  access.lanes = warp.exec;
  if (access.order >= Order::Acquire)
    std::atomic_thread_fence(std::memory_order_release);
  // The race checker compares the values of lanes that write the same bytes.
  access.value = inst.operands.data();
  warp.memory.resolve(access, inst.address, inst.space, inst.bytes);
  for (unsigned i = 0, e = inst.operands.size(); i < e; ++i) {
    const Reg *from = warp.lanes<Reg>(inst.operands[i]);
    forEachLane(access.lanes, [&](unsigned lane) {
      Mem value = static_cast<Mem>(from[lane]);
      storeShared(access.data(lane) + i * sizeof(Mem), value);
    });
  }
  if (!inst.movesOnly) {
    warp.definedness.markDefined(access);
    return Outcome::Next;
  }
  for (unsigned i = 0, e = inst.operands.size(); i < e; ++i)
    warp.definedness.moveToMemory(access, inst.operands[i], i * sizeof(Mem),
                                  sizeof(Mem));
  return Outcome::Next;
}

template <class Mem> static Handler chooseStore(unsigned regBytes) {
  switch (regBytes) {
  case 2:
    if constexpr (sizeof(Mem) <= 2)
      return runStore<Mem, uint16_t>;
    return nullptr;
  case 4:
    if constexpr (sizeof(Mem) <= 4)
      return runStore<Mem, uint32_t>;
    return nullptr;
  case 8:
    if constexpr (sizeof(Mem) <= 8)
      return runStore<Mem, uint64_t>;
    return nullptr;
  case 16:
    if constexpr (sizeof(Mem) == 16)
      return runStore<Mem, unsigned __int128>;
    return nullptr;
  default:
    return nullptr;
  }
}

static void decodeStore(Decoder &d, Modifiers &mods) {
  if (llvm::is_contained(d.getSource().modifiers, "async"))
    return decodeStoreAsync(d, mods);
  unsigned count;
  Type type = decodeAccess(d, mods, count);
  if (type == Type::None || !d.expectOperands(2, 3))
    return;
  d.code->address = d.address(0u, d.code->space);
  // The memory of a thread may hold undefined values, as registers may.
  d.code->movesOnly =
      d.code->space == Space::Param || d.code->space == Space::Local;
  Type reg = getValueType(d, d.operand(1), type);
  // An 8-bit constant is held in 16.
  d.src(1u, reg, count);
  unsigned regBytes = getSlotBytes(reg);
  switch (ptx::getBitWidth(type)) {
  case 8:
    d.code->run = chooseStore<uint8_t>(regBytes);
    break;
  case 16:
    d.code->run = chooseStore<uint16_t>(regBytes);
    break;
  case 32:
    d.code->run = chooseStore<uint32_t>(regBytes);
    break;
  case 64:
    d.code->run = chooseStore<uint64_t>(regBytes);
    break;
  case 128:
    d.code->run = chooseStore<unsigned __int128>(regBytes);
    break;
  default:
    break;
  }
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

static Outcome runHint(Warp &, const Instruction &) { return Outcome::Next; }

static void decodeHint(Decoder &d, Modifiers &mods) {
  Space space = mods.takeSpace();
  mods.takeOneOf({"tensormap"});
  takeCacheHints(mods);
  mods.takeOneOf({"L1", "L2"});
  d.address(0u, space);
  d.code->run = runHint;
}

llvm::ArrayRef<FamilyEntry> getMemoryFamily() {
  static constexpr FamilyEntry kFamily[] = {
      {"ld", decodeLoad},        {"ldu", decodeLoad},
      {"st", decodeStore},       {"prefetch", decodeHint},
      {"prefetchu", decodeHint}, {"applypriority", decodeHint},
      {"discard", decodeHint}};
  return kFamily;
}

} // namespace tcgemm::emu
