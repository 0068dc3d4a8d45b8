//===- IntegerMinMax.cpp - Integer minimum, maximum, absolute value -------===//
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

template <class T> struct Min {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T> struct Max {
  T operator()(T a, T b) const { return a > b ? a : b; }
};

/// .relu: a negative value becomes 0.
template <class Op, class T> struct Clamped {
  T operator()(T a, T b) const {
    T value = Op()(a, b);
    return value < 0 ? T(0) : value;
  }
};

template <template <class> class Op>
void decodeExtremum(Decoder &d, Modifiers &mods, Type type) {
  Handler run = nullptr;
  bool isClamped = mods.take("relu");
  if (type == Type::S32 && isClamped)
    run = getLaneOp<Clamped<Op<int32_t>, int32_t>>();
  else if (type == Type::S16x2)
    run = isClamped
              ? getLaneOp<OnHalves<int16_t, Clamped<Op<int16_t>, int16_t>>>()
              : getLaneOp<OnHalves<int16_t, Op<int16_t>>>();
  else if (isClamped)
    return d.fail(".relu is for .s32 and .s16x2");
  else if (type == Type::U16x2)
    run = getLaneOp<OnHalves<uint16_t, Op<uint16_t>>>();
  else
    run = getForInteger<Op>(type);
  emit(d, run, type, {type, type});
}

/// The absolute value and the negative of the least number are the number
/// itself.
template <class T> struct Abs {
  T operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    return a < 0 ? T(U(0) - U(a)) : a;
  }
};
template <class T> struct Neg {
  T operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    return T(U(0) - U(a));
  }
};

template <template <class> class Op> Handler getForSigned(Type type) {
  switch (type) {
  case Type::S16:
    return getLaneOp<Op<int16_t>>();
  case Type::S32:
    return getLaneOp<Op<int32_t>>();
  case Type::S64:
    return getLaneOp<Op<int64_t>>();
  default:
    return nullptr;
  }
}

} // namespace

void tcgemm::emu::decodeIntegerMin(Decoder &d, Modifiers &mods, Type type) {
  decodeExtremum<Min>(d, mods, type);
}

void tcgemm::emu::decodeIntegerMax(Decoder &d, Modifiers &mods, Type type) {
  decodeExtremum<Max>(d, mods, type);
}

void tcgemm::emu::decodeIntegerAbs(Decoder &d, Modifiers &, Type type) {
  emit(d, getForSigned<Abs>(type), type, {type});
}

void tcgemm::emu::decodeIntegerNeg(Decoder &d, Modifiers &, Type type) {
  emit(d, getForSigned<Neg>(type), type, {type});
}
