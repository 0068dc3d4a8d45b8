//===- IntegerArithmetic.cpp - Integer addition, multiplication, division -===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/IntegerOps.h"
#include "Instructions/Scalar.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

template <class T> struct Add {
  T operator()(T a, T b) const { return T(a + b); }
};
template <class T> struct Sub {
  T operator()(T a, T b) const { return T(a - b); }
};
struct AddSaturating {
  int32_t operator()(int32_t a, int32_t b) const {
    return saturate(int64_t(a) + b);
  }
};
struct SubSaturating {
  int32_t operator()(int32_t a, int32_t b) const {
    return saturate(int64_t(a) - b);
  }
};

/// `.x2` types have the same sum whether signed or not.
bool isPair(Type type) { return type == Type::U16x2 || type == Type::S16x2; }

template <template <class> class Op, class Saturating>
void decodeSum(Decoder &d, Modifiers &mods, Type type) {
  Handler run = nullptr;
  if (mods.take("sat"))
    run = type == Type::S32 ? getLaneOp<Saturating>() : nullptr;
  else if (isPair(type))
    run = getLaneOp<OnHalves<uint16_t, Op<uint16_t>>>();
  else if (ptx::isInteger(type))
    run = getForWidth<Op>(ptx::getBitWidth(type));
  emit(d, run, type, {type, type});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

template <class T> struct MulLow {
  T operator()(T a, T b) const { return multiplyLow(a, b); }
};
template <class T> struct MulHigh {
  T operator()(T a, T b) const { return multiplyHigh(a, b); }
};
template <class T> struct MulWide {
  Wide<T> operator()(T a, T b) const { return multiplyWide(a, b); }
};
template <class T> struct MadLow {
  T operator()(T a, T b, T c) const { return T(multiplyLow(a, b) + c); }
};
template <class T> struct MadHigh {
  T operator()(T a, T b, T c) const {
    using U = std::make_unsigned_t<T>;
    return T(U(multiplyHigh(a, b)) + U(c));
  }
};
template <class T> struct MadWide {
  Wide<T> operator()(T a, T b, Wide<T> c) const {
    using U = std::make_unsigned_t<Wide<T>>;
    return Wide<T>(U(multiplyWide(a, b)) + U(c));
  }
};
struct MadHighSaturating {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return saturate(int64_t(multiplyHigh(a, b)) + c);
  }
};

template <template <class> class Op> Handler getForNarrow(Type type) {
  switch (type) {
  case Type::U16:
    return getLaneOp<Op<uint16_t>>();
  case Type::S16:
    return getLaneOp<Op<int16_t>>();
  case Type::U32:
    return getLaneOp<Op<uint32_t>>();
  case Type::S32:
    return getLaneOp<Op<int32_t>>();
  default:
    return nullptr;
  }
}

Type getWide(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  case Type::S32:
    return Type::S64;
  default:
    return Type::None;
  }
}

template <bool isHigh, class T> struct Mul24 {
  T operator()(T a, T b) const { return multiply24<isHigh>(a, b); }
};
template <bool isHigh, class T> struct Mad24 {
  T operator()(T a, T b, T c) const {
    return T(uint32_t(multiply24<isHigh>(a, b)) + uint32_t(c));
  }
};
struct Mad24Saturating {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return saturate(int64_t(multiply24<true>(a, b)) + c);
  }
};

template <template <bool, class> class Op, bool isHigh>
Handler getFor24(Type type) {
  if (type == Type::U32)
    return getLaneOp<Op<isHigh, uint32_t>>();
  return type == Type::S32 ? getLaneOp<Op<isHigh, int32_t>>() : nullptr;
}

void decodeMul24(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = expectType(d, mods);
  std::optional<unsigned> part = mods.takeOneOf({"lo", "hi"});
  if (!type || !part)
    return d.fail("expected .lo or .hi and a type");
  emit(d, *part ? getFor24<Mul24, true>(*type) : getFor24<Mul24, false>(*type),
       *type, {*type, *type});
}

void decodeMad24(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = expectType(d, mods);
  std::optional<unsigned> part = mods.takeOneOf({"lo", "hi"});
  if (!type || !part)
    return d.fail("expected .lo or .hi and a type");
  Handler run =
      *part ? getFor24<Mad24, true>(*type) : getFor24<Mad24, false>(*type);
  if (mods.take("sat"))
    run = *part && *type == Type::S32 ? getLaneOp<Mad24Saturating>() : nullptr;
  emit(d, run, *type, {*type, *type, *type});
}

template <class T> struct Sad {
  T operator()(T a, T b, T c) const {
    using U = std::make_unsigned_t<T>;
    U distance = a < b ? U(U(b) - U(a)) : U(U(a) - U(b));
    return T(U(distance + U(c)));
  }
};

void decodeSad(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForInteger<Sad>(*type), *type, {*type, *type, *type});
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

template <class T> struct Div {
  T operator()(T a, T b) const { return divide(a, b); }
};
template <class T> struct Rem {
  T operator()(T a, T b) const { return remainder(a, b); }
};

void decodeRem(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForInteger<Rem>(*type), *type, {*type, *type});
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

template <class A, class B> struct Dp4a {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (unsigned i = 0; i != 32; i += 8)
      c += uint32_t(int32_t(A(a >> i)) * int32_t(B(b >> i)));
    return c;
  }
};

template <class A, class B, unsigned shift> struct Dp2a {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    b >>= shift;
    c += uint32_t(int32_t(A(a)) * int32_t(B(b)));
    return c + uint32_t(int32_t(A(a >> 16)) * int32_t(B(b >> 8)));
  }
};

template <class A, class B> Handler getDot(bool isFour, bool isHigh) {
  using A16 = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  if (isFour)
    return getLaneOp<Dp4a<A, B>>();
  return isHigh ? getLaneOp<Dp2a<A16, B, 16>>() : getLaneOp<Dp2a<A16, B, 0>>();
}

template <bool isFour> void decodeDot(Decoder &d, Modifiers &mods) {
  std::optional<unsigned> part = mods.takeOneOf({"lo", "hi"});
  if (isFour == part.has_value())
    return d.fail("dp2a needs .lo or .hi, dp4a has none");
  std::optional<Type> a = expectType(d, mods), b = expectType(d, mods);
  auto isWord = [](std::optional<Type> type) {
    return type == Type::U32 || type == Type::S32;
  };
  if (!isWord(a) || !isWord(b))
    return d.fail("expected the types .u32 or .s32");
  bool isHigh = part == 1u, sa = *a == Type::S32, sb = *b == Type::S32;
  Handler run = sa ? (sb ? getDot<int8_t, int8_t>(isFour, isHigh)
                         : getDot<int8_t, uint8_t>(isFour, isHigh))
                   : (sb ? getDot<uint8_t, int8_t>(isFour, isHigh)
                         : getDot<uint8_t, uint8_t>(isFour, isHigh));
  Type sum = sa || sb ? Type::S32 : Type::U32;
  emit(d, run, sum, {*a, *b, sum});
}

} // namespace

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

void tcgemm::emu::decodeIntegerAdd(Decoder &d, Modifiers &mods, Type type) {
  if (mods.take("cc"))
    return decodeAddWithCarry(d, type);
  decodeSum<Add, AddSaturating>(d, mods, type);
}

void tcgemm::emu::decodeIntegerSub(Decoder &d, Modifiers &mods, Type type) {
  if (mods.take("cc"))
    return decodeSubWithBorrow(d, type);
  decodeSum<Sub, SubSaturating>(d, mods, type);
}

void tcgemm::emu::decodeIntegerMul(Decoder &d, Modifiers &mods, Type type) {
  std::optional<unsigned> part = mods.takeOneOf({"lo", "hi", "wide"});
  if (!part || !ptx::isInteger(type))
    return d.fail("expected .lo, .hi or .wide and an integer type");
  if (*part == 2)
    return emit(d, getForNarrow<MulWide>(type), getWide(type), {type, type});
  Handler run = *part ? getForInteger<MulHigh>(type)
                      : getForWidth<MulLow>(ptx::getBitWidth(type));
  emit(d, run, type, {type, type});
}

void tcgemm::emu::decodeIntegerMad(Decoder &d, Modifiers &mods, Type type) {
  std::optional<unsigned> part = mods.takeOneOf({"lo", "hi", "wide"});
  if (!part || !ptx::isInteger(type))
    return d.fail("expected .lo, .hi or .wide and an integer type");
  if (mods.take("cc"))
    return decodeMadWithCarry(d, type, *part);
  if (*part == 2) {
    Type wide = getWide(type);
    return emit(d, getForNarrow<MadWide>(type), wide, {type, type, wide});
  }
  Handler run = *part ? getForInteger<MadHigh>(type)
                      : getForWidth<MadLow>(ptx::getBitWidth(type));
  if (mods.take("sat"))
    run = *part && type == Type::S32 ? getLaneOp<MadHighSaturating>() : nullptr;
  emit(d, run, type, {type, type, type});
}

void tcgemm::emu::decodeIntegerDiv(Decoder &d, Modifiers &, Type type) {
  emit(d, getForInteger<Div>(type), type, {type, type});
}

static constexpr FamilyEntry kEntries[] = {
    {"mul24", decodeMul24},    {"mad24", decodeMad24},
    {"sad", decodeSad},        {"rem", decodeRem},
    {"dp4a", decodeDot<true>}, {"dp2a", decodeDot<false>},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getIntegerArithmeticEntries() {
  return kEntries;
}
