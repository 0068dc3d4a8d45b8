//===- Logic.cpp - Logic and shifts ---------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Scalar.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

//===----------------------------------------------------------------------===//
// Bits and predicates
//===----------------------------------------------------------------------===//

template <class T> struct And {
  T operator()(T a, T b) const { return a & b; }
};
template <class T> struct Or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T> struct Xor {
  T operator()(T a, T b) const { return a ^ b; }
};
template <class T> struct Not {
  T operator()(T a) const { return T(~a); }
};
template <class T> struct Cnot {
  T operator()(T a) const { return a == 0; }
};

template <template <class> class Op>
Outcome combineMasks(Warp &warp, const Instruction &inst) {
  warp.setMask(inst.operands[0], Op<uint32_t>()(warp.mask(inst.operands[1]),
                                                warp.mask(inst.operands[2])));
  return Outcome::Next;
}

Outcome invertMask(Warp &warp, const Instruction &inst) {
  warp.setMask(inst.operands[0], ~warp.mask(inst.operands[1]));
  return Outcome::Next;
}

bool isBits(Type type) {
  return type == Type::B16 || type == Type::B32 || type == Type::B64;
}

template <template <class> class Op> Handler getForBits(Type type) {
  return isBits(type) ? getForWidth<Op>(ptx::getBitWidth(type)) : nullptr;
}

template <template <class> class Op>
void decodeBinary(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, *type == Type::Pred ? combineMasks<Op> : getForBits<Op>(*type),
         *type, {*type, *type});
}

void decodeNot(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, *type == Type::Pred ? invertMask : getForBits<Not>(*type), *type,
         {*type});
}

void decodeCnot(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForBits<Cnot>(*type), *type, {*type});
}

//===----------------------------------------------------------------------===//
// lop3
//===----------------------------------------------------------------------===//

/// Any function of three bits. Without branches: the table's bits select.
struct Lop3 {
  explicit Lop3(const Instruction &inst) {
    for (unsigned i = 0; i != 8; ++i)
      terms[i] = inst.imm >> i & 1 ? UINT32_MAX : 0;
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    auto select = [](uint32_t on, uint32_t yes, uint32_t no) {
      return (on & yes) | (~on & no);
    };
    uint32_t low =
        select(b, select(c, terms[3], terms[2]), select(c, terms[1], terms[0]));
    uint32_t high =
        select(b, select(c, terms[7], terms[6]), select(c, terms[5], terms[4]));
    return select(a, high, low);
  }
  uint32_t terms[8];
};

/// `d|p`: p is whether the result is not zero, combined with another predicate.
template <bool isAnd>
Outcome lop3WithPredicate(Warp &warp, const Instruction &inst) {
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  const uint32_t *a = warp.lanes<uint32_t>(inst.operands[2]);
  const uint32_t *b = warp.lanes<uint32_t>(inst.operands[3]);
  const uint32_t *c = warp.lanes<uint32_t>(inst.operands[4]);
  uint32_t other = warp.mask(inst.operands[5]);
  uint32_t holds = 0;
  Lop3 op(inst);
  forEachLane(warp.exec, [&](unsigned lane) {
    d[lane] = op(a[lane], b[lane], c[lane]);
    holds |= uint32_t(d[lane] != 0) << lane;
  });
  warp.setMask(inst.operands[1], isAnd ? holds & other : holds | other);
  return Outcome::Next;
}

void decodeLop3(Decoder &d, Modifiers &mods) {
  std::optional<unsigned> combine = mods.takeOneOf({"and", "or"});
  std::optional<Type> type = expectType(d, mods);
  d.expectOperands(combine ? 6 : 5);
  if (d.failed())
    return;
  if (type != Type::B32)
    return d.fail("lop3 is for .b32");
  if (combine) {
    const ptx::Operand &result = d.operand(0);
    if (result.kind != ptx::Operand::Kind::Pair)
      return d.fail("expected a result and a predicate, d|p");
    d.dst(result.elements[0], Type::B32);
    d.dst(result.elements[1], Type::Pred);
  } else {
    d.dst(0, Type::B32);
  }
  for (unsigned i = 1; i != 4; ++i)
    d.src(i, Type::B32);
  d.code->imm = d.immediate(d.operand(4));
  if (combine)
    d.src(5, Type::Pred);
  d.code->run = !combine        ? getLaneOp<Lop3>()
                : *combine == 0 ? lop3WithPredicate<true>
                                : lop3WithPredicate<false>;
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// Amounts beyond the width shift everything out.
template <class U> struct Shl {
  U operator()(U a, uint32_t b) const {
    constexpr uint32_t kBits = 8 * sizeof(U);
    return b >= kBits ? U(0) : U(a << (b & (kBits - 1)));
  }
};

template <class T> struct Shr {
  T operator()(T a, uint32_t b) const {
    constexpr uint32_t kBits = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return T(a >> (b >= kBits ? kBits - 1 : b));
    else
      return b >= kBits ? T(0) : T(a >> (b & (kBits - 1)));
  }
};

void decodeShl(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForBits<Shl>(*type), *type, {*type, Type::U32});
}

void decodeShr(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, isBits(*type) ? getForBits<Shr>(*type) : getForInteger<Shr>(*type),
         *type, {*type, Type::U32});
}

/// Shifts the 64 bits b:a; the result is the half that bits are shifted into.
template <bool isLeft, bool isWrap> struct Funnel {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t amount = isWrap ? c & 31 : c > 32 ? 32 : c;
    uint64_t both = uint64_t(b) << 32 | a;
    return uint32_t(isLeft ? both << amount >> 32 : both >> amount);
  }
};

void decodeShf(Decoder &d, Modifiers &mods) {
  std::optional<unsigned> direction = mods.takeOneOf({"l", "r"});
  std::optional<unsigned> mode = mods.takeOneOf({"clamp", "wrap"});
  std::optional<Type> type = expectType(d, mods);
  if (!direction || !mode || type != Type::B32)
    return d.fail("expected .l or .r, .clamp or .wrap, and .b32");
  Handler run = *direction == 0 ? (*mode ? getLaneOp<Funnel<true, true>>()
                                         : getLaneOp<Funnel<true, false>>())
                                : (*mode ? getLaneOp<Funnel<false, true>>()
                                         : getLaneOp<Funnel<false, false>>());
  emit(d, run, Type::B32, {Type::B32, Type::B32, Type::U32});
}

} // namespace

static constexpr FamilyEntry kEntries[] = {
    {"and", decodeBinary<And>}, {"or", decodeBinary<Or>},
    {"xor", decodeBinary<Xor>}, {"not", decodeNot},
    {"cnot", decodeCnot},       {"lop3", decodeLop3},
    {"shl", decodeShl},         {"shr", decodeShr},
    {"shf", decodeShf},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getLogicEntries() { return kEntries; }
