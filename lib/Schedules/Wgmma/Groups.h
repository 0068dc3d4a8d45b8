//===- Groups.h - Scales of groups of the wgmma program ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_GROUPS_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_GROUPS_H

#include "Wgmma/Tiles.h"

namespace tcgemm {

/// The scales and zero points of groups, for one warpgroup's share of the
/// tiles. They belong to the operand with the instruction's rows. Registers
/// hold those of eight groups: of the four that are multiplied and of the next
/// four, because a load takes longer than the products of a group.
class WgmmaGroups {
public:
  /// Requires that the kernel has scales of groups. `role` is the number of the
  /// role's part of each stage.
  WgmmaGroups(const WgmmaContext &context, int64_t role);

  /// The parts, of the role's part of a stage, that are of one group each.
  int64_t getParts() const { return parts; }
  /// Loads the first values of a tile. `own` is the place of the tile, with the
  /// warpgroup's first row. Returns what the loop over the stages carries.
  llvm::SmallVector<mlir::Value> start(const WgmmaPlace &own);
  /// The scales of part `part` of k-tile `tile`, of what is carried there.
  mlir::Value getScales(mlir::ValueRange carried, mlir::Value tile,
                        int64_t part);
  /// The zero points; null without any.
  mlir::Value getZeroPoints(mlir::ValueRange carried, mlir::Value tile,
                            int64_t part);
  /// The values that are carried to the k-tile behind `tile`. Starts a load if
  /// that is the first of other groups.
  llvm::SmallVector<mlir::Value> advance(mlir::ValueRange carried,
                                         mlir::Value tile);

private:
  /// One of the kernel's operands. Distances are in elements.
  struct Source {
    unsigned index;
    GroupValuesType type;
    mlir::Value base, stride, groupStride;
    mlir::Value offset; ///< The offset of the tile's batch.
  };
  void addSource(unsigned index);
  mlir::Value getGroup(mlir::Value tile, int64_t part);
  /// Loads the values of all sources for the four groups around `group`.
  llvm::SmallVector<mlir::Value> load(mlir::Value group);

  const WgmmaContext &context;
  ProgramBuilder &p;
  unsigned operand;     ///< A (0) or B (1).
  int64_t depth, parts; ///< Elements along k of a group; parts of the role.
  /// The groups of a stage, at least 1, and the role's first one among them.
  int64_t ofStage, firstOfRole;
  /// Scales, then zero points, if there are any.
  llvm::SmallVector<Source, 2> sources;
  mlir::Value first, end, groups; ///< The tile's rows; all groups.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_GROUPS_H
