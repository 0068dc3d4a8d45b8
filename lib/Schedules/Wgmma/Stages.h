//===- Stages.h - The operands and their ring of stages ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_STAGES_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_STAGES_H

#include "Wgmma/Context.h"

namespace tcgemm {

/// One operand: its part of a stage and how it is copied there.
struct WgmmaOperand {
  unsigned index; // 0 is A
  char side;      // 'm' or 'n'
  int64_t extent; // of the tile along the side
  bool transposed;
  bool byThreads;
  int64_t share; // CTAs of the cluster that read the same
  TileType tile, box;
  mlir::Value map; // for TMA
  /// A tile contiguous along its side is a stack of boxes, 64 wide.
  int64_t getBoxes() const { return transposed ? extent / 64 : 1; }
};

/// The operands of a program and the ring through which they reach the
/// consumers.
class WgmmaStages {
public:
  /// Threads copy the operands named in `copied` (0 is A), TMA the others.
  WgmmaStages(const WgmmaContext &context, llvm::ArrayRef<unsigned> copied);

  void createRing();
  mlir::Value getRing() const { return ring; }
  /// The operands on the instruction's side of rows and of columns.
  const WgmmaOperand &getRows() const { return rows; }
  const WgmmaOperand &getColumns() const { return columns; }
  /// The number of the operand's tile for `part` among a stage's tiles.
  int64_t getTile(const WgmmaOperand &operand, int64_t part) const {
    return 2 * part + (operand.index == columns.index);
  }

  /// The first position.
  mlir::Value start() const;
  /// The position that is `by` stages, or one, behind `state`.
  mlir::Value advance(mlir::Value state, mlir::Value by = {}) const;

private:
  WgmmaOperand makeOperand(unsigned index, bool byThreads);

  const WgmmaContext &context;
  ProgramBuilder &p;
  const KernelConfig &c;
  WgmmaOperand rows, columns;
  mlir::Value ring;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_STAGES_H
