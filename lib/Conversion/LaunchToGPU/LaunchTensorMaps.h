//===- LaunchTensorMaps.h - Tensor maps in the host module ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_LAUNCHTENSORMAPS_H
#define TCGEMM_LIB_CONVERSION_LAUNCHTENSORMAPS_H

#include "LaunchExpressions.h"

namespace tcgemm {

/// Emits the encoding of one launch's tensor maps by a call of
/// `tcgemm_encode_tensor_map`, a function of the embedder.
class LaunchTensorMaps {
public:
  LaunchTensorMaps(mlir::Operation *launch, KernelOp kernel,
                   LaunchExpressions &expressions)
      : launch(launch), kernel(kernel), expressions(expressions) {}

  /// Emits the map's 128 bytes as a value; `base` is a `!llvm.ptr`. The emitted
  /// code asserts that the function succeeds.
  mlir::FailureOr<mlir::Value> emit(mlir::OpBuilder &builder, TensorMapAttr map,
                                    mlir::Value base);

private:
  /// Memory for one call, allocated once in the entry block of the function: an
  /// allocation in a loop would increase the stack in each iteration.
  mlir::Value getScratch();

  mlir::Operation *launch;
  KernelOp kernel;
  LaunchExpressions &expressions;
  mlir::Value scratch;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_LAUNCHTENSORMAPS_H
