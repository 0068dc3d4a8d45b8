//===- EpilogueReductions.h - Reductions of epilogues' values ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEREDUCTIONS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEREDUCTIONS_H

#include "Accumulator.h"
#include "Combiners.h"
#include "EpilogueAccess.h"

namespace tcgemm {

/// Combines the values of one epilogue's elements: in the registers of a thread
/// while the slices are stored, and then over the lanes of a warp.
class EpilogueReductions : public EpilogueAccess {
public:
  EpilogueReductions(LoweringContext &c, EpilogueOp op);

  /// Combines the values of a slice, a list for each reduction. `firstRow` and
  /// `firstColumn` are the slice's position among the rows and columns that the
  /// thread holds. An element that occurs again in another slice counts once.
  /// `whole` states that all elements are inside the outputs.
  void add(const AccView &view, size_t firstRow, size_t firstColumn,
           llvm::ArrayRef<Values> values, mlir::Value whole);
  /// Stores the results of the thread's warp as partial results.
  void store();

  /// Returns whether the slices can be added in a loop: each has the same rows
  /// of the thread, no element twice, and there are no results for columns.
  bool canLoop(const SliceGrid &grid) const;
  /// In a loop: the values before the first slice, which has `view`; sets the
  /// current values; adds the next slice and returns the values behind it.
  Values start(const AccView &view);
  void resume(mlir::ValueRange current);
  Values addNext(const AccView &view, llvm::ArrayRef<Values> values,
                 mlir::Value whole);

private:
  /// One reduction. The thread has a value for each of its rows or columns, or
  /// one for all; null if there were no elements.
  struct State {
    PartialAttr partial;
    mlir::Type type;
    std::shared_ptr<States> states;
    Values values;
  };
  /// A slice's elements that were in no slice before, each the number of its
  /// row and column in the slice.
  using Elements = llvm::SmallVector<std::pair<size_t, size_t>>;

  Elements takeNew(const AccView &view, size_t firstRow, size_t firstColumn);
  mlir::Value getCoordinate(const State &state, mlir::Value row,
                            mlir::Value column);
  Values combine(const State &state, const AccView &view,
                 llvm::ArrayRef<mlir::Value> values, const Elements &elements,
                 bool isMasked);
  Values combineSlice(const State &state, const AccView &view,
                      llvm::ArrayRef<mlir::Value> values,
                      const Elements &elements, mlir::Value whole);
  size_t getTarget(const State &state, size_t row, size_t column) const;
  mlir::Value getSlot(char dim);
  mlir::Value hasSlot(char dim);
  void store(unsigned reduction);

  std::unique_ptr<Accumulator> layout;
  PartialTile tile;
  llvm::SmallVector<State> states;
  Values rows, columns; ///< Coordinates of what the thread holds.
  llvm::DenseSet<std::pair<size_t, size_t>> seen;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEREDUCTIONS_H
