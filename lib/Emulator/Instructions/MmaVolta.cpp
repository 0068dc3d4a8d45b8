//===- MmaVolta.cpp - mma.m8n8k4 of f16 -----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hopper has no such instruction: it adds products one after the other, each
// sum rounded to a float, and then C. This gave the bits of an H200, but for 2
// of 30,720 results that were halves.
//
// Four products at once: of lanes 0-3 and 16-19, of 4-7 and 20-23 and so on.
// Below, `quad` is a lane's number in its four, and `upper` says whether it is
// one of lanes 16-31.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"
#include "Instructions/Mma.h"

#include <cmath>

using namespace tcgemm::emu;
using tcgemm::ptx::Type;

static float getHalf(const void *const *registers, unsigned lane, unsigned i) {
  uint32_t word = static_cast<const uint32_t *>(registers[i / 2])[lane];
  return halfToFloat(uint16_t(word >> (i % 2 * 16)));
}

/// Row and column of C's element i in a lane, of an element a register.
static unsigned getFloatRow(unsigned quad, bool upper, unsigned i) {
  return (quad & 1) + (i & 2) + 4 * upper;
}
static unsigned getFloatColumn(unsigned quad, unsigned i) {
  return (i & 4) + (quad & 2) + (i & 1);
}

namespace {
struct QuarterTile {
  float a[8][4], b[4][8], c[8][8], d[8][8];
};
} // namespace

static void multiply(QuarterTile &tile) {
  for (unsigned row = 0; row != 8; ++row)
    for (unsigned n = 0; n != 8; ++n) {
      float sum = 0;
      for (unsigned k = 0; k != 4; ++k)
        sum = std::fma(tile.a[row][k], tile.b[k][n], sum);
      sum += tile.c[row][n];
      tile.d[row][n] = sum != sum ? bitCast<float>(kFloatNaN) : sum;
    }
}

template <bool colA, bool rowB, bool isHalfC, bool isHalfD>
static void runQuarterMma(const MmaRegisters &r) {
  QuarterTile tiles[4];
  for (unsigned lane = 0; lane != kWarpSize; ++lane) {
    QuarterTile &tile = tiles[lane / 4 % 4];
    unsigned quad = lane % 4;
    bool upper = lane >= 16;
    for (unsigned i = 0; i != 4; ++i) {
      float a = getHalf(r.a, lane, i), b = getHalf(r.b, lane, i);
      if (colA)
        tile.a[i + 4 * upper][quad] = a;
      else
        tile.a[quad + 4 * upper][i] = a;
      if (rowB)
        tile.b[quad][i + 4 * upper] = b;
      else
        tile.b[i][quad + 4 * upper] = b;
    }
    for (unsigned i = 0; i != 8; ++i)
      if (isHalfC)
        tile.c[quad + 4 * upper][i] = getHalf(r.c, lane, i);
      else
        tile.c[getFloatRow(quad, upper, i)][getFloatColumn(quad, i)] =
            static_cast<const float *>(r.c[i])[lane];
  }
  for (QuarterTile &tile : tiles)
    multiply(tile);
  forEachLane(r.lanes, [&](unsigned lane) {
    const QuarterTile &tile = tiles[lane / 4 % 4];
    unsigned quad = lane % 4;
    bool upper = lane >= 16;
    for (unsigned i = 0; i != 8; ++i)
      if (isHalfD) {
        uint16_t half = floatToHalf(tile.d[quad + 4 * upper][i]);
        static_cast<uint16_t *>(r.d[i / 2])[2 * lane + i % 2] = half;
      } else {
        static_cast<float *>(r.d[i])[lane] =
            tile.d[getFloatRow(quad, upper, i)][getFloatColumn(quad, i)];
      }
  });
}

template <bool isHalfC, bool isHalfD>
static MmaFunction chooseQuarterMma(bool colA, bool rowB) {
  return colA ? (rowB ? runQuarterMma<true, true, isHalfC, isHalfD>
                      : runQuarterMma<true, false, isHalfC, isHalfD>)
              : (rowB ? runQuarterMma<false, true, isHalfC, isHalfD>
                      : runQuarterMma<false, false, isHalfC, isHalfD>);
}

MmaShape tcgemm::emu::findQuarterMma(const MmaKey &key) {
  auto isResult = [](Type type) {
    return type == Type::F16 || type == Type::F32;
  };
  if (key.m != 8 || key.n != 8 || key.k != 4 || key.a != Type::F16 ||
      key.b != Type::F16 || key.satfinite || !isResult(key.c) ||
      !isResult(key.d))
    return {};
  bool isHalfC = key.c == Type::F16, isHalfD = key.d == Type::F16;
  auto choose = isHalfC ? (isHalfD ? chooseQuarterMma<true, true>
                                   : chooseQuarterMma<true, false>)
                        : (isHalfD ? chooseQuarterMma<false, true>
                                   : chooseQuarterMma<false, false>);
  MmaShape shape;
  shape.run = choose(key.colA, key.rowB);
  shape.a = shape.b = 2;
  shape.c = isHalfC ? 4 : 8;
  shape.d = isHalfD ? 4 : 8;
  shape.typeC = isHalfC ? Type::B32 : Type::F32;
  shape.typeD = isHalfD ? Type::B32 : Type::F32;
  return shape;
}
