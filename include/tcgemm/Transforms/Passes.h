//===- Passes.h - Passes of lib/Transforms ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TRANSFORMS_PASSES_H
#define TCGEMM_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include <functional>

namespace tcgemm {

#define GEN_PASS_DECL
#include "tcgemm/Transforms/Passes.h.inc"

/// Returns whether raise may take a contraction.
using OperationFilter = std::function<bool(mlir::Operation *)>;

/// Pass 1. It takes only operations that `filter`, if there is one, accepts.
std::unique_ptr<mlir::Pass> createRaise(RaiseOptions options,
                                        OperationFilter filter);

/// Makes complex tensors real ones where raise then takes products: only those
/// that `filter`, if there is one, accepts.
std::unique_ptr<mlir::Pass> createComplexToReal(ComplexToRealOptions options,
                                                OperationFilter filter);

/// The properties of a kernel that legality needs, with its hinted sizes.
ProblemInfo getProblemInfo(KernelOp kernel);

#define GEN_PASS_REGISTRATION
#include "tcgemm/Transforms/Passes.h.inc"

} // namespace tcgemm

#endif // TCGEMM_TRANSFORMS_PASSES_H
