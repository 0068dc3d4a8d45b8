//===- MmaInteger.cpp - mma of integers and bits --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Mma.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace tcgemm::emu;
using tcgemm::ptx::Type;

//===----------------------------------------------------------------------===//
// Integers of 8 and 4 bits
//===----------------------------------------------------------------------===//

/// A block of 8 x 4e elements to rows of `to`.
template <unsigned bits, bool isSigned>
static void gatherIntegers(const void *from, int16_t *to, unsigned pitch) {
  constexpr unsigned kElements = 32 / bits;
  const uint32_t *words = static_cast<const uint32_t *>(from);
  for (unsigned lane = 0; lane != kWarpSize; ++lane) {
    int16_t *row = to + lane / 4 * pitch + lane % 4 * kElements;
    for (unsigned e = 0; e != kElements; ++e) {
      uint32_t top = words[lane] << (32 - bits - e * bits);
      row[e] = isSigned ? int16_t(int32_t(top) >> (32 - bits))
                        : int16_t(top >> (32 - bits));
    }
  }
}

/// Computes D. Its registers are written last, since they may be operands.
template <unsigned rows, class Fn>
static void updateAccumulators(const MmaRegisters &r, Fn sumOf) {
  int32_t d[rows / 4][kWarpSize];
  for (unsigned i = 0; i != rows / 4; ++i)
    for (unsigned lane = 0; lane != kWarpSize; ++lane)
      d[i][lane] = sumOf(getRowOfC(lane, i), getColumnOfC(lane, i),
                         static_cast<const int32_t *>(r.c[i])[lane]);
  for (unsigned i = 0; i != rows / 4; ++i)
    forEachLane(r.lanes, [&](unsigned lane) {
      static_cast<int32_t *>(r.d[i])[lane] = d[i][lane];
    });
}

template <unsigned rows, unsigned depth, unsigned bits, bool isSignedA,
          bool isSignedB, bool satfinite>
static void runIntegerMma(const MmaRegisters &r) {
  constexpr unsigned kBlocks = rows / 8, kWidth = 128 / bits;
  alignas(64) int16_t a[rows][depth], b[8][depth];
  for (unsigned i = 0; i != kBlocks * depth / kWidth; ++i)
    gatherIntegers<bits, isSignedA>(
        r.a[i], &a[i % kBlocks * 8][i / kBlocks * kWidth], depth);
  for (unsigned i = 0; i != depth / kWidth; ++i)
    gatherIntegers<bits, isSignedB>(r.b[i], &b[0][i * kWidth], depth);
  updateAccumulators<rows>(r, [&](unsigned m, unsigned n, int32_t c) {
    int32_t sum = 0;
    for (unsigned k = 0; k != depth; ++k)
      sum += int32_t(a[m][k]) * b[n][k];
    if (!satfinite)
      return int32_t(uint32_t(sum) + uint32_t(c));
    return int32_t(std::clamp<int64_t>(int64_t(sum) + c, INT32_MIN, INT32_MAX));
  });
}

template <unsigned rows, unsigned depth, unsigned bits>
static MmaFunction chooseIntegerMma(bool isSignedA, bool isSignedB,
                                    bool satfinite) {
  static constexpr MmaFunction kFunctions[2][2][2] = {
      {{runIntegerMma<rows, depth, bits, false, false, false>,
        runIntegerMma<rows, depth, bits, false, false, true>},
       {runIntegerMma<rows, depth, bits, false, true, false>,
        runIntegerMma<rows, depth, bits, false, true, true>}},
      {{runIntegerMma<rows, depth, bits, true, false, false>,
        runIntegerMma<rows, depth, bits, true, false, true>},
       {runIntegerMma<rows, depth, bits, true, true, false>,
        runIntegerMma<rows, depth, bits, true, true, true>}}};
  return kFunctions[isSignedA][isSignedB][satfinite];
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <unsigned rows, unsigned depth, bool isAnd>
static void runBitMma(const MmaRegisters &r) {
  constexpr unsigned kBlocks = rows / 8;
  updateAccumulators<rows>(r, [&](unsigned m, unsigned n, int32_t c) {
    uint32_t sum = c;
    for (unsigned word = 0; word != depth / 32; ++word) {
      unsigned block = word / 4, inner = word % 4;
      uint32_t a = static_cast<const uint32_t *>(
          r.a[block * kBlocks + m / 8])[m % 8 * 4 + inner];
      uint32_t b = static_cast<const uint32_t *>(r.b[block])[n * 4 + inner];
      sum += llvm::popcount(isAnd ? a & b : a ^ b);
    }
    return int32_t(sum);
  });
}

template <unsigned rows, unsigned depth>
static MmaFunction chooseBitMma(MmaKey::BitOp op) {
  return op == MmaKey::BitOp::And ? runBitMma<rows, depth, true>
                                  : runBitMma<rows, depth, false>;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static unsigned getIntegerBits(Type type) {
  switch (type) {
  case Type::S8:
  case Type::U8:
    return 8;
  case Type::S4:
  case Type::U4:
    return 4;
  case Type::B1:
    return 1;
  default:
    return 0;
  }
}

static MmaFunction findIntegerFunction(const MmaKey &key, unsigned bits) {
  bool isSignedA = isSigned(key.a), isSignedB = isSigned(key.b);
  bool satfinite = key.satfinite;
  unsigned m = key.m, k = key.k;
  if ((bits == 1) != (key.bitOp != MmaKey::BitOp::None) ||
      (bits == 1 && satfinite))
    return nullptr;
  if (bits == 8) {
    if (m == 8 && k == 16)
      return chooseIntegerMma<8, 16, 8>(isSignedA, isSignedB, satfinite);
    if (m == 16 && k == 16)
      return chooseIntegerMma<16, 16, 8>(isSignedA, isSignedB, satfinite);
    if (m == 16 && k == 32)
      return chooseIntegerMma<16, 32, 8>(isSignedA, isSignedB, satfinite);
  } else if (bits == 4) {
    if (m == 8 && k == 32)
      return chooseIntegerMma<8, 32, 4>(isSignedA, isSignedB, satfinite);
    if (m == 16 && k == 32)
      return chooseIntegerMma<16, 32, 4>(isSignedA, isSignedB, satfinite);
    if (m == 16 && k == 64)
      return chooseIntegerMma<16, 64, 4>(isSignedA, isSignedB, satfinite);
  } else {
    if (m == 8 && k == 128)
      return chooseBitMma<8, 128>(key.bitOp);
    if (m == 16 && k == 128)
      return chooseBitMma<16, 128>(key.bitOp);
    if (m == 16 && k == 256)
      return chooseBitMma<16, 256>(key.bitOp);
  }
  return nullptr;
}

MmaShape tcgemm::emu::findIntegerMma(const MmaKey &key) {
  unsigned bits = getIntegerBits(key.a);
  if (key.n != 8 || key.c != Type::S32 || key.d != Type::S32 || !bits ||
      getIntegerBits(key.b) != bits)
    return {};
  MmaShape shape;
  shape.run = findIntegerFunction(key, bits);
  shape.a = key.m * key.k * bits / 1024;
  shape.b = key.k * bits / 128;
  shape.c = shape.d = key.m / 4;
  return shape;
}
