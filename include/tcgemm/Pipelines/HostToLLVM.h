//===- HostToLLVM.h - Host code of lowered modules to LLVM ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_HOSTTOLLVM_H
#define TCGEMM_PIPELINES_HOSTTOLLVM_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tcgemm {

/// Lowers functions on memrefs that launch kernels of a gpu.binary to the LLVM
/// dialect. The gpu dialect's binary and launches remain, because the
/// translation to LLVM IR handles them. The code calls the functions of
/// tcgemm/GpuRuntime/GpuRuntime.h. A function with `llvm.emit_c_interface` gets
/// a C entry point.
void buildHostToLLVMPipeline(mlir::OpPassManager &manager);

/// Registers the textual pipeline `tcgemm-host-to-llvm`.
void registerHostToLLVMPipeline();

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_HOSTTOLLVM_H
