//===- LaunchWriter.h - One launch as GPU operations ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_LAUNCHWRITER_H
#define TCGEMM_LIB_CONVERSION_LAUNCHWRITER_H

#include "LaunchTensorMaps.h"

namespace tcgemm {

/// Writes the replacement of an operation that names a kernel, before that
/// operation. Expressions with unknown symbols are reported at their kernel.
class LaunchWriter {
public:
  LaunchWriter(mlir::Operation *op, mlir::ValueRange inputs,
               mlir::ValueRange outputs, KernelOp kernel, int64_t numSMs);

  /// Writes a launch. A null `workspace` is allocated. With a `token` the
  /// operations are ordered after it, and the result is the token of the last
  /// operation. Without one, they are synchronous and the result is null.
  mlir::FailureOr<mlir::Value> writeLaunch(mlir::Value workspace,
                                           mlir::Value token);
  /// Writes the size of the workspace in bytes, as an index.
  mlir::FailureOr<mlir::Value> writeWorkspaceSize();

private:
  using Body = llvm::function_ref<mlir::FailureOr<mlir::Value>()>;
  using VariantBody =
      llvm::function_ref<mlir::FailureOr<mlir::Value>(VariantAttr)>;

  mlir::LogicalResult checkPlan();
  mlir::FailureOr<mlir::Value> choose(llvm::ArrayRef<mlir::Attribute> variants,
                                      mlir::Value otherwise, VariantBody body);
  mlir::FailureOr<mlir::Value> writeIf(mlir::Value condition, mlir::Type type,
                                       Body thenBody, Body elseBody);
  mlir::FailureOr<mlir::Value> writeSteps(VariantAttr variant,
                                          mlir::Value given, mlir::Value token);
  mlir::FailureOr<mlir::Value> writeStep(StepAttr step, mlir::Value token);
  mlir::FailureOr<mlir::Value> writeLaunchFunc(StepAttr step,
                                               llvm::ArrayRef<mlir::Value> grid,
                                               mlir::Value token);
  void setWorkspace(mlir::Value buffer);
  void assertWorkspace(mlir::Value buffer, mlir::Value bytes);
  mlir::FailureOr<mlir::Value> getArgument(StepAttr step, BindingAttr binding);
  mlir::FailureOr<mlir::Value> getScalar(BindingAttr binding);
  mlir::Value toIndex(mlir::Value value);
  mlir::Value getConstant(mlir::Type type, int64_t value);

  mlir::Operation *op;
  mlir::Location loc;
  KernelOp kernel;
  mlir::OpBuilder builder;
  LaunchExpressions expressions;
  LaunchTensorMaps tensorMaps;
  /// The workspace's address as i64; none if the variant has none.
  mlir::Value workspace;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_LAUNCHWRITER_H
