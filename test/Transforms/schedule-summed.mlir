// RUN: tcgemm-opt %s -tcgemm-schedule | FileCheck %s

// An outer dimension that is summed over is a coordinate of the copies: tile t along k is
// tile t mod T of its value t / T, where T tiles cover K. Packed operands keep it.

// CHECK-LABEL: tcgemm.kernel @summed
// CHECK:         "empty_k"
// CHECK-SAME:    batch_c * K == 0
// CHECK:         "aligned"
// CHECK-SAME:    grid = ["batch * ceildiv(M, 64) * ceildiv(N, 64) * 1", "1", "1"]
// CHECK:         "pack_a"
// CHECK-SAME:    batch_c >= 1
// CHECK-LABEL: tcgemm.program @summed_main(
// CHECK:         arith.divui
// CHECK:         arith.divui
// CHECK:         %[[PER_VALUE:.*]] = arith.divui
// CHECK-NEXT:    %[[TILES:.*]] = arith.muli %{{.*}}, %[[PER_VALUE]]
// CHECK:         tcgemm.role producer
// CHECK:           scf.for %[[T:.*]] = %{{.*}} to %[[TILES]]
// CHECK:             %[[VALUE:.*]] = arith.divui %[[T]], %[[PER_VALUE]]
// CHECK:             %[[BEFORE:.*]] = arith.muli %[[VALUE]], %[[PER_VALUE]]
// CHECK:             %[[REST:.*]] = arith.subi %[[T]], %[[BEFORE]]
// CHECK:             %[[K:.*]] = arith.muli %[[REST]]
// CHECK:             tcgemm.tma.load %{{.*}}[%[[K]], %[[VALUE]], %{{.*}}, %{{.*}}] to {{.*}} tile 0
// CHECK:             tcgemm.tma.load %{{.*}}[%[[K]], %{{.*}}, %[[VALUE]]] to {{.*}} tile 1
tcgemm.kernel @summed <?x?x?x?x?>
    [#tcgemm.operand<a, f16, "bmck">, #tcgemm.operand<b, f16, "cnk">,
     #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>}
