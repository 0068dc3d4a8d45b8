//===- IntegerOps.h - Integer arithmetic of one lane ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Total functions: they have the hardware's results where C++ has none.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_INTEGEROPS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_INTEGEROPS_H

#include <cstdint>
#include <limits>
#include <type_traits>

namespace tcgemm::emu {

template <class T> struct WideOf;
template <> struct WideOf<uint16_t> {
  using Type = uint32_t;
};
template <> struct WideOf<int16_t> {
  using Type = int32_t;
};
template <> struct WideOf<uint32_t> {
  using Type = uint64_t;
};
template <> struct WideOf<int32_t> {
  using Type = int64_t;
};
template <> struct WideOf<uint64_t> {
  using Type = unsigned __int128;
};
template <> struct WideOf<int64_t> {
  using Type = __int128;
};
template <class T> using Wide = typename WideOf<T>::Type;

/// To s32, as .sat asks.
inline int32_t saturate(int64_t value) {
  value = value > INT32_MAX ? INT32_MAX : value;
  return int32_t(value < INT32_MIN ? INT32_MIN : value);
}

/// `T` is unsigned: the low half is the same for both.
template <class T> inline T multiplyLow(T a, T b) {
  // Not in int, which the product of two uint16_t may overflow.
  return T(uint64_t(a) * uint64_t(b));
}
template <> inline uint32_t multiplyLow(uint32_t a, uint32_t b) {
  return a * b;
}

template <class T> inline Wide<T> multiplyWide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}

template <class T> inline T multiplyHigh(T a, T b) {
  return T(multiplyWide(a, b) >> (8 * sizeof(T)));
}

/// The upper or lower 32 bits of the 48-bit product of the lower 24 bits.
template <bool isHigh, class T> inline T multiply24(T a, T b) {
  static_assert(sizeof(T) == 4);
  int64_t left, right;
  if constexpr (std::is_signed_v<T>) {
    left = int32_t(uint32_t(a) << 8) >> 8;
    right = int32_t(uint32_t(b) << 8) >> 8;
  } else {
    left = a & 0xFFFFFF;
    right = b & 0xFFFFFF;
  }
  return T(uint64_t(left * right) >> (isHigh ? 16 : 0));
}

/// Division by zero gives all ones, as the code does that ptxas makes of it.
template <class T> inline T divide(T a, T b) {
  bool isOverflow = false;
  if constexpr (std::is_signed_v<T>)
    isOverflow = b == -1 && a == std::numeric_limits<T>::min();
  T quotient = T(a / (b == 0 || isOverflow ? T(1) : b));
  return b == 0 ? T(-1) : quotient;
}

template <class T> inline T remainder(T a, T b) {
  bool isMinusOne = std::is_signed_v<T> && b == T(-1);
  T rest = T(a % (b == 0 || isMinusOne ? T(1) : b));
  return b == 0 ? T(-1) : rest;
}

/// Counts of leading zeros; those of 0 are all.
inline uint32_t countLeadingZeros(uint32_t value) {
  return value ? uint32_t(__builtin_clz(value)) : 32;
}
inline uint32_t countLeadingZeros(uint64_t value) {
  return value ? uint32_t(__builtin_clzll(value)) : 64;
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_INTEGEROPS_H
