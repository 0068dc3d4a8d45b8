//===- Passes.td - Pass 4: down to NVGPU and NVVM -----------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONVERSION_PASSES_TD
#define TCGEMM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeviceMemory : Pass<"tcgemm-device-memory", "::mlir::ModuleOp"> {
  let summary = "Move the buffers of functions to the device";
  let description = [{
    Allocations become `gpu.alloc`, deallocations `gpu.dealloc`; a
    `bufferization.dealloc` is lowered by upstream's pass first, whose helper
    function keeps its arrays on the host (attribute `tcgemm.host`). A
    constant, `memref.get_global`, becomes a device array that is filled when
    the module is loaded and freed when it is unloaded: by two functions with
    the attributes `tcgemm.constructor` and `tcgemm.destructor`, which
    `tcgemm-lifetime-functions` makes constructors and destructors of the module.

    Arguments and results of functions are taken to be in device memory.

    ```mlir
    %0 = memref.alloc() : memref<8xf32>
    // becomes
    %0 = gpu.alloc () : memref<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numAllocations", "allocations", "Allocations moved to the device">,
    Statistic<"numConstants", "constants", "Constants copied to the device">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def KernelsToNVVM : Pass<"tcgemm-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower gpu.func kernels to the LLVM and NVVM dialects";
  let description = [{
    Like upstream's `convert-gpu-to-nvvm`, but without libdevice: the math
    operations that `tcgemm-lower-epilogue-math` leaves become intrinsics, which
    the backend has instructions for.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def LaunchToGPU : Pass<"tcgemm-launch-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn launches into gpu.launch_func, for embedders";
  let description = [{
    A launch of a planned kernel on buffers becomes a chain of `scf.if` over the
    guards of its variants; in each, the workspace (`gpu.alloc`, `gpu.dealloc`)
    and a `gpu.launch_func` for each step, with bare pointers (`!llvm.ptr`),
    i32 and i64 values and scalars as arguments. Sizes, strides and addresses are
    those of the memrefs, which must lie in the device's memory: a buffer that
    `memref.alloc`, `memref.alloca` or `memref.get_global` makes is an error
    (`tcgemm-device-memory` moves these), unless `host-memory` says that host and
    device share their memory. Should no guard
    hold, `cf.assert` says so. The pass erases the kernels, and the code of
    kernels that nothing launches. An operation of tcgemm that is left is an error.

    `tcgemm.launch_async` becomes the same operations, ordered by tokens, and
    nothing waits for them. A launch with a `stream` adds them to the stream. A
    launch with a `workspace` uses that; `cf.assert` says if it is too small or
    not aligned to 256 bytes. `tcgemm.workspace_size` becomes the bytes of the
    variant whose guard holds. (A function with tokens must not go through
    gpu-async-region, which gives each operation a second token;
    `tcgemm-host-to-llvm` leaves it out there.)

    A tensor map is encoded, before the launch that takes it by value
    (`!llvm.array<16 x i64>`), by a function that the embedder has:

    ```c
    // 0 or an error, for which cf.assert stops the program. map: 128 bytes,
    // 64-byte aligned; dims (elements), strides (bytes, rank - 1 of them) and
    // box are innermost first; type, swizzle and promotion are
    // CUtensorMapDataType, CUtensorMapSwizzle and CUtensorMapL2promotion.
    int32_t tcgemm_encode_tensor_map(void *map, int32_t type, int32_t rank,
        void *base, const int64_t *dims, const int64_t *strides,
        const int32_t *box, int32_t swizzle, int32_t promotion);
    ```

    tcgemm/GpuRuntime/GpuRuntime.h has it, beside all that gpu-to-llvm calls.

    `tcgemm-host-to-llvm` lowers the rest with upstream's passes: gpu-async-region,
    scf-to-cf, gpu-to-llvm and others.

    ```mlir
    tcgemm.launch @matmul ins(%a, %b : ...) outs(%d : memref<?x?xf32>)
    // becomes
    scf.if %aligned {
      gpu.launch_func @matmul_module::@matmul_main blocks in (%g, %c1, %c1)
          threads in (%c256, %c1, %c1) dynamic_shared_memory_size %c196608
          args(%pa : !llvm.ptr, %pb : !llvm.ptr, %pd : !llvm.ptr, %m : i32, %ld : i64)
    } else {
      ...
    }
    ```
  }];
  let options = [Option<"smCount", "sm-count", "int64_t", "0",
    "Multiprocessors of the device, for plans that depend on sm_count">,
    Option<"hostMemory", "host-memory", "bool", "false",
    "Accept buffers that the host has allocated">];
  let statistics = [Statistic<"numLaunches", "launches", "Launches lowered">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LifetimeFunctions : Pass<"tcgemm-lifetime-functions", "::mlir::ModuleOp"> {
  let summary = "Run functions when the module is loaded and unloaded";
  let description = [{
    Makes functions in the LLVM dialect with the attribute `tcgemm.constructor`
    constructors of the module, those with `tcgemm.destructor` destructors.
    MLIR's execution engine runs them in `initialize()` and at its end.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LinalgToGPU : Pass<"tcgemm-linalg-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn operations on device buffers into kernels";
  let description = [{
    Each linalg operation on buffers becomes a `gpu.launch`:

    * Reductions along contiguous rows, with the operations before and behind
      them that work on the same rows (softmax, layer norm): a warp or a block a
      row.
    * Elementwise operations that read an operand across the rows of the
      result: tiles through shared memory.
    * All others: a thread for each element of the result, which runs the
      reduction loops.

    Copies become `gpu.memcpy` where both buffers are dense, else kernels. A load
    or a store of an element on the host becomes a kernel of one thread, and
    a copy of the element to the host.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%buffer : memref<8x8xf32>)
    // becomes
    gpu.launch blocks(%bx, %by, %bz) in (...) threads(%tx, %ty, %tz) in (...) {
      ...
      memref.store %zero, %buffer[%i, %j] : memref<8x8xf32>
      ...
    }
    ```
  }];
  let statistics = [
    Statistic<"numOps", "ops", "linalg operations that became kernels">,
    Statistic<"numCopies", "copies", "Copies between buffers">,
    Statistic<"numScalars", "scalars", "Accesses of the host to elements">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def LowerTiles : Pass<"tcgemm-lower-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower tile-level programs to NVGPU, scf, arith and memref";
  let description = [{
    Fragments become `nvgpu.ldmatrix`, products `nvgpu.mma.sync`, copies
    `nvgpu.device_async_copy`; every memref is rank 1 and its one index is the
    address. The program op stays and records its shared memory.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect"];
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

def ShareKernels : Pass<"tcgemm-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Gather kernels in one gpu.module, equal ones once";
  let description = [{
    Moves the `gpu.func` kernels of all modules into one, so that they are
    compiled by one run of ptxas, and lets launches of equal kernels name the
    same one.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Different kernels">,
    Statistic<"numShared", "shared", "Kernels replaced by an equal one">];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def VerifyDevice : Pass<"tcgemm-verify-device", "::mlir::ModuleOp"> {
  let summary = "Refuse operations of the host that access device memory";
  let description = [{
    An error names the first operation of a function that reads or writes a
    buffer and is neither a launch nor a copy of the GPU dialect.
  }];
}

#endif // TCGEMM_CONVERSION_PASSES_TD
