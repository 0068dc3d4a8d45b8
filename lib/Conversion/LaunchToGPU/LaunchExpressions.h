//===- LaunchExpressions.h - The plan's expressions in arith ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_LAUNCHEXPRESSIONS_H
#define TCGEMM_LIB_CONVERSION_LAUNCHEXPRESSIONS_H

#include "mlir/IR/Builders.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

/// Emits the manifest's integer expressions for one launch, as i64.
class LaunchExpressions {
public:
  /// `numSMs` is the value of `sm_count`; 0 if it is not known.
  LaunchExpressions(mlir::Operation *launch, mlir::ValueRange operands,
                    KernelOp kernel, int64_t numSMs)
      : launch(launch), operands(operands), kernel(kernel), numSMs(numSMs) {}

  /// Emits every symbol: sizes, strides and addresses of the operands.
  void prepare(mlir::OpBuilder &builder);

  /// Emits the value of an expression. A division by zero, which is an error in
  /// the manifest, has an unspecified value, so that no lazy evaluation is
  /// needed.
  mlir::FailureOr<mlir::Value> emit(mlir::OpBuilder &builder, const Expr &expr);

  /// Returns whether an i64 is not zero, as i1.
  mlir::Value isTrue(mlir::OpBuilder &builder, mlir::Value value);

  /// The index of the operand with the name `name` in the manifest, or -1.
  int findOperand(llvm::StringRef name);
  mlir::Value getOperand(unsigned index) const { return operands[index]; }

private:
  mlir::Operation *launch;
  llvm::SmallVector<mlir::Value>
      operands; ///< The kernel's operands, in its order.
  KernelOp kernel;
  int64_t numSMs;
  llvm::StringMap<mlir::Value> symbols;
};

/// Rewrites ceil and floor divisions as operations that convert to LLVM.
void expandDivisions(mlir::Operation *root);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_LAUNCHEXPRESSIONS_H
