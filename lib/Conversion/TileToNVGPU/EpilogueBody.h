//===- EpilogueBody.h - Evaluates the body of an epilogue -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEBODY_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEBODY_H

#include "Accumulator.h"

namespace tcgemm {

class EpilogueBody : public Lowering {
public:
  EpilogueBody(LoweringContext &c, EpilogueOp op) : Lowering(c), op(op) {}

  /// Evaluates the body on one element of each accumulator. Returns a result
  /// for each output.
  Values evaluate(mlir::ValueRange sums, mlir::ValueRange inputs, mlir::Value m,
                  mlir::Value n);
  /// Evaluates the body on a slice and the inputs that belong to it. Returns
  /// the results of each output, row by row.
  llvm::SmallVector<Values> evaluate(const AccView &slice,
                                     llvm::ArrayRef<Values> inputs);

private:
  mlir::Value castBits(mlir::Type type, mlir::Value value);

  EpilogueOp op;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUEBODY_H
