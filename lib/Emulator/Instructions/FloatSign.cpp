//===- FloatSign.cpp - Floating-point minimum, maximum, sign and class ----===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These work on the bits, the same way for all formats.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatOps.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

/// Applies a functor on the bits of a format to both halves of 32 bits.
template <class Op> struct BinaryOnHalves {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    uint16_t low = Op()(uint16_t(a), uint16_t(b));
    uint16_t high = Op()(uint16_t(a >> 16), uint16_t(b >> 16));
    return low | uint32_t(high) << 16;
  }
};

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

template <class F, bool isMax, bool keepsNaN, bool isXorSign, bool ftz>
struct Extremum {
  using U = typename F::Bits;
  /// Orders as numbers are, with -0 below +0.
  static U getKey(U bits) {
    return bits & F::kSign ? U(~bits) : U(bits | F::kSign);
  }
  U operator()(U a, U b) const {
    a = ftz ? F::flush(a) : a;
    b = ftz ? F::flush(b) : b;
    U sign = (a ^ b) & F::kSign;
    bool aIsNaN = F::isNaN(a), bIsNaN = F::isNaN(b);
    if constexpr (isXorSign) {
      a &= F::kMagnitude;
      b &= F::kMagnitude;
    }
    bool takesA = isMax ? getKey(a) >= getKey(b) : getKey(a) <= getKey(b);
    U value = (takesA && !aIsNaN) || bIsNaN ? a : b;
    if constexpr (isXorSign)
      value |= sign;
    bool isNaN = keepsNaN ? aIsNaN || bIsNaN : aIsNaN && bIsNaN;
    return isNaN ? F::makeNaN(b) : value;
  }
};

template <class F, bool isMax, bool keepsNaN, bool isXorSign, bool ftz>
Handler getExtremum(bool isPair) {
  using Op = Extremum<F, isMax, keepsNaN, isXorSign, ftz>;
  if constexpr (sizeof(typename F::Bits) == 2)
    if (isPair)
      return getLaneOp<BinaryOnHalves<Op>>();
  return getLaneOp<Op>();
}

template <class F, bool isMax, bool keepsNaN, bool isXorSign>
Handler getForFlushing(bool isPair, bool ftz) {
  return ftz ? getExtremum<F, isMax, keepsNaN, isXorSign, true>(isPair)
             : getExtremum<F, isMax, keepsNaN, isXorSign, false>(isPair);
}

template <class F, bool isMax>
Handler getForModifiers(bool isPair, bool ftz, bool keepsNaN, bool isXorSign) {
  if (keepsNaN)
    return isXorSign ? getForFlushing<F, isMax, true, true>(isPair, ftz)
                     : getForFlushing<F, isMax, true, false>(isPair, ftz);
  return isXorSign ? getForFlushing<F, isMax, false, true>(isPair, ftz)
                   : getForFlushing<F, isMax, false, false>(isPair, ftz);
}

template <bool isMax>
void decodeExtremum(Decoder &d, Modifiers &mods, Type type) {
  bool ftz = mods.take("ftz"), keepsNaN = mods.take("NaN");
  bool isXorSign = mods.take("xorsign");
  if (isXorSign && !mods.take("abs"))
    return d.fail("expected .abs after .xorsign");
  bool isPair = type == Type::F16x2 || type == Type::BF16x2;
  Handler run = nullptr;
  if (type == Type::F32)
    run = getForModifiers<SingleBits, isMax>(false, ftz, keepsNaN, isXorSign);
  else if (type == Type::F16 || type == Type::F16x2)
    run = getForModifiers<HalfBits, isMax>(isPair, ftz, keepsNaN, isXorSign);
  else if (type == Type::BF16 || type == Type::BF16x2)
    run = ftz ? nullptr
              : getForModifiers<BFloatBits, isMax>(isPair, false, keepsNaN,
                                                   isXorSign);
  else if (type == Type::F64 && !ftz && !keepsNaN && !isXorSign)
    run = getExtremum<DoubleBits, isMax, false, false, false>(false);
  emit(d, run, type, {type, type});
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

template <class F, bool ftz> struct Abs {
  using U = typename F::Bits;
  U operator()(U a) const {
    a = ftz ? F::flush(a) : a;
    return F::isNaN(a) ? F::makeNaN(a) : U(a & F::kMagnitude);
  }
};
template <class F, bool ftz> struct Neg {
  using U = typename F::Bits;
  U operator()(U a) const {
    a = ftz ? F::flush(a) : a;
    return F::isNaN(a) ? F::makeNaN(a) : U(a ^ F::kSign);
  }
};

template <template <class, bool> class Op, class F, bool ftz>
Handler getSignOp(bool isPair) {
  if constexpr (sizeof(typename F::Bits) == 2)
    if (isPair)
      return getLaneOp<OnEachHalf<Op<F, ftz>>>();
  return getLaneOp<Op<F, ftz>>();
}

template <template <class, bool> class Op>
void decodeSign(Decoder &d, Modifiers &mods, Type type) {
  bool ftz = mods.take("ftz");
  bool isPair = type == Type::F16x2 || type == Type::BF16x2;
  Handler run = nullptr;
  if (type == Type::F32)
    run = ftz ? getSignOp<Op, SingleBits, true>(false)
              : getSignOp<Op, SingleBits, false>(false);
  else if (type == Type::F16 || type == Type::F16x2)
    run = ftz ? getSignOp<Op, HalfBits, true>(isPair)
              : getSignOp<Op, HalfBits, false>(isPair);
  else if ((type == Type::BF16 || type == Type::BF16x2) && !ftz)
    run = getSignOp<Op, BFloatBits, false>(isPair);
  else if (type == Type::F64 && !ftz)
    run = getSignOp<Op, DoubleBits, false>(false);
  emit(d, run, type, {type});
}

/// The sign of the first and the rest of the second.
template <class F> struct CopySign {
  using U = typename F::Bits;
  U operator()(U a, U b) const {
    return U(a & F::kSign) | U(b & F::kMagnitude);
  }
};

void decodeCopySign(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = expectType(d, mods);
  if (!type)
    return;
  Handler run = *type == Type::F32   ? getLaneOp<CopySign<SingleBits>>()
                : *type == Type::F64 ? getLaneOp<CopySign<DoubleBits>>()
                                     : nullptr;
  emit(d, run, *type, {*type, *type});
}

//===----------------------------------------------------------------------===//
// testp
//===----------------------------------------------------------------------===//

enum Class : unsigned {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

template <class F> bool isOf(unsigned kind, typename F::Bits bits) {
  using U = typename F::Bits;
  U magnitude = bits & F::kMagnitude;
  switch (kind) {
  case Finite:
    return magnitude < F::kInfinity;
  case Infinite:
    return magnitude == F::kInfinity;
  case Number:
    return magnitude <= F::kInfinity;
  case NotANumber:
    return magnitude > F::kInfinity;
  case Normal: // Zeros are.
    return magnitude == 0 ||
           (magnitude >= F::kLeastNormal && magnitude < F::kInfinity);
  default:
    return magnitude != 0 && magnitude < F::kLeastNormal;
  }
}

template <class F> Outcome testClass(Warp &warp, const Instruction &inst) {
  const auto *a = warp.lanes<typename F::Bits>(inst.operands[1]);
  uint32_t holds = 0;
  for (unsigned lane = 0; lane != kWarpSize; ++lane)
    holds |= uint32_t(isOf<F>(unsigned(inst.imm), a[lane])) << lane;
  warp.setMask(inst.operands[0], holds);
  return Outcome::Next;
}

void decodeTestp(Decoder &d, Modifiers &mods) {
  std::optional<unsigned> kind = mods.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  std::optional<Type> type = expectType(d, mods);
  if (!kind || !type)
    return d.fail("testp needs a class and a type");
  d.code->imm = *kind;
  Handler run = *type == Type::F32   ? testClass<SingleBits>
                : *type == Type::F64 ? testClass<DoubleBits>
                                     : nullptr;
  emit(d, run, Type::Pred, {*type});
}

} // namespace

void tcgemm::emu::decodeFloatMin(Decoder &d, Modifiers &mods, Type type) {
  decodeExtremum<false>(d, mods, type);
}

void tcgemm::emu::decodeFloatMax(Decoder &d, Modifiers &mods, Type type) {
  decodeExtremum<true>(d, mods, type);
}

void tcgemm::emu::decodeFloatAbs(Decoder &d, Modifiers &mods, Type type) {
  decodeSign<Abs>(d, mods, type);
}

void tcgemm::emu::decodeFloatNeg(Decoder &d, Modifiers &mods, Type type) {
  decodeSign<Neg>(d, mods, type);
}

static constexpr FamilyEntry kEntries[] = {
    {"copysign", decodeCopySign},
    {"testp", decodeTestp},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getFloatSignEntries() {
  return kEntries;
}
