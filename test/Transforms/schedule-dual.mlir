// RUN: tcgemm-opt %s -tcgemm-schedule | FileCheck %s

// B and B2 have half of the columns of a tile each: two maps, whose boxes follow each
// other in shared memory. Their path is the same, also where they are packed.

// CHECK-LABEL: tcgemm.kernel @dual
// CHECK:         "aligned"
// CHECK-SAME:    B2.stride0
// CHECK-SAME:    grid = ["batch * ceildiv(M, 128) * ceildiv(N, 64) * 1", "1", "1"]
// CHECK:         "pack_b"
// CHECK-SAME:    @dual_pack_b
// CHECK-SAME:    @dual_pack_b2
// CHECK-LABEL: tcgemm.program @dual_main(
// CHECK-SAME:    "A"
// CHECK-SAME:    "B"
// CHECK-SAME:    "B2"
// CHECK:         tcgemm.ring.create
// CHECK:         tcgemm.role producer
// CHECK:           tcgemm.tma.load %{{.*}}[%[[K:.*]], %{{.*}}] to {{.*}} tile 0
// CHECK:           tcgemm.tma.load %{{.*}}[%[[K]], %[[N:.*]]] to {{.*}} tile 1 row %c0
// CHECK:           tcgemm.tma.load %{{.*}}[%[[K]], %[[N]]] to {{.*}} tile 1 row %c64
// CHECK:         tcgemm.role consumer
// CHECK:           %[[LEFT:.*]], %[[RIGHT:.*]] = tcgemm.acc.split %{{.*}} : <64 x 128, wgmma> -> <64 x 64, wgmma>
// CHECK:           tcgemm.epilogue %[[LEFT]] with %[[RIGHT]] : !tcgemm.acc<64 x 64, wgmma>
// CHECK:           ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK:             arith.mulf %[[X]], %[[Y]]
tcgemm.kernel @dual <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  %0 = arith.mulf %x, %y : f32
  tcgemm.yield %0 : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16]>}
