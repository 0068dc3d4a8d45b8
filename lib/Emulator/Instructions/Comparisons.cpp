//===- Comparisons.cpp - Comparisons of 32 lanes --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Comparisons.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

template <Comparison comparison, class T> TCGEMM_INLINE bool compare(T a, T b) {
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    // Not `a != b`, which is true for NaNs.
    return a < b || a > b;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  case Comparison::Equ:
    return !(a < b || a > b);
  case Comparison::Neu:
    return !(a == b);
  case Comparison::Ltu:
    return !(a >= b);
  case Comparison::Leu:
    return !(a > b);
  case Comparison::Gtu:
    return !(a <= b);
  case Comparison::Geu:
    return !(a < b);
  case Comparison::Num:
    return a == a && b == b;
  case Comparison::Nan:
    return !(a == a && b == b);
  }
}

// The layout of values in registers, and their comparisons.
template <class T> struct Plain {
  using Raw = T;
  static T get(T raw, bool) { return raw; }
};
struct Single {
  using Raw = float;
  static float get(float raw, bool ftz) { return ftz ? flushFloat(raw) : raw; }
};
template <unsigned shift> struct HalfAt {
  using Raw = std::conditional_t<shift == 32, uint16_t, uint32_t>;
  static float get(Raw raw, bool ftz) {
    uint16_t bits = uint16_t(shift == 32 ? raw : raw >> (shift & 31));
    return halfToFloat(ftz ? HalfBits::flush(bits) : bits);
  }
};
template <unsigned shift> struct BFloatAt {
  using Raw = std::conditional_t<shift == 32, uint16_t, uint32_t>;
  static float get(Raw raw, bool) {
    return bfloatToFloat(uint16_t(shift == 32 ? raw : raw >> (shift & 31)));
  }
};

template <Comparison comparison, class Access>
TCGEMM_INLINE uint32_t compareSlots(const void *left, const void *right,
                                    bool ftz) {
  using Raw = typename Access::Raw;
  const Raw *a = static_cast<const Raw *>(left);
  const Raw *b = static_cast<const Raw *>(right);
  // Whole bytes first: the host turns those into bits 32 at a time.
  alignas(32) uint8_t bytes[kWarpSize];
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (unsigned lane = 0; lane != kWarpSize; ++lane)
    bytes[lane] = compare<comparison>(Access::get(a[lane], ftz),
                                      Access::get(b[lane], ftz))
                      ? 0xFF
                      : 0;
  uint32_t holds = 0;
  for (unsigned i = 0; i != kWarpSize; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, bytes + i, sizeof(eight));
    // Gathers the lowest bits of eight bytes in the highest byte.
    eight = (eight & 0x0101010101010101) * 0x0102040810204080;
    holds |= uint32_t(eight >> 56) << i;
  }
  return holds;
}

template <Comparison comparison, class Access>
uint32_t compareLanes(const void *a, const void *b, bool ftz) {
  return compareSlots<comparison, Access>(a, b, ftz);
}

#if defined(__x86_64__)
template <Comparison comparison, class Access>
__attribute__((target("arch=x86-64-v3")))
uint32_t compareWide(const void *a, const void *b, bool ftz) {
  return compareSlots<comparison, Access>(a, b, ftz);
}
#endif

template <Comparison comparison, class Access> MaskFunction getCompareLanes() {
#if defined(__x86_64__)
  if (hasVectorExtensions())
    return compareWide<comparison, Access>;
#endif
  return compareLanes<comparison, Access>;
}

template <class Access> MaskFunction getForComparison(Comparison comparison) {
  switch (comparison) {
  case Comparison::Eq:
    return getCompareLanes<Comparison::Eq, Access>();
  case Comparison::Ne:
    return getCompareLanes<Comparison::Ne, Access>();
  case Comparison::Lt:
    return getCompareLanes<Comparison::Lt, Access>();
  case Comparison::Le:
    return getCompareLanes<Comparison::Le, Access>();
  case Comparison::Gt:
    return getCompareLanes<Comparison::Gt, Access>();
  case Comparison::Ge:
    return getCompareLanes<Comparison::Ge, Access>();
  default:
    break;
  }
  if constexpr (std::is_integral_v<decltype(Access::get({}, false))>)
    return nullptr;
  switch (comparison) {
  case Comparison::Equ:
    return getCompareLanes<Comparison::Equ, Access>();
  case Comparison::Neu:
    return getCompareLanes<Comparison::Neu, Access>();
  case Comparison::Ltu:
    return getCompareLanes<Comparison::Ltu, Access>();
  case Comparison::Leu:
    return getCompareLanes<Comparison::Leu, Access>();
  case Comparison::Gtu:
    return getCompareLanes<Comparison::Gtu, Access>();
  case Comparison::Geu:
    return getCompareLanes<Comparison::Geu, Access>();
  case Comparison::Num:
    return getCompareLanes<Comparison::Num, Access>();
  default:
    return getCompareLanes<Comparison::Nan, Access>();
  }
}

} // namespace

MaskFunction tcgemm::emu::getMaskFunction(Type type, Comparison comparison,
                                          unsigned part) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return getForComparison<Plain<uint16_t>>(comparison);
  case Type::S16:
    return getForComparison<Plain<int16_t>>(comparison);
  case Type::B32:
  case Type::U32:
    return getForComparison<Plain<uint32_t>>(comparison);
  case Type::S32:
    return getForComparison<Plain<int32_t>>(comparison);
  case Type::B64:
  case Type::U64:
    return getForComparison<Plain<uint64_t>>(comparison);
  case Type::S64:
    return getForComparison<Plain<int64_t>>(comparison);
  case Type::F32:
    return getForComparison<Single>(comparison);
  case Type::F64:
    return getForComparison<Plain<double>>(comparison);
  case Type::F16:
    return getForComparison<HalfAt<32>>(comparison);
  case Type::F16x2:
    return part ? getForComparison<HalfAt<16>>(comparison)
                : getForComparison<HalfAt<0>>(comparison);
  case Type::BF16:
    return getForComparison<BFloatAt<32>>(comparison);
  case Type::BF16x2:
    return part ? getForComparison<BFloatAt<16>>(comparison)
                : getForComparison<BFloatAt<0>>(comparison);
  default:
    return nullptr;
  }
}
