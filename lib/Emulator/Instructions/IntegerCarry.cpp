//===- IntegerCarry.cpp - Addition and multiplication with carry ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The condition code's carry is a hidden predicate of the frame, the last
// operand of these instructions. Subtractions keep the borrow in it.
//
//===----------------------------------------------------------------------===//

#include "Instructions/IntegerOps.h"
#include "Instructions/Scalar.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

template <class T> struct AddCarry {
  static constexpr unsigned kArguments = 2;
  static T run(T a, T b, bool in, bool &out) {
    T sum;
    bool first = __builtin_add_overflow(a, b, &sum);
    out = __builtin_add_overflow(sum, T(in), &sum) || first;
    return sum;
  }
};

template <class T> struct SubBorrow {
  static constexpr unsigned kArguments = 2;
  static T run(T a, T b, bool in, bool &out) {
    T rest;
    bool first = __builtin_sub_overflow(a, b, &rest);
    out = __builtin_sub_overflow(rest, T(in), &rest) || first;
    return rest;
  }
};

/// `P` is the type whose product it is, signed or not.
template <class P, bool isHigh> struct MadCarry {
  using T = std::make_unsigned_t<P>;
  static constexpr unsigned kArguments = 3;
  static T run(T a, T b, T c, bool in, bool &out) {
    T product = isHigh ? T(multiplyHigh(P(a), P(b))) : multiplyLow(a, b);
    return AddCarry<T>::run(product, c, in, out);
  }
};

template <class Op, class T, bool hasIn, bool hasOut>
Outcome carryOp(Warp &warp, const Instruction &inst) {
  T *d = warp.lanes<T>(inst.operands[0]);
  const T *a = warp.lanes<T>(inst.operands[1]);
  const T *b = warp.lanes<T>(inst.operands[2]);
  const Slot &carry = inst.operands.back();
  uint32_t in = hasIn ? warp.mask(carry) : 0;
  uint32_t out = 0;
  forEachLane(warp.exec, [&](unsigned lane) {
    bool carried = false;
    if constexpr (Op::kArguments == 3)
      d[lane] = Op::run(a[lane], b[lane], warp.lanes<T>(inst.operands[3])[lane],
                        in >> lane & 1, carried);
    else
      d[lane] = Op::run(a[lane], b[lane], in >> lane & 1, carried);
    out |= uint32_t(carried) << lane;
  });
  if (hasOut)
    warp.setMask(carry, out);
  return Outcome::Next;
}

template <class Op, class T> Handler getCarryOp(bool hasIn, bool hasOut) {
  if (hasIn)
    return hasOut ? carryOp<Op, T, true, true> : carryOp<Op, T, true, false>;
  return carryOp<Op, T, false, true>;
}

bool isWord(Type type) {
  return ptx::isInteger(type) && ptx::getBitWidth(type) >= 32 &&
         type != Type::U16x2 && type != Type::S16x2;
}

void emitWithCarry(Decoder &d, Handler run, Type type,
                   std::initializer_list<Type> arguments) {
  emit(d, run, type, arguments);
  if (!d.failed())
    d.code->operands.push_back(d.carry());
}

template <template <class> class Op>
void decodeSum(Decoder &d, Type type, bool hasIn, bool hasOut) {
  Handler run = nullptr;
  if (isWord(type))
    run = ptx::getBitWidth(type) == 64
              ? getCarryOp<Op<uint64_t>, uint64_t>(hasIn, hasOut)
              : getCarryOp<Op<uint32_t>, uint32_t>(hasIn, hasOut);
  emitWithCarry(d, run, type, {type, type});
}

template <bool isHigh> Handler getMad(Type type, bool hasIn, bool hasOut) {
  switch (type) {
  case Type::U32:
    return getCarryOp<MadCarry<uint32_t, isHigh>, uint32_t>(hasIn, hasOut);
  case Type::S32:
    return getCarryOp<MadCarry<int32_t, isHigh>, uint32_t>(hasIn, hasOut);
  case Type::U64:
    return getCarryOp<MadCarry<uint64_t, isHigh>, uint64_t>(hasIn, hasOut);
  case Type::S64:
    return getCarryOp<MadCarry<int64_t, isHigh>, uint64_t>(hasIn, hasOut);
  default:
    return nullptr;
  }
}

void decodeMad(Decoder &d, Type type, unsigned part, bool hasIn, bool hasOut) {
  if (part > 1)
    return d.fail("a carry needs .lo or .hi");
  emitWithCarry(d,
                part ? getMad<true>(type, hasIn, hasOut)
                     : getMad<false>(type, hasIn, hasOut),
                type, {type, type, type});
}

template <template <class> class Op>
void decodeCarriedSum(Decoder &d, Modifiers &mods) {
  bool hasOut = mods.take("cc");
  if (std::optional<Type> type = expectType(d, mods))
    decodeSum<Op>(d, *type, /*hasIn=*/true, hasOut);
}

void decodeMadc(Decoder &d, Modifiers &mods) {
  bool hasOut = mods.take("cc");
  std::optional<unsigned> part = mods.takeOneOf({"lo", "hi"});
  if (std::optional<Type> type = expectType(d, mods))
    decodeMad(d, *type, part.value_or(2), /*hasIn=*/true, hasOut);
}

} // namespace

void tcgemm::emu::decodeAddWithCarry(Decoder &d, Type type) {
  decodeSum<AddCarry>(d, type, /*hasIn=*/false, /*hasOut=*/true);
}

void tcgemm::emu::decodeSubWithBorrow(Decoder &d, Type type) {
  decodeSum<SubBorrow>(d, type, /*hasIn=*/false, /*hasOut=*/true);
}

void tcgemm::emu::decodeMadWithCarry(Decoder &d, Type type, unsigned part) {
  decodeMad(d, type, part, /*hasIn=*/false, /*hasOut=*/true);
}

static constexpr FamilyEntry kEntries[] = {
    {"addc", decodeCarriedSum<AddCarry>},
    {"subc", decodeCarriedSum<SubBorrow>},
    {"madc", decodeMadc},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getIntegerCarryEntries() {
  return kEntries;
}
