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
    Allocations become `gpu.alloc`, deallocations `gpu.dealloc`. Upstream's pass
    lowers `bufferization.dealloc` first; its helper function keeps its arrays on
    the host (attribute `tcgemm.host`). A constant (`memref.get_global`) becomes a
    device array. Two functions with the attributes `tcgemm.constructor` and
    `tcgemm.destructor` fill the array when the module is loaded and free it when
    the module is unloaded. `tcgemm-lifetime-functions` makes these functions
    constructors and destructors of the module.

    The pass assumes that arguments and results of functions are in device memory.

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
    Differs from upstream's `convert-gpu-to-nvvm` in that it does not need libdevice:
    the math operations that `tcgemm-lower-epilogue-math` keeps become intrinsics for
    which the backend has instructions.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def LaunchToGPU : Pass<"tcgemm-launch-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn launches into gpu.launch_func, for embedders";
  let description = [{
    A launch of a planned kernel on buffers becomes a chain of `scf.if` over the guards
    of its variants. Each branch has the workspace (`gpu.alloc`, `gpu.dealloc`) and a
    `gpu.launch_func` for each step, with bare pointers (`!llvm.ptr`), i32 and i64 values
    and scalars as arguments. Sizes, strides and addresses are those of the memrefs,
    which must be in device memory. A buffer of `memref.alloc`, `memref.alloca` or
    `memref.get_global` is an error (`tcgemm-device-memory` moves these buffers), unless
    `host-memory` states that host and device share their memory. A `cf.assert` fails if
    no guard holds. The pass erases the kernels, and the code of kernels without a
    launch. A remaining operation of tcgemm is an error.

    `tcgemm.launch_async` becomes the same operations, ordered by tokens, without a wait.
    A launch with a `stream` adds them to the stream. A launch with a `workspace` uses
    that memory; a `cf.assert` fails if it is too small or not aligned to 256 bytes.
    `tcgemm.workspace_size` becomes the size for the variant whose guard holds. (A
    function with tokens must not go through gpu-async-region, which gives each operation
    a second token; `tcgemm-host-to-llvm` does not run it on such functions.)

    A function of the embedder encodes each tensor map before the launch that takes the
    map by value (`!llvm.array<16 x i64>`):

    ```c
    // 0 or an error, for which cf.assert stops the program. map: 128 bytes,
    // 64-byte aligned; dims (elements), strides (bytes, rank - 1 of them) and
    // box are innermost first; type, swizzle and promotion are
    // CUtensorMapDataType, CUtensorMapSwizzle and CUtensorMapL2promotion.
    int32_t tcgemm_encode_tensor_map(void *map, int32_t type, int32_t rank,
        void *base, const int64_t *dims, const int64_t *strides,
        const int32_t *box, int32_t swizzle, int32_t promotion);

    // The same in im2col mode. dims are C, W, H and N; box are channels and
    // pixels; window are the lower and upper corner and the steps, of W and H.
    int32_t tcgemm_encode_window_map(void *map, int32_t type, void *base,
        const int64_t *dims, const int64_t *strides, const int32_t *box,
        const int32_t *window, int32_t swizzle, int32_t promotion);
    ```

    tcgemm/GpuRuntime/GpuRuntime.h declares it with all functions that gpu-to-llvm calls.

    `tcgemm-host-to-llvm` lowers the remaining operations by upstream's passes:
    gpu-async-region, scf-to-cf, gpu-to-llvm and others.

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
    Turns functions of the LLVM dialect with the attribute `tcgemm.constructor` into
    constructors of the module, and functions with `tcgemm.destructor` into destructors.
    MLIR's execution engine runs constructors in `initialize()` and destructors when it
    is destroyed.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LinalgToGPU : Pass<"tcgemm-linalg-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn operations on device buffers into kernels";
  let description = [{
    Each linalg operation on buffers becomes a `gpu.launch`:

    * Reductions along contiguous rows, together with the operations before and
      after them on the same rows (softmax, layer norm): one warp or one block for
      each row.
    * Elementwise operations that read a transposed operand: tiles through shared
      memory.
    * Other elementwise operations of f16 or bf16 whose rows are whole vectors: one
      thread for 16 bytes of the widest operand, if the buffers are aligned at run time.
    * All others: one thread for each element of the result, which executes the
      reduction loops.

    Copies between dense buffers become `gpu.memcpy`; other copies become kernels. A
    load or a store of an element by the host becomes a kernel of one thread and a copy
    of the element to the host.

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
    `nvgpu.device_async_copy`. Every memref has rank 1, and its index is the address.
    The program remains and records the size of its shared memory.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect"];
}

def ProgramToNVVM : Pass<"tcgemm-program-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower NVGPU-level programs to NVVM and LLVM";
  let description = [{
    Applies one-to-one patterns: rank-1 memrefs become pointers, `nvgpu` operations
    become NVVM instructions (including bf16), and the program becomes an `llvm.func`
    kernel. `cf.assert` becomes a branch to a call of `__assertfail`, which the driver
    provides. Accesses with `nontemporal` become inline PTX with `.cs`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect"];
}

def ShareKernels : Pass<"tcgemm-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Move kernels to one gpu.module and merge equal kernels";
  let description = [{
    Moves the `gpu.func` kernels of all modules into one module, so that one run of
    ptxas compiles them. Launches of equal kernels then refer to one kernel.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Different kernels">,
    Statistic<"numShared", "shared", "Kernels replaced by an equal one">];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def VerifyDevice : Pass<"tcgemm-verify-device", "::mlir::ModuleOp"> {
  let summary = "Reject host operations that access device memory";
  let description = [{
    Reports an error at the first operation of a function that reads or writes a
    buffer and is neither a launch nor a copy of the GPU dialect.
  }];
}

#endif // TCGEMM_CONVERSION_PASSES_TD
