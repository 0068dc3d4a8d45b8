//===- EpilogueInputs.h - What an epilogue reads ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEINPUTS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEINPUTS_H

#include "Accumulator.h"
#include "EpilogueAccess.h"

namespace tcgemm {

/// Reads what a view needs of each input: a list of elements or pairs, row by
/// row. What an input does not depend on is read once.
///
/// In a whole and aligned accumulator inputs are read in the runs of columns
/// that a thread has; in any other element by element at clamped coordinates.
class EpilogueInputs : public EpilogueAccess {
public:
  using EpilogueAccess::EpilogueAccess;

  /// Reads the inputs that are not in shared memory. `whole` (i1) says whether
  /// the accumulator is inside the outputs. With `inPairs`, canLoadPairs holds;
  /// pairs are read where they ever can be.
  llvm::SmallVector<Values> load(const AccView &view, mlir::Value whole,
                                 bool inPairs);
  /// Returns whether all inputs can be read in pairs, where they ever can. Null
  /// if there are none that can.
  mlir::Value canLoadPairs(const AccView &view, mlir::Value whole);
  /// Reads the inputs in shared memory of slice number `slice` (i32).
  void loadStaged(mlir::Value slice, llvm::MutableArrayRef<Values> inputs);
  /// The element of an input at a row and a column of a view.
  mlir::Value getElement(unsigned input, llvm::ArrayRef<mlir::Value> loaded,
                         const AccView &view, size_t row, size_t column);

private:
  Values loadInput(unsigned input, const AccView &view, mlir::Value whole,
                   bool inPairs);
  Values loadIfUsed(unsigned input, mlir::TypeRange types,
                    llvm::function_ref<Values()> load);
  Values loadEach(unsigned input, mlir::ValueRange rows,
                  mlir::ValueRange columns);
  Values loadInside(unsigned input, mlir::ValueRange rows,
                    mlir::ValueRange columns);
  Values loadRuns(unsigned input, mlir::ValueRange rows,
                  mlir::ValueRange columns, int64_t run);
  Values loadMatrices(TileType box, mlir::Value start, int64_t offset);
};

/// Returns whether a scalar is not zero.
mlir::Value isNonZero(IntegerBuilder &b, mlir::Value scalar);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEINPUTS_H
