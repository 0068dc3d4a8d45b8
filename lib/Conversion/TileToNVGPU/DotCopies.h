//===- DotCopies.h - Vectors that lanes copy ahead --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTCOPIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTCOPIES_H

#include "DotRows.h"

namespace tcgemm {

/// A ring of stages in shared memory, from its start, to which each lane copies
/// the vectors of its rows of the large operand by cp.async. A stage has those
/// of an iteration. A lane reads what it has copied itself, so that it waits
/// for its own copies, and for no other thread. A stage is named by its offset
/// (i32, in bytes).
class DotCopies {
public:
  /// `unroll` vectors of each row are those of an iteration.
  DotCopies(LoweringContext &c, DotRows &rows, int64_t unroll);

  int64_t getStages() const { return stages; }
  /// Starts the copies of an iteration, which has `left` elements (i32) from
  /// the lane's first one on. Elements beyond become zeros.
  void copy(mlir::Value stage, llvm::ArrayRef<mlir::Value> addresses,
            mlir::Value left);
  /// Waits for the oldest iteration in flight; copies of the `stages` - 2
  /// others may still be on their way.
  void wait();
  /// The words of each row of vector `vector`, whose copies have arrived.
  llvm::SmallVector<Values> load(mlir::Value stage, int64_t vector);
  mlir::Value getNext(mlir::Value stage);
  mlir::Value getPrevious(mlir::Value stage);

private:
  /// The bytes from the start of the lane's part of a stage to a vector of a
  /// row.
  int64_t getPlace(int64_t vector, int64_t row) const {
    return (vector * numRows + row) * threads * vectorBytes;
  }

  IntegerBuilder &b;
  DotRows &rows;
  int64_t unroll, stages, threads, numRows, vectorBytes, stageBytes;
  mlir::Value base; // i32, the lane's first byte in shared memory.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTCOPIES_H
