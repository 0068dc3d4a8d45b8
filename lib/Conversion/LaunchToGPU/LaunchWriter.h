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

/// Writes what an operation that names a kernel becomes, before that operation.
/// Expressions that name unknown symbols are diagnosed at the kernel that holds
/// them.
class LaunchWriter {
public:
  LaunchWriter(mlir::Operation *op, mlir::ValueRange inputs,
               mlir::ValueRange outputs, KernelOp kernel, int64_t numSMs);

  /// The work of a launch. `workspace` may be null: then it is allocated. With
  /// a `token` the operations are ordered after it, and the result is the token
  /// of the last; without, they are synchronous and the result is null.
  mlir::FailureOr<mlir::Value> writeLaunch(mlir::Value workspace,
                                           mlir::Value token);
  /// The bytes of workspace, as an index.
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
