//===- BulkReduce.cpp - Elements of bulk reductions -----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkReduce.h"
#include "FloatFormats.h"

#include <algorithm>
#include <mutex>

namespace tcgemm::emu {

using ptx::Type;

template <class T>
static T reduceIntegers(BulkReduction reduction, T old, T value) {
  using U = std::make_unsigned_t<T>;
  switch (reduction) {
  case BulkReduction::Add:
    return T(U(old) + U(value));
  case BulkReduction::Min:
    return std::min(old, value);
  case BulkReduction::Max:
    return std::max(old, value);
  case BulkReduction::Inc:
    return old >= value ? T(0) : T(old + 1);
  case BulkReduction::Dec:
    return old == 0 || old > value ? value : T(old - 1);
  case BulkReduction::And:
    return old & value;
  case BulkReduction::Or:
    return old | value;
  case BulkReduction::Xor:
    return old ^ value;
  case BulkReduction::None:
    break;
  }
  return value;
}

template <class T>
static T reduceFloats(BulkReduction reduction, T old, T value) {
  switch (reduction) {
  case BulkReduction::Min:
    return old < value || value != value ? old : value;
  case BulkReduction::Max:
    return old > value || value != value ? old : value;
  default:
    return old + value;
  }
}

template <class T, class Fn>
static void forEachElement(uint8_t *to, const uint8_t *from, uint32_t bytes,
                           Fn fn) {
  for (uint32_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T old, value;
    memcpy(&old, to + at, sizeof(T));
    memcpy(&value, from + at, sizeof(T));
    old = fn(old, value);
    memcpy(to + at, &old, sizeof(T));
  }
}

void reduceBytes(BulkReduction reduction, Type type, uint8_t *to,
                 const uint8_t *from, uint32_t bytes) {
  // Blocks of several host threads may add to the same elements.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  auto integers = [&](auto zero) {
    using T = decltype(zero);
    forEachElement<T>(to, from, bytes, [&](T old, T value) {
      return reduceIntegers<T>(reduction, old, value);
    });
  };
  auto floats = [&](auto zero) {
    using T = decltype(zero);
    forEachElement<T>(to, from, bytes, [&](T old, T value) {
      return reduceFloats<T>(reduction, old, value);
    });
  };
  switch (type) {
  case Type::F32:
    return floats(0.0f);
  case Type::F64:
    return floats(0.0);
  case Type::F16:
    return forEachElement<uint16_t>(
        to, from, bytes, [&](uint16_t old, uint16_t value) {
          // A float's sum of two halves rounds to the nearest half right.
          float sum =
              reduceFloats(reduction, halfToFloat(old), halfToFloat(value));
          return uint16_t(narrowFloat<Half, Rounding::NearestEven>(sum));
        });
  case Type::BF16:
    return forEachElement<uint16_t>(
        to, from, bytes, [&](uint16_t old, uint16_t value) {
          auto extend = [](uint16_t bits) {
            return double(bitCast<float>(uint32_t(bits) << 16));
          };
          double sum = reduceFloats(reduction, extend(old), extend(value));
          return uint16_t(
              narrowFloat<BFloat, Rounding::NearestEven>(roundToOdd(sum)));
        });
  case Type::S32:
    return integers(int32_t(0));
  case Type::S64:
    return integers(int64_t(0));
  case Type::U64:
  case Type::B64:
    return integers(uint64_t(0));
  default:
    return integers(uint32_t(0));
  }
}

} // namespace tcgemm::emu
