//===- AtomicOps.h - Operations of atom and red -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each has a function apply(old, b, c, place) on the bits of its type.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_ATOMICOPS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_ATOMICOPS_H

#include "Instructions/FloatFormats.h"

#include <algorithm>
#include <type_traits>

namespace tcgemm::emu::atomics {

/// The properties of the place that an operation may depend on.
struct Place {
  bool isGlobal;
};

template <class T> struct Add {
  using Bits = T;
  static T apply(T old, T b, T, Place) { return old + b; }
};
template <class T> struct And {
  using Bits = T;
  static T apply(T old, T b, T, Place) { return old & b; }
};
template <class T> struct Or {
  using Bits = T;
  static T apply(T old, T b, T, Place) { return old | b; }
};
template <class T> struct Xor {
  using Bits = T;
  static T apply(T old, T b, T, Place) { return old ^ b; }
};
template <class T> struct Min {
  using Bits = std::make_unsigned_t<T>;
  static Bits apply(Bits old, Bits b, Bits, Place) {
    return Bits(std::min(T(old), T(b)));
  }
};
template <class T> struct Max {
  using Bits = std::make_unsigned_t<T>;
  static Bits apply(Bits old, Bits b, Bits, Place) {
    return Bits(std::max(T(old), T(b)));
  }
};
template <class T> struct Exchange {
  using Bits = T;
  static T apply(T, T b, T, Place) { return b; }
};
template <class T> struct CompareAndSwap {
  using Bits = T;
  static T apply(T old, T b, T c, Place) { return old == b ? c : old; }
};
struct Increment {
  using Bits = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, Place) {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  using Bits = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, Place) {
    return old == 0 || old > b ? b : old - 1;
  }
};

/// Floats are flushed in global memory and not in shared.
struct AddFloat {
  using Bits = uint32_t;
  static uint32_t flush(uint32_t bits) {
    return bits & 0x7F800000 ? bits : bits & 0x80000000;
  }
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, Place place) {
    if (place.isGlobal) {
      old = flush(old);
      b = flush(b);
    }
    float sum = bitCast<float>(old) + bitCast<float>(b);
    uint32_t bits = sum != sum ? kFloatNaN : bitCast<uint32_t>(sum);
    return place.isGlobal ? flush(bits) : bits;
  }
};
struct AddDouble {
  using Bits = uint64_t;
  static uint64_t apply(uint64_t old, uint64_t b, uint64_t, Place) {
    return bitCast<uint64_t>(bitCast<double>(old) + bitCast<double>(b));
  }
};

struct HalfFormat {
  static float extend(uint16_t bits) { return halfToFloat(bits); }
  static uint16_t narrow(float value) { return floatToHalf(value); }
};
struct BFloatFormat {
  static float extend(uint16_t bits) { return bfloatToFloat(bits); }
  static uint16_t narrow(float value) { return floatToBFloat(value); }
};

// A float has enough bits, so a second rounding does not change the result.
template <class Format> struct AddShort {
  using Bits = uint16_t;
  static uint16_t apply(uint16_t old, uint16_t b, uint16_t, Place) {
    return Format::narrow(Format::extend(old) + Format::extend(b));
  }
};
/// The extreme of a number and a NaN is the number. -0 is less than +0.
template <class Format, bool isMin> struct ExtremeShort {
  using Bits = uint16_t;
  static uint16_t apply(uint16_t old, uint16_t b, uint16_t, Place) {
    float x = Format::extend(old), y = Format::extend(b);
    if (x != x)
      return y != y ? kHalfNaN : b;
    if (y != y)
      return old;
    bool isLess = x < y || (x == y && (old & 0x8000) > (b & 0x8000));
    return isLess == isMin ? old : b;
  }
};
/// Both halves of a word, which are updated at once.
template <class Op> struct Twice {
  using Bits = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, Place place) {
    uint16_t low = Op::apply(uint16_t(old), uint16_t(b), 0, place);
    uint16_t high = Op::apply(uint16_t(old >> 16), uint16_t(b >> 16), 0, place);
    return low | uint32_t(high) << 16;
  }
};

} // namespace tcgemm::emu::atomics

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_ATOMICOPS_H
