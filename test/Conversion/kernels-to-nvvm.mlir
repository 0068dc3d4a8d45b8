// RUN: tcgemm-opt %s -pass-pipeline='builtin.module(gpu.module(tcgemm-kernels-to-nvvm))' | FileCheck %s

// Math that PTX has instructions for is intrinsics, not calls of libdevice.

// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME:    nvvm.kernel
// CHECK:         nvvm.read.ptx.sreg.tid.x
// CHECK:         llvm.intr.roundeven
// CHECK:         llvm.intr.sqrt
// CHECK:         nvvm.shfl.sync bfly
// CHECK:         nvvm.barrier
// CHECK-NOT:     __nv_
gpu.module @m {
  gpu.func @kernel(%x: memref<32xf32>) kernel {
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<32xf32>
    %r = math.roundeven %v : f32
    %s = math.sqrt %r : f32
    %o, %valid = gpu.shuffle xor %s, %c16, %c32 : f32
    gpu.barrier
    memref.store %o, %x[%t] : memref<32xf32>
    gpu.return
  }
}
