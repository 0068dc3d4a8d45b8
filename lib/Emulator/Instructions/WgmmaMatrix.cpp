//===- WgmmaMatrix.cpp - Products of wgmma --------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"
#include "Instructions/TensorCore.h"
#include "Instructions/Wgmma.h"
#include "Machine/Block.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>

namespace tcgemm::emu {

using ptx::Type;

/// A register of D.
template <class T>
static T *getLanes(const WgmmaOp &op, const WgmmaOp::Part &part, unsigned i) {
  return reinterpret_cast<T *>(part.frame->slots + op.inst->operands[i].offset);
}

/// Calls fn(element, row, column) for 16 x 8 elements of D in registers of 32
/// bits.
template <class T, class Fn>
static void forEachElement(const WgmmaOp &op, const WgmmaOp::Part &part,
                           unsigned block, Fn fn) {
  for (unsigned i = 0; i < 4; ++i) {
    T *lanes = getLanes<T>(op, part, block * 4 + i);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      fn(lanes[lane], lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2);
  }
}

/// The bits that are set in both bytes.
static float countCommonBits(float a, float b) {
  return float(llvm::popcount(unsigned(a) & unsigned(b)));
}

static void multiplyIntegers(const WgmmaOp &op, const WgmmaOperands &operands,
                             unsigned index, unsigned block) {
  const WgmmaShape &shape = op.getShape();
  const WgmmaOp::Part &part = op.parts[index];
  // At most 32 * 2^16: exact in a float.
  float sums[16][8] = {};
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < shape.getRowValues(); ++k)
      for (unsigned n = 0; n < 8; ++n) {
        float a = operands.a[index * 16 + row][k], b = operands.b[block][k][n];
        sums[row][n] += shape.hasBits() ? countCommonBits(a, b) : a * b;
      }
  forEachElement<int32_t>(
      op, part, block, [&](int32_t &d, unsigned row, unsigned column) {
        int32_t sum = int32_t(sums[row][column]), c = part.accumulates ? d : 0;
        d = shape.satfinite ? int32_t(std::clamp<int64_t>(int64_t(sum) + c,
                                                          INT32_MIN, INT32_MAX))
                            : int32_t(uint32_t(sum) + uint32_t(c));
      });
}

/// For 8-bit numbers all terms, and the sum, are truncated to 13 bits below the
/// largest term.
static void multiplyBytes(FloatTile &tile, const WgmmaOperands &operands,
                          unsigned index, unsigned block, bool isHalf) {
  constexpr int kBits = 13;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned n = 0; n < 8; ++n) {
      const float *a = operands.a[index * 16 + row];
      float c = tile.c[row][n];
      int top = c != 0 && std::isfinite(c) ? std::ilogb(c) : -1000;
      bool isSpecial = !std::isfinite(c);
      double plain = c;
      for (unsigned k = 0; k < 32; ++k) {
        float b = operands.b[block][k][n];
        plain += double(a[k]) * b;
        if (!std::isfinite(a[k]) || !std::isfinite(b))
          isSpecial = true;
        else if (a[k] != 0 && b != 0)
          top = std::max(top, std::max(std::ilogb(a[k]), -14) +
                                  std::max(std::ilogb(b), -14));
      }
      float result;
      if (isSpecial) {
        result = plain != plain ? bitCast<float>(kFloatNaN) : float(plain);
      } else if (top == -1000) {
        result = 0;
      } else {
        auto cut = [&](double term) {
          return int64_t(std::ldexp(term, kBits - top));
        };
        int64_t sum = cut(c);
        for (unsigned k = 0; k < 32; ++k)
          sum += cut(double(a[k]) * operands.b[block][k][n]);
        // The result has no more bits than that, either.
        result = float(std::ldexp(double(sum), top - kBits));
        result = bitCast<float>(bitCast<uint32_t>(result) &
                                ~((1u << (23 - kBits)) - 1));
      }
      tile.d[row][n] =
          isHalf ? halfToFloat(uint16_t(
                       narrowFloat<Half, Rounding::NearestEven>(result)))
                 : result;
    }
}

static void multiplyFloats(const WgmmaOp &op, const WgmmaOperands &operands,
                           FloatTile &tile, unsigned index, unsigned block) {
  const WgmmaShape &shape = op.getShape();
  const WgmmaOp::Part &part = op.parts[index];
  bool isHalf = shape.d == Type::F16;
  if (!part.accumulates) {
    memset(tile.c, 0, sizeof(tile.c));
  } else if (!isHalf) {
    forEachElement<float>(op, part, block,
                          [&](float &d, unsigned row, unsigned column) {
                            tile.c[row][column] = d;
                          });
  } else {
    for (unsigned i = 0; i < 2; ++i) {
      const uint32_t *lanes = getLanes<uint32_t>(op, part, block * 2 + i);
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned e = 0; e < 2; ++e)
          tile.c[lane / 4 + i * 8][lane % 4 * 2 + e] =
              halfToFloat(uint16_t(lanes[lane] >> (16 * e)));
    }
  }
  if (shape.k == 32) {
    multiplyBytes(tile, operands, index, block, isHalf);
  } else {
    for (unsigned row = 0; row < 16; ++row)
      memcpy(tile.a[row], operands.a[index * 16 + row],
             shape.k * sizeof(float));
    memcpy(tile.b, operands.b[block], sizeof(float) * shape.k * 8);
    const TensorCore &core = getTensorCore();
    (isHalf ? core.multiplyToHalf : core.multiply)(tile, 16, shape.k);
  }
  if (!isHalf)
    return forEachElement<float>(op, part, block,
                                 [&](float &d, unsigned row, unsigned column) {
                                   d = tile.d[row][column];
                                 });
  for (unsigned i = 0; i < 2; ++i) {
    uint32_t *lanes = getLanes<uint32_t>(op, part, block * 2 + i);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const float *pair = &tile.d[lane / 4 + i * 8][size_t(lane) % 4 * 2];
      lanes[lane] = narrowFloat<Half, Rounding::NearestEven>(pair[0]) |
                    uint32_t(narrowFloat<Half, Rounding::NearestEven>(pair[1]))
                        << 16;
    }
  }
}

void multiply(WgmmaOp &op) {
  const WgmmaShape &shape = op.getShape();
  WgmmaOperands operands = {};
  FloatTile tile;
  tile.leastExponent =
      shape.a == Type::BF16 || shape.a == Type::TF32 ? -126 : -14;
  readOperands(op, operands);
  if (shape.negatesA != shape.negatesB)
    for (auto &row : operands.a)
      for (float &element : row)
        element = -element;
  for (unsigned block = 0; block < shape.n / 8; ++block)
    for (unsigned index = 0; index < 4; ++index) {
      if (!op.parts[index].frame)
        continue;
      if (shape.d == Type::S32)
        multiplyIntegers(op, operands, index, block);
      else
        multiplyFloats(op, operands, tile, index, block);
    }
}

} // namespace tcgemm::emu
