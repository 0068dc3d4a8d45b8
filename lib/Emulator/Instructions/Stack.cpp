//===- Stack.cpp - alloca and the stack -----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's stack is its local memory behind the variables of the running
// function. Addresses grow upwards.
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Decoder.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace tcgemm::emu {

using ptx::Type;

/// Operands: d, size. imm: the alignment.
template <class T>
static Outcome runAlloca(Warp &warp, const Instruction &inst) {
  T *d = warp.lanes<T>(inst.operands[0]);
  const T *size = warp.lanes<T>(inst.operands[1]);
  bool good = true;
  forEachLane(warp.exec, [&](unsigned lane) {
    auto address = good ? warp.calls.allocateLocal(lane, size[lane], inst.imm)
                        : std::nullopt;
    good = address.has_value();
    d[lane] = address.value_or(0);
  });
  return good ? Outcome::Next : Outcome::Failed;
}

template <class T> static Outcome runSave(Warp &warp, const Instruction &inst) {
  T *d = warp.lanes<T>(inst.operands[0]);
  forEachLane(warp.exec,
              [&](unsigned lane) { d[lane] = warp.frame->stackTop[lane]; });
  return Outcome::Next;
}

template <class T>
static Outcome runRestore(Warp &warp, const Instruction &inst) {
  const T *a = warp.lanes<T>(inst.operands[0]);
  uint32_t least = warp.frame->localBase + warp.frame->function->localBytes;
  uint32_t bad = 0;
  forEachLane(warp.exec, [&](unsigned lane) {
    uint32_t &top = warp.frame->stackTop[lane];
    if (a[lane] < least || a[lane] > top)
      bad |= 1u << lane;
    else
      top = a[lane];
  });
  if (!bad)
    return Outcome::Next;
  return warp.fail(
      llvm::formatv("the stack pointer {0:x} was not saved by this function",
                    uint64_t(a[llvm::countr_zero(bad)])));
}

/// The type of addresses, .u32 or .u64; none after an error.
static std::optional<Type> takeType(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = mods.takeType();
  if (type == Type::U32 || type == Type::U64)
    return type;
  d.fail(d.getSource().opcode + " needs .u32 or .u64");
  return std::nullopt;
}

static void decodeAlloca(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = takeType(d, mods);
  if (!type || !d.expectOperands(2, 3))
    return;
  d.dst(0u, *type);
  d.src(1u, *type);
  constexpr uint64_t kDefault = 8, kMost = 4096;
  d.code->imm = d.getNumOperands() > 2 ? d.immediate(2u) : kDefault;
  if (!llvm::isPowerOf2_64(d.code->imm) || d.code->imm > kMost)
    return d.fail(llvm::formatv("an alignment of {0}; it must be a power of "
                                "two of at most {1}",
                                d.code->imm, kMost));
  d.code->run = *type == Type::U64 ? runAlloca<uint64_t> : runAlloca<uint32_t>;
}

static void decodeSave(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = takeType(d, mods);
  if (!type || !d.expectOperands(1))
    return;
  d.dst(0u, *type);
  d.code->run = *type == Type::U64 ? runSave<uint64_t> : runSave<uint32_t>;
}

static void decodeRestore(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = takeType(d, mods);
  if (!type || !d.expectOperands(1))
    return;
  d.src(0u, *type);
  d.code->run =
      *type == Type::U64 ? runRestore<uint64_t> : runRestore<uint32_t>;
}

llvm::ArrayRef<FamilyEntry> getStackFamily() {
  static constexpr FamilyEntry kFamily[] = {{"alloca", decodeAlloca},
                                            {"stacksave", decodeSave},
                                            {"stackrestore", decodeRestore}};
  return kFamily;
}

} // namespace tcgemm::emu
