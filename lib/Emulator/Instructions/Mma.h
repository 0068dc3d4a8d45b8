//===- Mma.h - Products of fragments ----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fragments of all types have one layout. A register holds `e` elements of
// A, B or C (or half of one: f64). Lane l of a register of A has elements
// (l % 4) * e and following of row l / 4 of a block of 8 x 4e: so the 32 lanes'
// registers, in memory, are a block row by row. Of B it is a column of k. The
// registers of A are the blocks of rows 0 and 8, then those of the next k; B's
// are those of the next k. C has rows l / 4 of 8 x 8: of packed halves as A;
// others are in two registers for the even and the odd columns.
//
// The exception is m8n8k4 of f16, four products of a quarter of the warp each.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_MMA_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_MMA_H

#include "Instructions/WarpSync.h"
#include "tcgemm/Emulator/Ptx.h"

namespace tcgemm::emu {

constexpr unsigned kMaxFragment = 8; ///< Registers.

/// The registers of one product: 32 lanes each. D may be C, or A or B.
struct MmaRegisters {
  const void *a[kMaxFragment];
  const void *b[4];
  const void *c[kMaxFragment];
  void *d[kMaxFragment];
  uint32_t lanes; ///< Lanes of D that are written.
};

using MmaFunction = void (*)(const MmaRegisters &registers);

/// The modifiers of a product.
struct MmaKey {
  unsigned m, n, k;
  ptx::Type d, a, b, c;
  bool satfinite = false;
  bool colA = false, rowB = false; ///< Only m8n8k4 of f16 has a choice.
  bool isWmma = false;             ///< The hardware sums in other steps.
  enum class BitOp : uint8_t { None, Xor, And } bitOp = BitOp::None;
};

/// How to compute it; `run` is null if there is no such product.
struct MmaShape {
  MmaFunction run = nullptr;
  unsigned a = 0, b = 0, c = 0, d = 0; ///< Registers.
  ptx::Type typeAB = ptx::Type::B32;
  ptx::Type typeC = ptx::Type::B32, typeD = ptx::Type::B32;
};

MmaShape findFloatMma(const MmaKey &key);
MmaShape findIntegerMma(const MmaKey &key);
MmaShape findDoubleMma(const MmaKey &key);
MmaShape findQuarterMma(const MmaKey &key); ///< m8n8k4 of f16
MmaShape findMma(const MmaKey &key);

/// `m16n8k16`.
bool takeShape(Modifiers &mods, unsigned &m, unsigned &n, unsigned &k);

/// The place in D of the element of `lane` and register `reg`, for types with
/// one element in a register.
inline unsigned getRowOfC(unsigned lane, unsigned reg) {
  return lane / 4 + reg / 2 * 8;
}
inline unsigned getColumnOfC(unsigned lane, unsigned reg) {
  return lane % 4 * 2 + reg % 2;
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_MMA_H
