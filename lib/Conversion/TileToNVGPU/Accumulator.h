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
  int64_t run = 1;      // columns come in runs of so many neighbours
  mlir::Value at(unsigned row, unsigned column) const {
    return values[row * columns.size() + column];
  }
  /// So many rows and columns of those that the thread holds.
  AccView slice(size_t firstRow, size_t numRows, size_t firstColumn,
                size_t numColumns) const;
};

/// How an accumulator is cut into slices: where they start, in elements from
/// its corner, and how large they and a thread's share of them are. Only the
/// last ones of rows may overlap others.
struct SliceGrid {
  llvm::SmallVector<int64_t> rows, columns;
  int64_t numRows, numColumns;
  size_t heldRows, heldColumns;
};

/// How the registers of a thread form an accumulator and the fragments that are
/// multiplied for it. One implementation for each layout.
class Accumulator : public Lowering {
public:
  using Lowering::Lowering;
  virtual ~Accumulator() = default;

  /// The types of the registers of an accumulator and of a fragment.
  virtual llvm::SmallVector<mlir::Type> expand(AccType type) = 0;
  virtual llvm::SmallVector<mlir::Type> expand(FragmentType type);

  virtual void lower(AccZeroOp op);
  virtual void lower(FragmentLoadOp op);
  virtual void lower(MmaOp op);

  /// The thread's elements where the epilogue stores them. Without their values
  /// also before the accumulator exists.
  virtual AccView view(EpilogueOp op, bool withValues = true) = 0;
  /// The slices that an epilogue stores one after another if it stores no
  /// boxes.
  virtual SliceGrid cut(EpilogueOp op, const AccView &view);
  /// Evaluates and stores the accumulator, if it stores no boxes.
  virtual void store(EpilogueOp op);
  /// What the epilogue's body reads instead of the sums.
  virtual AccView prepareSums(EpilogueOp op, AccView view) { return view; }
  /// Changes the elements of an output of a slice with so many columns.
  virtual void finishResults(EpilogueOp op, size_t columns,
                             llvm::MutableArrayRef<mlir::Value> results) {}
  /// Whether an epilogue with much work goes through its slices in a loop.
  virtual bool storesInLoop() const { return false; }
  /// Whether an epilogue with staging memory stores rows through it.
  virtual bool storesThroughStaging() const { return false; }

protected:
  /// Slices of 16 rows, so that few inputs and results are alive at once, and
  /// of so many of the thread's columns. Rows from `endRow` on are left out.
  SliceGrid cutRows(EpilogueOp op, const AccView &view, size_t heldColumns,
                    int64_t endRow);
  /// Rows and columns of the accumulator as the outputs see it.
  static std::pair<int64_t, int64_t> getShape(EpilogueOp op);
};

/// The implementation of a layout of accumulators; of fragments, that of the
/// accumulators for which they are multiplied.
std::unique_ptr<Accumulator> createAccumulator(LoweringContext &c,
                                               AccLayout layout);
std::unique_ptr<Accumulator> createAccumulator(LoweringContext &c,
                                               FragmentType fragment);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ACCUMULATOR_H
