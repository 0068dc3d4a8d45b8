//===- CompilePipeline.h - The compiler's passes in order -*- C++ -*-===//
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

/// From functions on tensors to gpu.modules in the NVVM dialect, whose kernels
/// have their plan.
void buildToNVVMPipeline(mlir::OpPassManager &manager,
                         const CompileOptions &options = {});

/// And on to binaries.
void buildToCubinPipeline(mlir::OpPassManager &manager,
                          const CompileOptions &options = {});

/// Contractions become tcgemm.launch, on tensors or buffers as they were, of
/// kernels with binaries. Nothing else in the module changes: the caller
/// bufferizes, and lowers the launches by tcgemm-launch-to-gpu.
void buildKernelsPipeline(mlir::OpPassManager &manager,
                          const CompileOptions &options = {});

/// Parts of these: from kernels to gpu.modules in the NVVM dialect,
void addProductCompilation(mlir::OpPassManager &manager,
                           const CompileOptions &options);
/// and from gpu.modules in the LLVM and NVVM dialects to binaries: from those
/// of kernels' programs, or from all.
void addEmission(mlir::OpPassManager &manager, const CompileOptions &options,
                 bool onlyPrograms = true);

/// `options` changed by what its mlirPipelineOptions says.
llvm::Expected<CompileOptions> resolveOptions(const CompileOptions &options);

/// Makes them known to textual pipelines: `tcgemm-to-nvvm`, `tcgemm-to-cubin`,
/// `tcgemm-kernels`, and `tcgemm-to-device` of DevicePipeline.h.
void registerCompilePipelines();

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_COMPILEPIPELINE_H
