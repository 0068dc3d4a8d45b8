//===- BlockScales.h - Scales of blocks of A and B --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FP8 operands may have an f32 scale for each block of elements. A kernel has
// the scales as operands of their own. Their dimensions are letters of the
// contraction, like those of other operands, but they count blocks. The table
// is the only place that knows the sizes of the blocks.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_BLOCKSCALES_H
#define TCGEMM_TARGET_BLOCKSCALES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tcgemm {

/// The elements along k that have one scale, of A and of B.
inline constexpr int64_t kScaleDepth = 128;

/// The scales of A or of B.
struct BlockScales {
  llvm::StringLiteral matrix; ///< The operand with these scales: `A`.
  llvm::StringLiteral name;   ///< Of the kernel's operand: `scaleA`.
  llvm::StringLiteral dims;   ///< They have these, and may have b: `mk`.
  int64_t sideBlock;          ///< Elements along m or n that have one scale.

  /// The elements along `dim` that have one scale.
  constexpr int64_t getBlock(char dim) const {
    return dim == 'k' ? kScaleDepth : dim == dims[0] ? sideBlock : 1;
  }
};

/// The scales of A (0) and of B (1).
inline constexpr BlockScales kBlockScales[] = {{"A", "scaleA", "mk", 1},
                                               {"B", "scaleB", "nk", 128}};

/// The blocks of k whose scales a warp has in shared memory. The scales of a
/// block are copied this number less one of blocks ahead.
inline constexpr int64_t kScaleSlots = 4;

/// The scales of one block of k that a warp of `wgmma` copies, for a part of
/// the tile with `extent` rows (operand 0) or columns (operand 1): a quarter of
/// the rows, or those of all blocks of columns.
constexpr int64_t getScalesOfWarp(unsigned operand, int64_t extent) {
  int64_t block = kBlockScales[operand].sideBlock;
  return operand ? (extent + block - 1) / block : extent / 4;
}

} // namespace tcgemm

#endif // TCGEMM_TARGET_BLOCKSCALES_H
