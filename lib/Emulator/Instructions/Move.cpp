//===- Move.cpp - mov, selp and prmt --------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Scalar.h"
#include "Machine/SpecialRegisters.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Operand;
using ptx::Type;

namespace {

//===----------------------------------------------------------------------===//
// mov of one value
//===----------------------------------------------------------------------===//

template <class T> struct Copy {
  T operator()(T a) const { return a; }
};

struct Wide128 {
  uint64_t low, high;
};

Outcome copyPredicate(Warp &warp, const Instruction &inst) {
  warp.setMask(inst.operands[0], warp.mask(inst.operands[1]));
  return Outcome::Next;
}

Outcome copyWide(Warp &warp, const Instruction &inst) {
  auto *d = warp.lanes<Wide128>(inst.operands[0]);
  const auto *a = warp.lanes<Wide128>(inst.operands[1]);
  forEachLane(warp.exec, [&](unsigned lane) { d[lane] = a[lane]; });
  return Outcome::Next;
}

Handler getCopy(Type type) {
  if (type == Type::Pred)
    return copyPredicate;
  if (getSlotBytes(type) == 16)
    return copyWide;
  return getForWidth<Copy>(8 * getSlotBytes(type));
}

/// Clocks change while a warp runs, so they have no slots.
template <class T> Outcome readClock(Warp &warp, const Instruction &inst) {
  T *d = warp.lanes<T>(inst.operands[0]);
  T value = T(warp.clock.get() >> inst.imm);
  forEachLane(warp.exec, [&](unsigned lane) { d[lane] = value; });
  return Outcome::Next;
}

/// The shift of the tick. Nothing if the register is not a clock.
std::optional<unsigned> getClockShift(const Operand &operand) {
  if (operand.kind != Operand::Kind::Special)
    return std::nullopt;
  std::optional<SpecialRegister> reg = findSpecialRegister(operand.name);
  if (!reg)
    return std::nullopt;
  switch (*reg) {
  case SpecialRegister::Clock:
  case SpecialRegister::Clock64:
  case SpecialRegister::Globaltimer:
  case SpecialRegister::GlobaltimerLo:
    return 0;
  case SpecialRegister::ClockHi:
  case SpecialRegister::GlobaltimerHi:
    return 32;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// mov of vectors
//===----------------------------------------------------------------------===//

/// The parts of a 128-bit value are those of two halves.
template <class D, class E, unsigned count>
Outcome pack(Warp &warp, const Instruction &inst) {
  constexpr unsigned kBits = 8 * sizeof(D) / count;
  D *d = warp.lanes<D>(inst.operands[0]);
  forEachLane(warp.exec, [&](unsigned lane) {
    D value = 0;
    for (unsigned i = 0; i != count; ++i) {
      D part = warp.lanes<E>(inst.operands[1 + i])[lane];
      // An 8-bit register has 16 bits here.
      value |= (part & ((D(1) << kBits) - 1)) << (kBits * i);
    }
    d[lane] = value;
  });
  return Outcome::Next;
}

template <class S, class E, unsigned count>
Outcome unpack(Warp &warp, const Instruction &inst) {
  constexpr unsigned kBits = 8 * sizeof(S) / count;
  const S *a = warp.lanes<S>(inst.operands[count]);
  for (unsigned i = 0; i != count; ++i) {
    E *d = warp.lanes<E>(inst.operands[i]);
    uint32_t exec = warp.exec;
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (unsigned lane = 0; lane != kWarpSize; ++lane) {
      E old = d[lane], part = E(a[lane] >> (kBits * i) & ((S(1) << kBits) - 1));
      d[lane] = exec & (1u << lane) ? part : old;
    }
  }
  return Outcome::Next;
}

Outcome packWide(Warp &warp, const Instruction &inst) {
  auto *d = warp.lanes<Wide128>(inst.operands[0]);
  const auto *low = warp.lanes<uint64_t>(inst.operands[1]);
  const auto *high = warp.lanes<uint64_t>(inst.operands[2]);
  forEachLane(warp.exec,
              [&](unsigned lane) { d[lane] = Wide128{low[lane], high[lane]}; });
  return Outcome::Next;
}

Outcome unpackWide(Warp &warp, const Instruction &inst) {
  auto *low = warp.lanes<uint64_t>(inst.operands[0]);
  auto *high = warp.lanes<uint64_t>(inst.operands[1]);
  const auto *a = warp.lanes<Wide128>(inst.operands[2]);
  forEachLane(warp.exec, [&](unsigned lane) {
    Wide128 value = a[lane];
    low[lane] = value.low;
    high[lane] = value.high;
  });
  return Outcome::Next;
}

template <class Whole, class Part> struct PackTwo {
  Whole operator()(Part a, Part b) const {
    return Whole(Whole(a) | Whole(b) << (8 * sizeof(Part)));
  }
};

struct VectorHandlers {
  unsigned bits, count;
  Type element;
  Handler pack, unpack;
};

/// The handlers of `mov` for the type and its parts. Null if there are none.
VectorHandlers getVectorHandlers(Type type, unsigned count) {
  using H = VectorHandlers;
  const H kHandlers[] = {
      H{16, 2, Type::B8, pack<uint16_t, uint16_t, 2>,
        unpack<uint16_t, uint16_t, 2>},
      H{32, 2, Type::B16, getLaneOp<PackTwo<uint32_t, uint16_t>>(),
        unpack<uint32_t, uint16_t, 2>},
      H{32, 4, Type::B8, pack<uint32_t, uint16_t, 4>,
        unpack<uint32_t, uint16_t, 4>},
      H{64, 2, Type::B32, getLaneOp<PackTwo<uint64_t, uint32_t>>(),
        unpack<uint64_t, uint32_t, 2>},
      H{64, 4, Type::B16, pack<uint64_t, uint16_t, 4>,
        unpack<uint64_t, uint16_t, 4>},
      H{128, 2, Type::B64, packWide, unpackWide},
  };
  for (const H &handlers : kHandlers)
    if (handlers.bits == ptx::getBitWidth(type) && handlers.count == count)
      return handlers;
  return H{0, 0, Type::None, nullptr, nullptr};
}

void decodeVector(Decoder &d, Type type, bool isPack) {
  const Operand &result = d.operand(0), &source = d.operand(1);
  unsigned count = d.getVectorSize(isPack ? source : result);
  VectorHandlers handlers = getVectorHandlers(type, count);
  if (!handlers.bits || ptx::isInteger(type) || ptx::isFloat(type))
    return d.fail("mov of a vector needs .b16 to .b128 and 2 or 4 elements");
  d.dst(result, isPack ? type : handlers.element, isPack ? 1 : count);
  d.src(source, isPack ? handlers.element : type, isPack ? count : 1);
  d.code->run = isPack ? handlers.pack : handlers.unpack;
}

void decodeMov(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = expectType(d, mods);
  d.expectOperands(2);
  if (d.failed())
    return;
  d.code->movesOnly = true;
  bool isPack = d.operand(1).kind == Operand::Kind::Vector;
  if (isPack || d.operand(0).kind == Operand::Kind::Vector)
    return decodeVector(d, *type, isPack);
  if (std::optional<unsigned> shift = getClockShift(d.operand(1))) {
    d.dst(0, *type);
    d.code->imm = *shift;
    if (ptx::getBitWidth(*type) < 32)
      return d.fail("a clock needs 32 or 64 bits");
    d.code->run = ptx::getBitWidth(*type) == 32 ? readClock<uint32_t>
                                                : readClock<uint64_t>;
    return;
  }
  emit(d, getCopy(*type), *type, {*type});
}

//===----------------------------------------------------------------------===//
// selp
//===----------------------------------------------------------------------===//

template <class T>
TCGEMM_INLINE void select(Warp &warp, const Instruction &inst) {
  T *d = warp.lanes<T>(inst.operands[0]);
  const T *a = warp.lanes<T>(inst.operands[1]);
  const T *b = warp.lanes<T>(inst.operands[2]);
  uint32_t exec = warp.exec, holds = warp.mask(inst.operands[3]);
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (unsigned lane = 0; lane != kWarpSize; ++lane) {
    T yes = a[lane], no = b[lane], old = d[lane];
    T value = holds & (1u << lane) ? yes : no;
    d[lane] = exec & (1u << lane) ? value : old;
  }
}

template <class T> Outcome selectLanes(Warp &warp, const Instruction &inst) {
  select<T>(warp, inst);
  return Outcome::Next;
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("arch=x86-64-v3")))
Outcome selectWide(Warp &warp, const Instruction &inst) {
  select<T>(warp, inst);
  return Outcome::Next;
}
#endif

template <class T> Handler getSelect() {
#if defined(__x86_64__)
  if (hasVectorExtensions())
    return selectWide<T>;
#endif
  return selectLanes<T>;
}

void decodeSelp(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = expectType(d, mods);
  if (!type)
    return;
  Handler run = nullptr;
  switch (getSlotBytes(*type)) {
  case 2:
    run = getSelect<uint16_t>();
    break;
  case 4:
    run = getSelect<uint32_t>();
    break;
  case 8:
    run = getSelect<uint64_t>();
    break;
  default:
    break;
  }
  emit(d, run, *type, {*type, *type, Type::Pred});
  d.code->selects = true;
}

//===----------------------------------------------------------------------===//
// prmt
//===----------------------------------------------------------------------===//

/// Nibbles of `control` choose bytes of b:a; the top bit repeats the sign.
struct Permute {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t control) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i != 4; ++i) {
      uint32_t choice = control >> (4 * i) & 0xF;
      uint32_t byte = uint32_t(both >> (8 * (choice & 7))) & 0xFF;
      uint32_t sign = byte & 0x80 ? 0xFF : 0;
      result |= (choice & 8 ? sign : byte) << (8 * i);
    }
    return result;
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    return run(a, b, c);
  }
};

/// The modes are ordinary permutations chosen by the low bits of c.
constexpr uint16_t kPermutations[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};

struct PermuteByMode {
  explicit PermuteByMode(const Instruction &inst)
      : permutations(kPermutations[inst.imm]) {}
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    return Permute::run(a, b, permutations[c & 3]);
  }
  const uint16_t *permutations;
};

void decodePrmt(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = expectType(d, mods);
  if (type != Type::B32)
    return d.fail("prmt is for .b32");
  std::optional<unsigned> mode =
      mods.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  d.code->imm = mode.value_or(0);
  emit(d, mode ? getLaneOp<PermuteByMode>() : getLaneOp<Permute>(), Type::B32,
       {Type::B32, Type::B32, Type::B32});
}

} // namespace

static constexpr FamilyEntry kEntries[] = {
    {"mov", decodeMov},
    {"selp", decodeSelp},
    {"prmt", decodePrmt},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getMoveFamily() {
  static const std::vector<FamilyEntry> table = [] {
    std::vector<FamilyEntry> all(std::begin(kEntries), std::end(kEntries));
    llvm::append_range(all, getAddressEntries());
    return all;
  }();
  return table;
}
