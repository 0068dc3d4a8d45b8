// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file \
// RUN:   | FileCheck %s

// A warp's elements of a stage are two groups, each of two steps. Their sums start at
// zero and are scaled once. The values of the next stage are loaded ahead.

// CHECK-LABEL: tcgemm.kernel @stages
// CHECK: #tcgemm.variant<"aligned", guard = "{{.*}} && K % 64 == 0 && scaleB.stride1 == 1 && zeroB.stride1 == 1
// CHECK-SAME: #tcgemm.variant<"pack_ab", guard = "K % 64 == 0
// CHECK: tcgemm.program @stages_main
// CHECK-COUNT-2: tcgemm.scales.load {{.*}} : memref<?xf16, {{.*}}> -> <b, 32, mma_sync>
// CHECK-COUNT-2: tcgemm.zero_points.load {{.*}} {is_unsigned} : memref<?xi8, {{.*}}> -> <b, 32>
// CHECK: scf.for
// CHECK-COUNT-2: tcgemm.scales.load
// CHECK-COUNT-2: tcgemm.zero_points.load
// CHECK: %[[ZERO:.*]] = tcgemm.acc.zero
// CHECK: %[[FIRST:.*]] = tcgemm.mma %{{.*}}, %{{.*}}, %[[ZERO]] minus %[[POINTS:.*]](!tcgemm.zero_points<b, 32>)
// CHECK: %[[SUM:.*]] = tcgemm.mma %{{.*}}, %{{.*}}, %[[FIRST]] minus %[[POINTS]](!tcgemm.zero_points<b, 32>)
// A part behind K has no scale.
// CHECK: scf.if
// CHECK: tcgemm.acc.add %{{.*}}, %[[SUM]] scaled(%{{.*}} : !tcgemm.scales<b, 32, mma_sync>)
// CHECK: tcgemm.acc.zero
// CHECK: scf.if
// CHECK: tcgemm.acc.add
// CHECK-NOT: tcgemm.acc.add
tcgemm.kernel @stages <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "nk">,
     #tcgemm.operand<scale_b, f16, "nk", group = 64>,
     #tcgemm.operand<zero_b, ui8, "nk", group = 64>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = mma_sync, cta = [16, 64, 128],
              warps = [1, 2, 1], fragment_buffers = 1>}

// -----

// A stage is a part of a group, so that no branch is necessary.

// CHECK-LABEL: tcgemm.kernel @parts
// CHECK: tcgemm.program @parts_main
// CHECK: scf.for
// CHECK: tcgemm.scales.load {{.*}} -> <a, 16, mma_sync>
// CHECK-NOT: zero_points
// CHECK-NOT: scf.if %{{.*}} -> (!tcgemm.acc
// CHECK: tcgemm.acc.add {{.*}} scaled(%{{.*}} : !tcgemm.scales<a, 16, mma_sync>)
tcgemm.kernel @parts <1x?x?x?>
    [#tcgemm.operand<a, i4, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<scale_a, f32, "km", group = 128>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = mma_sync, cta = [16, 64, 64],
              warps = [1, 2, 1]>}

// -----

// gemv reads them with the rows of the large operand. K may be anything.

// CHECK-LABEL: tcgemm.kernel @dots
// CHECK: #tcgemm.variant<"aligned", guard = "{{.*}} && scaleB.stride1 == 1
// CHECK-NOT: K % 128
// CHECK: tcgemm.acc.dot {{.*}} size 1 8 slices 2 unroll 1 bytes 16 16 scaled %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] group 128(memref<?xbf16, {{.*}}>) minus %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] of i8(memref<?xi8, {{.*}}>) {many_type = i4}
tcgemm.kernel @dots <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "nk">,
     #tcgemm.operand<scale_b, bf16, "nk", group = 128>,
     #tcgemm.operand<zero_b, i8, "kn", group = 128>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = gemv, cta = [1, 8, 2048],
              warps = [1, 2, 2]>}
