//===- MoveAddress.cpp - cvta, isspacep, mapa and addresses ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Scalar.h"
#include "Machine/Block.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Space;
using ptx::Type;

namespace {

/// The first generic address of a space. 0 if generic addresses are the same.
uint64_t getWindow(Space space) {
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster:
    return kSharedWindow;
  case Space::Local:
    return kLocalWindow;
  case Space::Param:
    return kParamWindow;
  default:
    return 0;
  }
}

struct Displace {
  explicit Displace(const Instruction &inst) : by(inst.imm) {}
  uint64_t operator()(uint64_t a) const { return a + by; }
  uint64_t by;
};

void decodeCvta(Decoder &d, Modifiers &mods) {
  bool isTo = mods.take("to");
  Space space = mods.takeSpace();
  std::optional<Type> type = expectType(d, mods);
  if (space == Space::Generic || type != Type::U64)
    return d.fail("cvta needs a space and .u64");
  uint64_t window = getWindow(space);
  d.code->imm = isTo ? -window : window;
  emit(d, getLaneOp<Displace>(), Type::U64, {Type::U64});
}

/// The rank of the block whose shared memory has the shared address.
uint32_t getRank(Warp &warp, uint32_t address) {
  uint32_t field = address >> kSharedRankShift;
  return field ? field - 1 : warp.block.rank;
}

/// Constant variables lie in global memory.
bool isConstant(const Program &program, uint64_t address) {
  auto global = program.globals.begin();
  for (const ptx::Variable &variable : program.source->variables) {
    if (variable.space != Space::Const && variable.space != Space::Global)
      continue;
    if (global == program.globals.end())
      return false;
    if (address >= global->address && address - global->address < global->bytes)
      return variable.space == Space::Const;
    ++global;
  }
  return false;
}

bool isIn(Warp &warp, Space space, uint64_t address) {
  uint64_t window = address & ~(kWindowBytes - 1);
  switch (space) {
  case Space::Global:
    return address >= kGlobalStart && address < kSharedWindow &&
           !isConstant(warp.block.launch().program, address);
  case Space::Const:
    return isConstant(warp.block.launch().program, address);
  case Space::Shared:
    return window == kSharedWindow &&
           getRank(warp, uint32_t(address)) == warp.block.rank;
  case Space::SharedCluster:
    return window == kSharedWindow;
  case Space::Local:
    return window == kLocalWindow;
  case Space::Param:
    return window == kParamWindow;
  default:
    return false;
  }
}

Outcome testSpace(Warp &warp, const Instruction &inst) {
  const uint64_t *a = warp.lanes<uint64_t>(inst.operands[1]);
  uint32_t holds = 0;
  forEachLane(warp.exec, [&](unsigned lane) {
    holds |= uint32_t(isIn(warp, Space(inst.imm), a[lane])) << lane;
  });
  warp.setMask(inst.operands[0], holds);
  return Outcome::Next;
}

void decodeIsspacep(Decoder &d, Modifiers &mods) {
  Space space = mods.takeSpace();
  if (space == Space::Generic)
    return d.fail("isspacep needs a space");
  d.code->imm = uint64_t(space);
  emit(d, testSpace, Type::Pred, {Type::U64});
}

/// The address of the same variable in the shared memory of another block.
template <class T> struct Mapa {
  T operator()(T address, uint32_t rank) const {
    constexpr uint32_t kOffsets = (1u << kSharedRankShift) - 1;
    T window = address & ~T(UINT32_MAX);
    return window | T(rank + 1) << kSharedRankShift | (address & kOffsets);
  }
};

template <class T> Outcome readRank(Warp &warp, const Instruction &inst) {
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  const T *a = warp.lanes<T>(inst.operands[1]);
  forEachLane(warp.exec, [&](unsigned lane) {
    d[lane] = getRank(warp, uint32_t(a[lane]));
  });
  return Outcome::Next;
}

/// The type of an address of mapa and getctarank; none after an error.
std::optional<Type> takeAddressType(Decoder &d, Modifiers &mods) {
  Space space = mods.takeSpace();
  std::optional<Type> type = expectType(d, mods);
  bool isKnown = space == Space::Generic || space == Space::SharedCluster;
  if (isKnown && (type == Type::U64 ||
                  (type == Type::U32 && space == Space::SharedCluster)))
    return type;
  d.fail("the address must be a generic one of 64 bits or .shared::cluster");
  return std::nullopt;
}

void decodeMapa(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = takeAddressType(d, mods))
    emit(d,
         *type == Type::U32 ? getLaneOp<Mapa<uint32_t>>()
                            : getLaneOp<Mapa<uint64_t>>(),
         *type, {*type, Type::U32});
}

void decodeGetctarank(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = takeAddressType(d, mods))
    emit(d, *type == Type::U32 ? readRank<uint32_t> : readRank<uint64_t>,
         Type::U32, {*type});
}

/// The emulator has no cache policies, so the value does not matter.
struct NoPolicy {
  uint64_t operator()() const { return 0; }
};

void decodeCreatepolicy(Decoder &d, Modifiers &mods) {
  if (!mods.takeOneOf({"fractional", "range", "cvt"}))
    return d.fail("createpolicy needs .fractional, .range or .cvt");
  mods.takeSpace();
  while (mods.takePrefixed("L2"))
    ;
  if (expectType(d, mods) != Type::B64)
    return d.fail("createpolicy is for .b64");
  d.expectOperands(1, 4);
  d.dst(0, Type::B64);
  d.code->run = getLaneOp<NoPolicy>();
}

} // namespace

static constexpr FamilyEntry kEntries[] = {
    {"cvta", decodeCvta},
    {"isspacep", decodeIsspacep},
    {"mapa", decodeMapa},
    {"getctarank", decodeGetctarank},
    {"createpolicy", decodeCreatepolicy},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getAddressEntries() {
  return kEntries;
}
