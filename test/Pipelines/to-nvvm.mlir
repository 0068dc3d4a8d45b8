// RUN: tcgemm-opt %s --tcgemm-to-nvvm="chip=sm_80 config=cta=64x64x32,warps=2x2x1,stages=3" \
// RUN:   | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_80" \
// RUN:   | FileCheck %s --check-prefix=PTX

// From linalg to NVVM, and to PTX with no ptxas.

// CHECK-DAG: tcgemm.kernel @gemm_0
// CHECK-DAG: chip = "sm_80", config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], epilogue = staged>
// CHECK-DAG: plan = [#tcgemm.variant<"empty_k"
// CHECK-DAG: tcgemm.launch @gemm_0
// CHECK-DAG: gpu.module @gemm_0_module
// CHECK-DAG: llvm.func @gemm_0_main
// CHECK-DAG: nvvm.cp.async.shared.global
// CHECK-DAG: nvvm.ldmatrix
// CHECK-DAG: nvvm.mma.sync
// PTX: gpu.binary @gemm_0_module [#gpu.object<#nvvm.target<chip = "sm_80"
// PTX-SAME: .entry gemm_0_main
func.func @gemm(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
