//===- BulkReduce.cpp - Reductions of bulk copies -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/BulkReduce.h"
#include "Instructions/AtomicOps.h"

namespace tcgemm::emu {

using namespace atomics;
using ptx::Type;

namespace {
/// A run of elements and its target.
struct Run {
  uint8_t *to;
  const uint8_t *from;
  uint32_t bytes;
  Place place;
};
} // namespace

/// Blocks of several host threads may add to the same elements.
template <class Op> static void apply(const Run &run) {
  using Bits = typename Op::Bits;
  for (uint32_t at = 0; at + sizeof(Bits) <= run.bytes; at += sizeof(Bits)) {
    Bits value;
    memcpy(&value, run.from + at, sizeof(Bits));
    auto *place = reinterpret_cast<Bits *>(run.to + at);
    Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        place, &old, Bits(Op::apply(old, value, 0, run.place)), false,
        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
}

template <class T> static bool applyIntegers(BulkReduction op, const Run &run) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case BulkReduction::Add:
    return apply<Add<U>>(run), true;
  case BulkReduction::Min:
    return apply<Min<T>>(run), true;
  case BulkReduction::Max:
    return apply<Max<T>>(run), true;
  case BulkReduction::And:
    return apply<And<U>>(run), true;
  case BulkReduction::Or:
    return apply<Or<U>>(run), true;
  case BulkReduction::Xor:
    return apply<Xor<U>>(run), true;
  case BulkReduction::Inc:
    return apply<Increment>(run), sizeof(T) == 4;
  case BulkReduction::Dec:
    return apply<Decrement>(run), sizeof(T) == 4;
  case BulkReduction::None:
    break;
  }
  return false;
}

template <class Format>
static bool applyShorts(BulkReduction op, const Run &run) {
  switch (op) {
  case BulkReduction::Add:
    return apply<AddShort<Format>>(run), true;
  case BulkReduction::Min:
    return apply<ExtremeShort<Format, true>>(run), true;
  case BulkReduction::Max:
    return apply<ExtremeShort<Format, false>>(run), true;
  default:
    return false;
  }
}

static bool applyTo(BulkReduction op, Type type, const Run &run) {
  switch (type) {
  case Type::F16:
    return applyShorts<HalfFormat>(op, run);
  case Type::BF16:
    return applyShorts<BFloatFormat>(op, run);
  case Type::F32:
    return op == BulkReduction::Add && (apply<AddFloat>(run), true);
  case Type::F64:
    return op == BulkReduction::Add && (apply<AddDouble>(run), true);
  case Type::U32:
  case Type::B32:
    return applyIntegers<uint32_t>(op, run);
  case Type::S32:
    return applyIntegers<int32_t>(op, run);
  case Type::U64:
  case Type::B64:
    return applyIntegers<uint64_t>(op, run);
  case Type::S64:
    return applyIntegers<int64_t>(op, run);
  default:
    return false;
  }
}

bool canReduce(BulkReduction op, Type type) {
  return applyTo(op, type, {nullptr, nullptr, 0, {false}});
}

void reduceBytes(BulkReduction op, Type type, const Region &region, uint8_t *to,
                 const uint8_t *from, uint32_t bytes) {
  applyTo(op, type, {to, from, bytes, {region.space == ptx::Space::Global}});
}

} // namespace tcgemm::emu
