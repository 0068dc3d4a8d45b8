//===- Accumulator.h - Layouts of accumulators in registers -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATOR_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATOR_H

#include "LoweringContext.h"

namespace tcgemm {

/// The elements of an accumulator that a thread holds, with their coordinates.
struct AccView {
  Values rows, columns; // i32 coordinates
  Values values;        // rows × columns, row-major
  Values seconds;       // those of a second accumulator, if there is one
  int64_t run = 1;      // columns come in runs of so many neighbours
  mlir::Value at(unsigned row, unsigned column) const {
    return values[row * columns.size() + column];
  }
  /// Returns some of the rows and columns that the thread holds.
  AccView slice(size_t firstRow, size_t numRows, size_t firstColumn,
                size_t numColumns) const;
};

/// A division of an accumulator into slices: where they start, in elements from
/// its corner, how large they are, and how many rows and columns of one a
/// thread holds. Only the last slice of a row or column may overlap its
/// neighbour.
struct SliceGrid {
  llvm::SmallVector<int64_t> rows, columns;
  int64_t numRows, numColumns;
  size_t heldRows, heldColumns;
};

/// The bits of a lane's number that determine which rows and which columns of
/// an accumulator it holds. Without any, the lanes' elements are not neighbours
/// of one warp.
struct LaneBits {
  unsigned rows = 0, columns = 0;
};

/// Lowers accumulators of one layout: how the registers of a thread form an
/// accumulator and the fragments that are multiplied for it.
class Accumulator : public Lowering {
public:
  using Lowering::Lowering;
  virtual ~Accumulator() = default;

  /// Returns the types of the registers of an accumulator or a fragment.
  virtual llvm::SmallVector<mlir::Type> expand(AccType type) = 0;
  virtual llvm::SmallVector<mlir::Type> expand(FragmentType type);

  virtual void lower(AccZeroOp op);
  virtual void lower(FragmentLoadOp op);
  virtual void lower(FragmentFetchOp op);
  /// Computes the function of each element in the fragment's registers.
  void lower(FragmentMapOp op);
  virtual void lower(MmaOp op);
  virtual void lower(AccStageOp op);

  /// Returns the thread's elements and their coordinates in the outputs.
  /// Without values, the accumulator need not have been lowered.
  virtual AccView view(EpilogueOp op, bool withValues = true) = 0;
  /// Divides a view into the slices that an epilogue without boxes stores one
  /// after another.
  virtual SliceGrid cut(EpilogueOp op, const AccView &view);
  /// Evaluates and stores the accumulator, if it stores no boxes.
  virtual void store(EpilogueOp op);
  /// Returns how the outputs' rows and columns are divided among lanes.
  virtual LaneBits getLaneBits(EpilogueOp op) const { return {}; }
  /// Changes the sums before the epilogue's body reads them.
  virtual AccView prepareSums(EpilogueOp op, AccView view) { return view; }
  /// Changes the results of one output for a slice with `columns` columns.
  virtual void finishResults(EpilogueOp op, size_t columns,
                             llvm::MutableArrayRef<mlir::Value> results) {}
  /// Returns whether an epilogue with much work stores its slices in a loop.
  virtual bool storesInLoop() const { return false; }
  /// Returns whether an epilogue with staging memory stores rows through it.
  virtual bool storesThroughStaging() const { return false; }

protected:
  /// The index along k, within the fragment, of an element: of element
  /// `position` of the register number `number`.
  virtual mlir::Value getIndexAlongK(FragmentType type, size_t number,
                                     llvm::ArrayRef<int64_t> position);
  /// Divides a view into slices of 16 rows, so that few inputs and results are
  /// alive at once, and of `heldColumns` of the thread's columns. Leaves out
  /// rows from `endRow` on.
  SliceGrid cutRows(EpilogueOp op, const AccView &view, size_t heldColumns,
                    int64_t endRow);
  /// Returns the rows and columns of the accumulator as the outputs see it.
  static std::pair<int64_t, int64_t> getShape(EpilogueOp op);
};

/// Creates the implementation of a layout; for a fragment, that of the
/// accumulators for which it is multiplied.
std::unique_ptr<Accumulator> createAccumulator(LoweringContext &c,
                                               AccLayout layout);
std::unique_ptr<Accumulator> createAccumulator(LoweringContext &c,
                                               FragmentType fragment);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATOR_H
