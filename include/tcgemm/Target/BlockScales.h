//===- BlockScales.h - Scales of blocks of A and B --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FP8 operands may have an f32 scale for each block of elements. Operands of 4
// bits may have a scale, and a zero point, for each group of elements along k.
// A kernel has these values as operands of their own. Their dimensions are
// letters of the contraction, like those of other operands, but they count
// blocks. The table is the only place that knows the sizes of the blocks.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_BLOCKSCALES_H
#define TCGEMM_TARGET_BLOCKSCALES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <numeric>

namespace tcgemm {

/// The elements along k that have one scale of FP8 operands, of A and of B.
inline constexpr int64_t kScaleDepth = 128;

/// The elements along k that a group may have.
inline constexpr int64_t kGroupDepths[] = {32, 64, 128, 256};
inline constexpr bool isGroupDepth(int64_t depth) {
  for (int64_t known : kGroupDepths)
    if (depth == known)
      return true;
  return false;
}

/// The scales or the zero points of A or of B. `group` is 0 for scales of FP8
/// and otherwise the elements along k of a group, which is of one row of A or
/// one column of B.
struct BlockScales {
  llvm::StringLiteral matrix; ///< The operand with these scales: `A`.
  llvm::StringLiteral name;   ///< Of the kernel's operand: `scaleA`.
  llvm::StringLiteral dims;   ///< They have these, and may have b: `mk`.
  int64_t sideBlock; ///< Elements along m or n that have one scale of FP8.
  bool isZeroPoint;  ///< True if groups only have them.

  /// The elements along `dim` that have one scale.
  constexpr int64_t getBlock(char dim, int64_t group) const {
    if (dim == 'k')
      return group ? group : kScaleDepth;
    return dim == dims[0] && !group ? sideBlock : 1;
  }
};

/// The scales of A (0) and of B (1), and the zero points of A (2) and of B (3).
inline constexpr BlockScales kBlockScales[] = {
    {"A", "scaleA", "mk", 1, false},
    {"B", "scaleB", "nk", 128, false},
    {"A", "zeroA", "mk", 1, true},
    {"B", "zeroB", "nk", 1, true}};

/// The scales or zero points that an operand with this role holds; null for
/// others. `Role` has enumerators for them.
template <typename Role> const BlockScales *findBlockScales(Role role) {
  constexpr Role roles[] = {Role::ScaleA, Role::ScaleB, Role::ZeroA,
                            Role::ZeroB};
  for (unsigned i = 0; i != 4; ++i)
    if (roles[i] == role)
      return &kBlockScales[i];
  return nullptr;
}

/// The blocks of k whose scales a warp has in shared memory. The scales of a
/// block are copied this number less one of blocks ahead.
inline constexpr int64_t kScaleSlots = 4;

/// The columns that have one scale in a tile of `wgmma` with `extent` columns.
/// A tile may start and end inside blocks of B. Its first column is a multiple
/// of `extent`. So each group of this number of columns lies in one block.
constexpr int64_t getColumnsOfScale(int64_t extent) {
  return std::gcd(extent, kBlockScales[1].sideBlock);
}

/// The scales of one block of k that a warp of `wgmma` copies, for a part of
/// the tile with `extent` rows (operand 0) or columns (operand 1): a quarter of
/// the rows, or those of all columns.
constexpr int64_t getScalesOfWarp(unsigned operand, int64_t extent) {
  return operand ? extent / getColumnsOfScale(extent) : extent / 4;
}

} // namespace tcgemm

#endif // TCGEMM_TARGET_BLOCKSCALES_H
