// RUN: tcgemm-opt %s -tcgemm-share-kernels | FileCheck %s

// The first two kernels are equal but for their names; the third one has other
// code. All are in one module.

// CHECK:       gpu.module @tcgemm_device_kernels
// CHECK:         gpu.func @device_kernel_0
// CHECK:           arith.addf
// CHECK:         gpu.func @device_kernel_1
// CHECK:           arith.mulf
// CHECK-NOT:     gpu.func
// CHECK-LABEL: func.func @launches
// CHECK:         gpu.launch_func @tcgemm_device_kernels::@device_kernel_0
// CHECK:         gpu.launch_func @tcgemm_device_kernels::@device_kernel_0
// CHECK:         gpu.launch_func @tcgemm_device_kernels::@device_kernel_1
module attributes {gpu.container_module} {
  gpu.module @a {
    gpu.func @f(%x: memref<f32>) kernel {
      %v = memref.load %x[] : memref<f32>
      %s = arith.addf %v, %v : f32
      memref.store %s, %x[] : memref<f32>
      gpu.return
    }
  }
  gpu.module @b {
    gpu.func @g(%y: memref<f32>) kernel {
      %0 = memref.load %y[] : memref<f32>
      %1 = arith.addf %0, %0 : f32
      memref.store %1, %y[] : memref<f32>
      gpu.return
    }
    gpu.func @h(%y: memref<f32>) kernel {
      %0 = memref.load %y[] : memref<f32>
      %1 = arith.mulf %0, %0 : f32
      memref.store %1, %y[] : memref<f32>
      gpu.return
    }
  }
  func.func @launches(%x: memref<f32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @a::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
    gpu.launch_func @b::@g blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
    gpu.launch_func @b::@h blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
    return
  }
}
