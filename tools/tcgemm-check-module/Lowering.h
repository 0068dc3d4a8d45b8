//===- Lowering.h - A module for the CPU and for the device -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_CHECKMODULE_LOWERING_H
#define TCGEMM_TOOLS_CHECKMODULE_LOWERING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tcgemm/Pipelines/CompileOptions.h"

namespace tcgemm {

/// A copy of the module with one public function, which gets a C interface, and
/// what it uses.
mlir::OwningOpRef<mlir::ModuleOp> isolate(mlir::ModuleOp module,
                                          llvm::StringRef function);

/// To the LLVM dialect by MLIR's own passes: tensors are memrefs of the host,
/// results are returned. Products are summed in f32 if their type is narrower,
/// as tcgemm does.
mlir::LogicalResult lowerForCpu(mlir::ModuleOp module);

/// To the LLVM dialect with kernels: tensors are memrefs in the device's
/// memory, and results that are tensors trailing arguments.
mlir::LogicalResult lowerForDevice(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   int64_t smCount);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_LOWERING_H
