//===- EpilogueAccess.h - Buffers of an epilogue ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEACCESS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEACCESS_H

#include "LoweringContext.h"

namespace tcgemm {

/// The inputs and outputs of one epilogue. A buffer is a number among the
/// inputs followed by the outputs. Coordinates are i32.
class EpilogueAccess : public Lowering {
public:
  EpilogueAccess(LoweringContext &c, EpilogueOp op) : Lowering(c), op(op) {}

  /// The buffer's dimensions, a letter each.
  llvm::StringRef getDims(unsigned buffer);
  bool isMatrix(unsigned buffer) {
    return getDims(buffer).contains('m') && getDims(buffer).contains('n');
  }
  /// Returns whether accesses to the buffer are nontemporal.
  bool isStreamed(unsigned buffer) {
    return op.getStreaming() && isMatrix(buffer);
  }
  /// The buffer's stride along a dimension that is not its last.
  mlir::Value getStride(unsigned buffer, char dim);
  mlir::Value getBuffer(unsigned buffer);
  mlir::Type getElementType(unsigned buffer);
  /// The address of (batch, m, n) in the buffer, i64 elements.
  mlir::Value getAddress(unsigned buffer, mlir::Value m, mlir::Value n);
  /// The same as an index.
  mlir::Value getIndex(unsigned buffer, mlir::Value m, mlir::Value n) {
    return b.index(getAddress(buffer, m, n));
  }

  /// Returns whether `vector` neighbouring columns of the buffer may be
  /// accessed at once: they lie side by side and every row starts at a multiple
  /// of them. Null if never, as for i1 and index.
  mlir::Value isVectorizable(unsigned buffer, int64_t vector);
  /// Returns whether `run` neighbours of a row can be stored at once, also at
  /// its end: where N is a multiple of a run, each is inside or outside as a
  /// whole.
  mlir::Value canStoreRuns(unsigned buffer, int64_t run);
  /// Returns whether the element is inside the outputs.
  mlir::Value isInside(mlir::Value m, mlir::Value n);
  /// Returns whether all of the accumulator is inside the outputs.
  mlir::Value isWhole();

protected:
  /// The index of the buffer's first stride in the operation's list.
  unsigned getFirstStride(unsigned buffer);

  EpilogueOp op;
};

/// The coordinate along an outer dimension, `b` to `e`.
mlir::Value getOuterCoordinate(LoweringContext &c, char dim, mlir::Value batch,
                               mlir::ValueRange outer);
/// The address, in elements, in a buffer with these dimensions and strides.
mlir::Value
createElementAddress(LoweringContext &c, llvm::StringRef dims,
                     mlir::ValueRange strides,
                     llvm::function_ref<mlir::Value(char)> getCoordinate);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEACCESS_H
