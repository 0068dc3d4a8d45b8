// A stock mlir-runner with the runtime library, on the emulated driver. Memory goes
// both ways, and the library's error is taken.
// REQUIRES: emulated-driver
// RUN: tcgemm-opt %s -tcgemm-host-to-llvm -o %t.mlir
// RUN: env TCGEMM_CUDA_DRIVER=%emulated_driver mlir-runner %t.mlir -e main --entry-point-result=void \
// RUN:   --shared-libs=%tcgemm_obj/lib/libtcgemm_gpu_runtime.so,%llvm_bin/../lib/libmlir_runner_utils.so \
// RUN:   | FileCheck %s
// CHECK:      sizes = [4]
// CHECK-NEXT: [101,  102,  103,  104]

// Without a driver each call does nothing, or the first one ends the program.
// RUN: env TCGEMM_CUDA_DRIVER=%t.none mlir-runner %t.mlir -e main --entry-point-result=void \
// RUN:   --shared-libs=%tcgemm_obj/lib/libtcgemm_gpu_runtime.so,%llvm_bin/../lib/libmlir_runner_utils.so \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: [1,  2,  3,  4]
// RUN: env TCGEMM_CUDA_DRIVER=%t.none TCGEMM_GPU_ERRORS=abort not --crash mlir-runner %t.mlir -e main \
// RUN:   --entry-point-result=void \
// RUN:   --shared-libs=%tcgemm_obj/lib/libtcgemm_gpu_runtime.so,%llvm_bin/../lib/libmlir_runner_utils.so \
// RUN:   2>&1 | FileCheck %s --check-prefix=ABORT
// ABORT: tcgemm_gpu_runtime: error: no CUDA driver: cannot load

module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = ".version 8.0\0A.target sm_90\0A.address_size 64\0A.visible .entry add(.param .u64 x, .param .u32 y) {\0A.reg .b32 %r<4>;\0A.reg .b64 %d<4>;\0Ald.param.u64 %d1, [x];\0Ald.param.u32 %r1, [y];\0Amov.u32 %r2, %tid.x;\0Amul.wide.u32 %d2, %r2, 4;\0Aadd.u64 %d3, %d1, %d2;\0Ald.global.u32 %r3, [%d3];\0Aadd.u32 %r3, %r3, %r1;\0Ast.global.u32 [%d3], %r3;\0Aret;\0A}\0A">]
  func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = arith.constant 100 : i32
    %host = memref.alloc() : memref<4xi32>
    scf.for %i = %c0 to %c4 step %c1 {
      %next = arith.addi %i, %c1 : index
      %value = arith.index_cast %next : index to i32
      memref.store %value, %host[%i] : memref<4xi32>
    }
    %device = gpu.alloc () : memref<4xi32>
    gpu.memcpy %device, %host : memref<4xi32>, memref<4xi32>
    %address = memref.extract_aligned_pointer_as_index %device : memref<4xi32> -> index
    %integer = arith.index_cast %address : index to i64
    %x = llvm.inttoptr %integer : i64 to !llvm.ptr
    gpu.launch_func @programs::@add blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%x : !llvm.ptr, %y : i32)
    gpu.memcpy %host, %device : memref<4xi32>, memref<4xi32>
    gpu.dealloc %device : memref<4xi32>
    %any = memref.cast %host : memref<4xi32> to memref<*xi32>
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    memref.dealloc %host : memref<4xi32>
    return
  }
}
