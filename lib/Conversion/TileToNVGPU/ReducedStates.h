//===- ReducedStates.h - States that are no values --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_REDUCEDSTATES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_REDUCEDSTATES_H

#include "Combiners.h"

namespace tcgemm {

/// The greatest value and its index, in one i64.
class IndexStates : public States {
public:
  using States::States;
  mlir::Value createNeutral() override;
  mlir::Value createState(mlir::Value element, mlir::Value coordinate) override;
  using States::combine;
  mlir::Value combine(mlir::Value x, mlir::Value y) override;
  bool combinesEarly() const override { return true; }
  mlir::Value createResult(mlir::Value total, mlir::Value initial) override;
};

/// A vector of two i64: a signed number that is greater for a greater value,
/// and the index. Values have up to 64 bits, and so have indices.
class WideIndexStates : public States {
public:
  using States::States;
  mlir::Value createNeutral() override;
  mlir::Value createState(mlir::Value element, mlir::Value coordinate) override;
  using States::combine;
  mlir::Value combine(mlir::Value x, mlir::Value y) override;
  bool combinesEarly() const override { return true; }
  mlir::Value createResult(mlir::Value total, mlir::Value initial) override;

private:
  mlir::Value createVector(mlir::Value key, mlir::Value index);
};

/// A vector of the greatest value and the sum of the exponential function of
/// the differences to it.
class SumExpStates : public States {
public:
  using States::States;
  mlir::Value createNeutral() override;
  mlir::Value createState(mlir::Value element, mlir::Value coordinate) override;
  mlir::Value combine(mlir::Value x, mlir::Value y) override;
  mlir::Value combine(llvm::SmallVector<mlir::Value> states) override;
  mlir::Value createResult(mlir::Value total, mlir::Value initial) override;
};

/// A vector of the number of values, their mean, the sum of their squared
/// deviations from it, and zero.
class MomentStates : public States {
public:
  using States::States;
  mlir::Value createNeutral() override;
  mlir::Value createState(mlir::Value element, mlir::Value coordinate) override;
  mlir::Value combine(mlir::Value x, mlir::Value y) override;
  mlir::Value combine(llvm::SmallVector<mlir::Value> states) override;
  mlir::Value createResult(mlir::Value total, mlir::Value initial) override;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_REDUCEDSTATES_H
