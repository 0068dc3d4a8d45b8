//===- SimtAccumulator.h - Accumulators of single threads -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_SIMTACCUMULATOR_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_SIMTACCUMULATOR_H

#include "Accumulator.h"

namespace tcgemm {

/// Scalars of products by one thread. Its rows and columns are runs of
/// neighbours.
class SimtAccumulator : public Accumulator {
public:
  using Accumulator::Accumulator;
  llvm::SmallVector<mlir::Type> expand(AccType type) override;
  llvm::SmallVector<mlir::Type> expand(FragmentType type) override;
  using Accumulator::lower;
  void lower(FragmentLoadOp op) override;
  void lower(FragmentFetchOp op) override;
  void lower(MmaOp op) override;
  AccView view(EpilogueOp op, bool withValues) override;

private:
  void loadVector(FragmentType type, mlir::Value memory, mlir::Value index,
                  int64_t count, int64_t first, int64_t step,
                  llvm::MutableArrayRef<mlir::Value> registers);
  mlir::Value getIndexAlongK(FragmentType type, size_t number,
                             llvm::ArrayRef<int64_t> position) override;
  /// Returns whether dp4a multiplies.
  bool usesDots(MmaOp op);
  llvm::SmallVector<mlir::Value> getFactors(MmaOp op, mlir::Value fragment);
  mlir::Value multiplyAdd(MmaOp op, mlir::Value a, mlir::Value column,
                          mlir::Value sum);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_SIMTACCUMULATOR_H
