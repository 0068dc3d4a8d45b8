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
/// the functions that it uses.
mlir::OwningOpRef<mlir::ModuleOp> isolate(mlir::ModuleOp module,
                                          llvm::StringRef function);

/// Lowers the module to the LLVM dialect by MLIR's passes. Tensors become host
/// memrefs, and results are returned. Like in tcgemm, products of narrower
/// types are summed in f32.
mlir::LogicalResult lowerForCpu(mlir::ModuleOp module);

/// To the LLVM dialect with kernels: tensors are memrefs in the device's
/// memory, and results that are tensors trailing arguments.
mlir::LogicalResult lowerForDevice(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   int64_t smCount);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_LOWERING_H
