//===- ControlFlow.h - Builds branches and loops ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_CONTROLFLOW_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_CONTROLFLOW_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Support/IntegerBuilder.h"

namespace tcgemm {

/// Builds `if (condition) { build(); }`.
void buildIf(IntegerBuilder &b, mlir::Value condition,
             llvm::function_ref<void()> build);

/// Builds `if (condition) { build(); }`, or the body alone if there is no
/// condition.
void buildIfGiven(IntegerBuilder &b, mlir::Value condition,
                  llvm::function_ref<void()> build);

/// Builds an empty `if (condition)` and moves the insertion point into it.
mlir::scf::IfOp enterIf(IntegerBuilder &b, mlir::Value condition);

using ListBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;

/// Builds `condition ? then() : otherwise()` for lists of values.
llvm::SmallVector<mlir::Value>
buildIfElse(IntegerBuilder &b, mlir::Value condition, mlir::TypeRange types,
            ListBuilder then, ListBuilder otherwise);

/// Builds `if (condition) { then(); } else { otherwise(); }`.
void buildIfElse(IntegerBuilder &b, mlir::Value condition,
                 llvm::function_ref<void()> then,
                 llvm::function_ref<void()> otherwise);

/// Creates a loop of `count` iterations that LLVM does not unroll.
mlir::scf::ForOp createRolledLoop(IntegerBuilder &b, int64_t count,
                                  mlir::ValueRange carried);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_CONTROLFLOW_H
