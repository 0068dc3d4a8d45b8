// RUN: tcgemm-opt %s \
// RUN:   --pass-pipeline="builtin.module(tcgemm-schedule,gpu.module(tcgemm-lower-tiles,canonicalize,cse))" \
// RUN:   | FileCheck %s

// Two outputs of different width go through shared memory one after the other,
// with no barrier between the warps: each warp's part must lie at the same bytes
// for both. 16 rows of 32 columns of f32 and 16 bytes of padding: 2304 bytes.

// CHECK-LABEL: tcgemm.program @k_main
// CHECK-DAG: %[[F32:.*]] = arith.constant 576 : i32
// CHECK-DAG: %[[BF16:.*]] = arith.constant 1152 : i32
// CHECK-DAG: arith.muli %{{.*}}, %[[F32]] : i32
// CHECK-DAG: arith.muli %{{.*}}, %[[BF16]] : i32
tcgemm.kernel @k <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, bf16, "mn">]
    epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %acc, %0 : f32, bf16
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [64, 64, 32], epilogue = staged>}
