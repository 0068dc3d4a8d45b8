//===- ElementFunctions.h - Operands as they are multiplied -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_ELEMENTFUNCTIONS_H
#define TCGEMM_LIB_RUNTIME_ELEMENTFUNCTIONS_H

#include "tcgemm/Runtime/Reference.h"

#include <array>

namespace tcgemm {

/// A problem whose A and B are the values that the kernel multiplies: those of
/// its functions of the elements, if it has such, of all windows of a
/// convolution, and zeros outside of bands. A summed outer dimension is part of
/// k.
class MultipliedProblem {
public:
  /// Evaluates the functions. Errors: an operation is unknown, so that no check
  /// is possible.
  static llvm::Expected<MultipliedProblem> create(const VerifyProblem &problem,
                                                  const VerifyOptions &options);

  /// Refers to this object.
  const VerifyProblem &get() const { return problem; }

private:
  struct Matrix {
    std::vector<uint8_t> data;
    std::vector<float> deviations;
  };
  void represent(OperandView &view, Matrix &matrix);
  void unfold(OperandView &view);
  void joinDepth(Dim summed);
  void joinDepth(OperandView &view, Dim summed, Matrix &matrix);
  void mask(OperandView &view, unsigned operand);
  llvm::Error evaluate(OperandView &view, unsigned operand,
                       const VerifyOptions &options);

  VerifyProblem problem;
  std::array<Matrix, 2> matrices;  // of A and B
  std::vector<OperandInfo> joined; // A and B with one k
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_ELEMENTFUNCTIONS_H
