//===- IntegerBits.cpp - Bit fields and bit counts ------------------------===//
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
// Counts
//===----------------------------------------------------------------------===//

template <class T> struct Popc {
  uint32_t operator()(T a) const {
    return uint32_t(__builtin_popcountll(uint64_t(a)));
  }
};

template <class T> struct Clz {
  uint32_t operator()(T a) const { return countLeadingZeros(a); }
};

/// The place of the highest bit that differs from the sign, or how far it must
/// be shifted to get to the top; all ones if there is none.
template <class T, bool isShift> struct Bfind {
  uint32_t operator()(T value) const {
    using U = std::make_unsigned_t<T>;
    U a = U(value);
    if constexpr (std::is_signed_v<T>)
      a = value < 0 ? U(~a) : a;
    uint32_t zeros = countLeadingZeros(a);
    uint32_t place = isShift ? zeros : uint32_t(8 * sizeof(T)) - 1 - zeros;
    return a ? place : UINT32_MAX;
  }
};
template <class T> struct BfindPlace : Bfind<T, false> {
  uint32_t operator()(T a) const { return Bfind<T, false>::operator()(a); }
};
template <class T> struct BfindShift : Bfind<T, true> {
  uint32_t operator()(T a) const { return Bfind<T, true>::operator()(a); }
};

template <template <class> class Op> Handler getForBits(Type type) {
  if (type == Type::B32)
    return getLaneOp<Op<uint32_t>>();
  return type == Type::B64 ? getLaneOp<Op<uint64_t>>() : nullptr;
}

template <template <class> class Op>
void decodeCount(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForBits<Op>(*type), Type::U32, {*type});
}

void decodeBfind(Decoder &d, Modifiers &mods) {
  bool isShift = mods.take("shiftamt");
  if (std::optional<Type> type = expectType(d, mods))
    emit(d,
         isShift ? getForWord<BfindShift>(*type)
                 : getForWord<BfindPlace>(*type),
         Type::U32, {*type});
}

/// The place of the n-th set bit from `base` on, upwards or downwards.
struct Fns {
  uint32_t operator()(uint32_t mask, uint32_t base, int32_t offset) const {
    if (base > 31)
      return UINT32_MAX;
    if (offset == 0)
      return mask >> base & 1 ? base : UINT32_MAX;
    int step = offset > 0 ? 1 : -1;
    int64_t left = (offset > 0 ? int64_t(offset) : -int64_t(offset)) - 1;
    for (int at = int(base); at >= 0 && at < 32; at += step)
      if (mask >> at & 1 && left-- == 0)
        return uint32_t(at);
    return UINT32_MAX;
  }
};

void decodeFns(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = expectType(d, mods);
  emit(d, type == Type::B32 ? getSlowLaneOp<Fns>() : nullptr, Type::B32,
       {Type::B32, Type::B32, Type::S32});
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

template <class T> struct Brev {
  T operator()(T a) const {
    if constexpr (sizeof(T) == 4)
      return __builtin_bitreverse32(a);
    else
      return __builtin_bitreverse64(a);
  }
};

void decodeBrev(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForBits<Brev>(*type), *type, {*type});
}

/// `count` ones from bit 0 on; any count.
template <class U> U makeOnes(uint32_t count) {
  constexpr uint32_t kBits = 8 * sizeof(U);
  return count >= kBits ? U(~U(0)) : U((U(1) << (count % kBits)) - 1);
}

template <class T> struct Bfe {
  T operator()(T a, uint32_t b, uint32_t c) const {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t kTop = 8 * sizeof(T) - 1;
    // The ISA takes the low 8 bits; ptxas does so for 32 bits only.
    constexpr uint32_t kUsed = sizeof(T) == 4 ? 0xFF : UINT32_MAX;
    uint32_t place = b & kUsed, length = c & kUsed;
    U field = place > kTop ? U(0) : U(U(a) >> (place & kTop));
    U ones = makeOnes<U>(length);
    field &= ones;
    if constexpr (std::is_signed_v<T>) {
      uint64_t last = length ? uint64_t(place) + length - 1 : 0;
      bool sign = length && U(a) >> (last > kTop ? kTop : last) & 1;
      // Bits beyond the top of the register have the value of the sign.
      uint32_t inside = place > kTop ? 0 : kTop + 1 - place;
      U kept = makeOnes<U>(length < inside ? length : inside);
      field = sign ? U(field | ~kept) : field;
    }
    return T(field);
  }
};

void decodeBfe(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForWord<Bfe>(*type), *type, {*type, Type::U32, Type::U32});
}

template <class U> struct Bfi {
  U operator()(U a, U b, uint32_t c, uint32_t e) const {
    constexpr uint32_t kTop = 8 * sizeof(U) - 1;
    uint32_t place = c & 0xFF, length = e & 0xFF;
    U ones = place > kTop ? U(0) : U(makeOnes<U>(length) << (place & kTop));
    return (b & ~ones) | (U(a << (place & kTop)) & ones);
  }
};

void decodeBfi(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    emit(d, getForBits<Bfi>(*type), *type,
         {*type, *type, Type::U32, Type::U32});
}

template <bool isClamp> struct Bmsk {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    uint32_t place = a & 31, count = b & 31;
    if (isClamp && a > 31)
      return 0;
    bool reachesTop = place + count > 31 || (isClamp && b > 31);
    uint32_t above = reachesTop ? 0 : UINT32_MAX << ((place + count) & 31);
    return (UINT32_MAX << place) & ~above;
  }
};

template <class T, bool isClamp> struct Szext {
  T operator()(T value, uint32_t b) const {
    uint32_t a = uint32_t(value), count = b & 31;
    bool isAll = isClamp && b > 31;
    uint32_t above = isAll ? 0 : UINT32_MAX << count;
    bool sign =
        std::is_signed_v<T> && count && !isAll && (a >> ((count - 1) & 31) & 1);
    return T((a & ~above) | (sign ? above : 0));
  }
};

/// clamp: false, wrap: true; none if neither is there.
std::optional<bool> takeWrap(Decoder &d, Modifiers &mods) {
  std::optional<unsigned> mode = mods.takeOneOf({"clamp", "wrap"});
  if (mode)
    return *mode == 1;
  d.fail("expected .clamp or .wrap");
  return std::nullopt;
}

void decodeBmsk(Decoder &d, Modifiers &mods) {
  std::optional<bool> isWrap = takeWrap(d, mods);
  std::optional<Type> type = expectType(d, mods);
  if (!isWrap || type != Type::B32)
    return d.fail("expected .clamp or .wrap and .b32");
  emit(d, *isWrap ? getLaneOp<Bmsk<false>>() : getLaneOp<Bmsk<true>>(),
       Type::B32, {Type::U32, Type::U32});
}

void decodeSzext(Decoder &d, Modifiers &mods) {
  std::optional<bool> isWrap = takeWrap(d, mods);
  std::optional<Type> type = expectType(d, mods);
  if (!isWrap || !type)
    return;
  Handler run = nullptr;
  if (*type == Type::U32)
    run = *isWrap ? getLaneOp<Szext<uint32_t, false>>()
                  : getLaneOp<Szext<uint32_t, true>>();
  else if (*type == Type::S32)
    run = *isWrap ? getLaneOp<Szext<int32_t, false>>()
                  : getLaneOp<Szext<int32_t, true>>();
  emit(d, run, *type, {*type, Type::U32});
}

} // namespace

static constexpr FamilyEntry kEntries[] = {
    {"popc", decodeCount<Popc>}, {"clz", decodeCount<Clz>},
    {"bfind", decodeBfind},      {"fns", decodeFns},
    {"brev", decodeBrev},        {"bfe", decodeBfe},
    {"bfi", decodeBfi},          {"bmsk", decodeBmsk},
    {"szext", decodeSzext},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getIntegerBitEntries() {
  return kEntries;
}
