//===- CompilePipeline.h - The compiler's passes in order -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_COMPILEPIPELINE_H
#define TCGEMM_PIPELINES_COMPILEPIPELINE_H

#include "tcgemm/Pipelines/CompileOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tcgemm {

/// Compiles functions on tensors to gpu.modules in the NVVM dialect and adds
/// plans to the kernels.
void buildToNVVMPipeline(mlir::OpPassManager &manager,
                         const CompileOptions &options = {});

/// Compiles functions on tensors to binaries.
void buildToCubinPipeline(mlir::OpPassManager &manager,
                          const CompileOptions &options = {});

/// Replaces contractions by tcgemm.launch operations of kernels with binaries,
/// on tensors or buffers as before. Nothing else in the module changes. The
/// caller bufferizes the module and lowers the launches by
/// tcgemm-launch-to-gpu.
void buildKernelsPipeline(mlir::OpPassManager &manager,
                          const CompileOptions &options = {});

/// The part of these pipelines from kernels to gpu.modules in the NVVM dialect.
void addProductCompilation(mlir::OpPassManager &manager,
                           const CompileOptions &options);
/// The part from gpu.modules in the LLVM and NVVM dialects to binaries, either
/// for modules of kernels' programs only or for all modules.
void addEmission(mlir::OpPassManager &manager, const CompileOptions &options,
                 bool onlyPrograms = true);

/// Applies the member mlirPipelineOptions to the other members of `options`.
llvm::Expected<CompileOptions> resolveOptions(const CompileOptions &options);

/// Registers the textual pipelines `tcgemm-to-nvvm`, `tcgemm-to-cubin`,
/// `tcgemm-kernels`, and `tcgemm-to-device` of DevicePipeline.h.
void registerCompilePipelines();

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_COMPILEPIPELINE_H
