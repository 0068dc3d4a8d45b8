// RUN: tcgemm-opt %s -o %t -pass-pipeline='builtin.module(tcgemm-host,tcgemm-configure,tcgemm-schedule,gpu.module(tcgemm-lower-epilogue-math,tcgemm-lower-tiles,tcgemm-program-to-nvvm),tcgemm-emit{format=ptx},tcgemm-launch-to-gpu,canonicalize,cse)'
// RUN: FileCheck %s --input-file %t
// RUN: tcgemm-opt %t -gpu-async-region -convert-scf-to-cf -expand-strided-metadata \
// RUN:   -gpu-to-llvm -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// An embedder's way: from tensors to a host module that launches the kernel. The
// program needs no libdevice.

// CHECK:       gpu.binary @gelu_0_module
// CHECK-NOT:   __nv_
// CHECK-LABEL: func.func @gelu
// CHECK-SAME:    %[[ALPHA:[^:,]*]]: f32, %{{[^:,]*}}: memref<?x?xbf16> {bufferize.result})
// CHECK:         scf.if
// CHECK:           gpu.launch_func @gelu_0_module::@gelu_0_{{.*}} args({{.*}}%[[ALPHA]] : f32
// CHECK:         } else {
// CHECK:         return

// LLVM-NOT:    unrealized_conversion_cast
// LLVM-LABEL:  llvm.func @gelu
// LLVM:          gpu.launch_func
// LLVM-NOT:    unrealized_conversion_cast
func.func @gelu(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>, %bias: tensor<?xf32>, %alpha: f32) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %n = tensor.dim %b, %c1 : tensor<64x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%0, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%d : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %2 = arith.mulf %x, %alpha : f32
    %3 = arith.addf %2, %y : f32
    %4 = arith.mulf %3, %rsqrt2 : f32
    %5 = math.erf %4 : f32
    %6 = arith.addf %5, %one : f32
    %7 = arith.mulf %3, %half : f32
    %8 = arith.mulf %6, %7 : f32
    %9 = arith.truncf %8 : f32 to bf16
    linalg.yield %9 : bf16
  } -> tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}
