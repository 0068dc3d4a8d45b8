//===- MmaFloat.cpp - mma of floating-point types -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"
#include "Instructions/Mma.h"
#include "Instructions/TensorCore.h"

#include <array>
#include <cstring>

using namespace tcgemm::emu;
using tcgemm::ptx::Type;

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// Registers 2i and 2i + 1 are the even and odd columns of rows 8i to 8i + 7.
static void gatherFloats(const MmaRegisters &r, float (*c)[8]) {
  for (unsigned i = 0; i != 4; i += 2) {
    const float *even = static_cast<const float *>(r.c[i]);
    const float *odd = static_cast<const float *>(r.c[i + 1]);
    float *to = c[i * 4];
    for (unsigned lane = 0; lane != kWarpSize; ++lane) {
      to[2 * lane] = even[lane];
      to[2 * lane + 1] = odd[lane];
    }
  }
}

static void scatterFloats(const MmaRegisters &r, const float (*d)[8]) {
  for (unsigned i = 0; i != 4; i += 2) {
    float *even = static_cast<float *>(r.d[i]);
    float *odd = static_cast<float *>(r.d[i + 1]);
    const float *from = d[i * 4];
    if (r.lanes == kAllLanes)
      for (unsigned lane = 0; lane != kWarpSize; ++lane) {
        even[lane] = from[2 * lane];
        odd[lane] = from[2 * lane + 1];
      }
    else
      forEachLane(r.lanes, [&](unsigned lane) {
        even[lane] = from[2 * lane];
        odd[lane] = from[2 * lane + 1];
      });
  }
}

/// Register i is rows 8i to 8i + 7, two columns a lane.
static void gatherHalves(const MmaRegisters &r, float (*c)[8]) {
  for (unsigned i = 0; i != 2; ++i)
    getTensorCore().convertHalves(r.c[i], c[8 * i], 8);
}

static void scatterHalves(const MmaRegisters &r, const float (*d)[8]) {
  for (unsigned i = 0; i != 2; ++i) {
    uint16_t halves[64];
    floatsToHalves(d[8 * i], halves, 64);
    forEachLane(r.lanes, [&](unsigned lane) {
      std::memcpy(static_cast<uint32_t *>(r.d[i]) + lane, halves + 2 * lane, 4);
    });
  }
}

template <bool isHalf>
static void gatherC(const MmaRegisters &r, float (*c)[8]) {
  if constexpr (isHalf)
    gatherHalves(r, c);
  else
    gatherFloats(r, c);
}
template <bool isHalf>
static void scatterD(const MmaRegisters &r, const float (*d)[8]) {
  if constexpr (isHalf)
    scatterHalves(r, d);
  else
    scatterFloats(r, d);
}

//===----------------------------------------------------------------------===//
// 16 bits and tf32
//===----------------------------------------------------------------------===//

template <bool isBFloat, unsigned depth, bool isHalfC, bool isHalfD>
static void runShortMma(const MmaRegisters &r) {
  const TensorCore &core = getTensorCore();
  auto convert = isBFloat ? core.convertBFloats : core.convertHalves;
  auto transpose = isBFloat ? core.transposeBFloats : core.transposeHalves;
  FloatTile tile;
  tile.leastExponent = isBFloat ? -126 : -14;
  for (unsigned i = 0; i != depth / 4; ++i)
    convert(r.a[i], &tile.a[i % 2 * 8][i / 2 * 8], 16);
  for (unsigned i = 0; i != depth / 8; ++i)
    transpose(r.b[i], tile.b[i * 8], 8);
  gatherC<isHalfC>(r, tile.c);
  (isHalfD ? core.multiplyToHalf : core.multiply)(tile, 16, depth);
  scatterD<isHalfD>(r, tile.d);
}

template <unsigned depth>
static MmaFunction chooseHalfMma(bool isHalfC, bool isHalfD) {
  return isHalfC ? (isHalfD ? runShortMma<false, depth, true, true>
                            : runShortMma<false, depth, true, false>)
                 : (isHalfD ? runShortMma<false, depth, false, true>
                            : runShortMma<false, depth, false, false>);
}

/// The lower bits of the mantissa are ignored.
static float takeTFloat(uint32_t bits) {
  return bitCast<float>(bits & 0xFFFFE000);
}

/// `step` is how many of k the hardware multiplies at once.
template <unsigned depth, unsigned step>
static void runTFloatMma(const MmaRegisters &r) {
  constexpr unsigned kSteps = depth / step;
  FloatTile tiles[kSteps];
  for (unsigned i = 0; i != depth / 2; ++i)
    for (unsigned lane = 0; lane != kWarpSize; ++lane)
      tiles[i / 2 * 4 / step]
          .a[i % 2 * 8 + lane / 4][i / 2 * 4 % step + lane % 4] =
          takeTFloat(static_cast<const uint32_t *>(r.a[i])[lane]);
  for (unsigned i = 0; i != depth / 4; ++i)
    for (unsigned lane = 0; lane != kWarpSize; ++lane)
      tiles[i * 4 / step].b[i * 4 % step + lane % 4][lane / 4] =
          takeTFloat(static_cast<const uint32_t *>(r.b[i])[lane]);
  gatherFloats(r, tiles[0].c);
  for (unsigned i = 0; i != kSteps; ++i) {
    if (i)
      std::memcpy(tiles[i].c, tiles[i - 1].d, sizeof(tiles[i].c));
    getTensorCore().multiply(tiles[i], 16, step);
  }
  scatterFloats(r, tiles[kSteps - 1].d);
}

//===----------------------------------------------------------------------===//
// 8 bits
//===----------------------------------------------------------------------===//

// Hopper computes this with halves: first the product of the lower two elements
// of all registers, then that of the upper ones is added, and in the end C.

template <bool isE4M3> static const float *getByteTable() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values;
    for (unsigned i = 0; i != 256; ++i)
      values[i] = isE4M3 ? e4m3ToFloat(uint8_t(i)) : e5m2ToFloat(uint8_t(i));
    return values;
  }();
  return table.data();
}

template <bool isE4M3>
static void gatherBytes(const void *from, unsigned half, float *to,
                        unsigned outerPitch, unsigned innerPitch) {
  const float *table = getByteTable<isE4M3>();
  const uint8_t *bytes = static_cast<const uint8_t *>(from) + 2 * half;
  for (unsigned lane = 0; lane != kWarpSize; ++lane)
    for (unsigned e = 0; e != 2; ++e)
      to[lane / 4 * outerPitch + (lane % 4 * 2 + e) * innerPitch] =
          table[bytes[lane * 4 + e]];
}

template <bool isE4M3A, bool isE4M3B, unsigned depth, bool isHalf>
static void runByteMma(const MmaRegisters &r) {
  const TensorCore &core = getTensorCore();
  FloatTile tile;
  tile.leastExponent = -14;
  std::memset(tile.c, 0, sizeof(tile.c));
  for (unsigned half = 0; half != 2; ++half) {
    for (unsigned i = 0; i != depth / 8; ++i)
      gatherBytes<isE4M3A>(r.a[i], half, &tile.a[i % 2 * 8][i / 2 * 8], 16, 1);
    for (unsigned i = 0; i != depth / 16; ++i)
      gatherBytes<isE4M3B>(r.b[i], half, tile.b[i * 8], 1, 8);
    (isHalf ? core.multiplyToHalf : core.multiply)(tile, 16, depth / 2);
    std::memcpy(tile.c, tile.d, sizeof(tile.c));
  }
  gatherC<isHalf>(r, tile.c);
  for (unsigned row = 0; row != 16; ++row)
    for (unsigned n = 0; n != 8; ++n) {
      float sum = tile.d[row][n] + tile.c[row][n];
      tile.d[row][n] = sum != sum ? bitCast<float>(kFloatNaN) : sum;
    }
  scatterD<isHalf>(r, tile.d);
}

template <bool isE4M3A, bool isE4M3B>
static MmaFunction chooseByteMma(unsigned k, bool isHalf) {
  if (k == 32)
    return isHalf ? runByteMma<isE4M3A, isE4M3B, 32, true>
                  : runByteMma<isE4M3A, isE4M3B, 32, false>;
  return isHalf ? runByteMma<isE4M3A, isE4M3B, 16, true>
                : runByteMma<isE4M3A, isE4M3B, 16, false>;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static bool isByte(Type type) {
  return type == Type::E4M3 || type == Type::E5M2;
}

MmaShape tcgemm::emu::findFloatMma(const MmaKey &key) {
  auto isResult = [](Type type) {
    return type == Type::F16 || type == Type::F32;
  };
  if (key.m != 16 || key.n != 8 || key.satfinite || !isResult(key.c) ||
      !isResult(key.d))
    return {};
  bool isHalfC = key.c == Type::F16, isHalfD = key.d == Type::F16;
  bool isFloat = !isHalfC && !isHalfD;
  unsigned k = key.k, bits = 0;
  MmaShape shape;
  if (isByte(key.a) && isByte(key.b) && isHalfC == isHalfD &&
      (k == 16 || k == 32)) {
    bits = 8;
    bool isE4M3A = key.a == Type::E4M3, isE4M3B = key.b == Type::E4M3;
    auto choose =
        isE4M3A
            ? (isE4M3B ? chooseByteMma<true, true> : chooseByteMma<true, false>)
            : (isE4M3B ? chooseByteMma<false, true>
                       : chooseByteMma<false, false>);
    shape.run = choose(k, isHalfD);
  } else if (key.a != key.b) {
    return {};
  } else if (key.a == Type::F16 && (k == 8 || k == 16)) {
    bits = 16;
    shape.run = k == 8 ? chooseHalfMma<8>(isHalfC, isHalfD)
                       : chooseHalfMma<16>(isHalfC, isHalfD);
  } else if (key.a == Type::BF16 && isFloat && (k == 8 || k == 16)) {
    bits = 16;
    shape.run = k == 8 ? runShortMma<true, 8, false, false>
                       : runShortMma<true, 16, false, false>;
  } else if (key.a == Type::TF32 && isFloat && (k == 4 || k == 8)) {
    bits = 32;
    shape.run = k == 4       ? runTFloatMma<4, 4>
                : key.isWmma ? runTFloatMma<8, 4>
                             : runTFloatMma<8, 8>;
  } else {
    return {};
  }
  shape.a = k * bits / 64;
  shape.b = k * bits / 128;
  shape.c = isHalfC ? 2 : 4;
  shape.d = isHalfD ? 2 : 4;
  shape.typeC = isHalfC ? Type::B32 : Type::F32;
  shape.typeD = isHalfD ? Type::B32 : Type::F32;
  return shape;
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

/// A chain of fused multiply-adds in the order of k.
template <unsigned rows, unsigned depth>
static void runDoubleMma(const MmaRegisters &r) {
  constexpr unsigned kBlocks = rows / 8;
  double a[rows][depth], b[depth][8], d[rows][8];
  for (unsigned lane = 0; lane != kWarpSize; ++lane) {
    unsigned outer = lane / 4, inner = lane % 4;
    for (unsigned i = 0; i != kBlocks * depth / 4; ++i)
      a[i % kBlocks * 8 + outer][i / kBlocks * 4 + inner] =
          static_cast<const double *>(r.a[i])[lane];
    for (unsigned i = 0; i != depth / 4; ++i)
      b[i * 4 + inner][outer] = static_cast<const double *>(r.b[i])[lane];
    for (unsigned i = 0; i != 2 * kBlocks; ++i)
      d[getRowOfC(lane, i)][getColumnOfC(lane, i)] =
          static_cast<const double *>(r.c[i])[lane];
  }
  getTensorCore().multiplyDoubles(&a[0][0], &b[0][0], &d[0][0], rows, depth);
  forEachLane(r.lanes, [&](unsigned lane) {
    for (unsigned i = 0; i != 2 * kBlocks; ++i)
      static_cast<double *>(r.d[i])[lane] =
          d[getRowOfC(lane, i)][getColumnOfC(lane, i)];
  });
}

MmaShape tcgemm::emu::findDoubleMma(const MmaKey &key) {
  for (Type type : {key.a, key.b, key.c, key.d})
    if (type != Type::F64)
      return {};
  if (key.n != 8 || key.satfinite)
    return {};
  MmaShape shape;
  if (key.m == 8 && key.k == 4)
    shape.run = runDoubleMma<8, 4>;
  else if (key.m == 16 && key.k == 4)
    shape.run = runDoubleMma<16, 4>;
  else if (key.m == 16 && key.k == 8)
    shape.run = runDoubleMma<16, 8>;
  else if (key.m == 16 && key.k == 16)
    shape.run = runDoubleMma<16, 16>;
  shape.a = key.m * key.k / 32;
  shape.b = key.k / 4;
  shape.c = shape.d = key.m / 4;
  shape.typeAB = shape.typeC = shape.typeD = Type::F64;
  return shape;
}
