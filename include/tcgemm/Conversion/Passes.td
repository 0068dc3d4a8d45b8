//===- Passes.td - Pass 4: down to NVGPU and NVVM -----------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONVERSION_PASSES_TD
#define TCGEMM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTiles : Pass<"tcgemm-lower-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower tile-level programs to NVGPU, scf, arith and memref";
  let description = [{
    Fragments become `nvgpu.ldmatrix`, products `nvgpu.mma.sync`, copies
    `nvgpu.device_async_copy`; every memref is rank 1 and its one index is the
    address. The program op stays and records its shared memory.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def ProgramToNVVM : Pass<"tcgemm-program-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower NVGPU-level programs to NVVM and LLVM";
  let description = [{
    One-to-one patterns: rank-1 memrefs become pointers, `nvgpu` operations their
    NVVM instruction (bf16 included), the program an `llvm.func` kernel.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect"];
}

#endif // TCGEMM_CONVERSION_PASSES_TD
