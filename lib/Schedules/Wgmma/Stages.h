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
  /// Parts of a stage along k, the elements along k of each, and the elements
  /// that share a byte.
  int64_t parts, depth, packed;
  TileType tile, box;
  /// The tensor maps for TMA. B and the second B have one each, and their parts
  /// of the tile follow each other along the side; other operands have one.
  llvm::SmallVector<mlir::Value, 2> maps;
  /// True if the map has the windows of a convolution.
  bool hasWindow = false;
  /// The matrices that have parts of the tile.
  int64_t matrices;
  /// The band outside which the operand is zero, by k less m or n.
  std::optional<Band> band;
  /// A matrix's part of a tile contiguous along its side is a stack of boxes,
  /// 64 wide.
  int64_t getBoxes() const { return transposed ? extent / matrices / 64 : 1; }
  /// The rows of the tile in shared memory that are one matrix's.
  int64_t getRowsOfMatrix() const { return tile.getRows() / matrices; }
};

/// The operands of a program and the ring through which they reach the
/// consumers.
class WgmmaStages {
public:
  /// Threads copy the operands named in `copied` (0 is A), TMA the others: with
  /// `windows`, A as the windows of a convolution.
  WgmmaStages(const WgmmaContext &context, llvm::ArrayRef<unsigned> copied,
              bool windows);

  void createRing();
  mlir::Value getRing() const { return ring; }
  /// The operands on the instruction's side of rows and of columns.
  const WgmmaOperand &getRows() const { return rows; }
  const WgmmaOperand &getColumns() const { return columns; }
  /// Returns whether consumers compute a function of the elements of the
  /// operand of rows.
  bool areRowsMapped() const;
  /// Returns whether consumers load the operand of rows to registers: for such
  /// a function, or to convert it, because it is narrower than the other.
  bool areRowsInRegisters() const;
  /// The fragments that a warpgroup loads of such an operand.
  FragmentType getFragmentType() const;
  /// The parts of the operands of rows and of columns whose products a stage
  /// adds, in this order.
  llvm::SmallVector<std::pair<int64_t, int64_t>> getProducts() const;
  /// The number of the operand's tile for `part` among a stage's tiles. The
  /// operands alternate while both have parts.
  int64_t getTile(const WgmmaOperand &operand, int64_t part) const {
    bool isRows = operand.index == rows.index;
    const WgmmaOperand &other = isRows ? columns : rows;
    return part + std::min(isRows ? part : part + 1, other.parts);
  }

  /// The operand's bytes or elements in memory for `elements` along k.
  mlir::Value countAlongK(const WgmmaOperand &operand,
                          mlir::Value elements) const {
    return operand.packed == 1 ? elements : p.divU(elements, operand.packed);
  }

  /// The first position.
  mlir::Value start() const;
  /// The position that is `by` stages, or one, behind `state`.
  mlir::Value advance(mlir::Value state, mlir::Value by = {}) const;

private:
  WgmmaOperand makeOperand(unsigned index, bool byThreads, bool hasWindow);

  const WgmmaContext &context;
  ProgramBuilder &p;
  const KernelConfig &c;
  WgmmaOperand rows, columns;
  mlir::Value ring;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_STAGES_H
