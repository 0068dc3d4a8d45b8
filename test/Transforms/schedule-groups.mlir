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

// -----

// wgmma: the rows of the second warpgroup. Eight groups are loaded ahead, four at a time.
// A stage is a group; its sum is scaled behind the wait. Zero points are subtracted in the
// conversion. The first fragment of the next stage is converted while the products of this
// one run; the last stage is peeled. Any K is possible.

// CHECK-LABEL: tcgemm.kernel @warpgroups
// CHECK: #tcgemm.variant<"aligned", guard = "
// CHECK-NOT: K % 128
// CHECK-LABEL: tcgemm.program @warpgroups_main
// CHECK: tcgemm.role consumer
// CHECK: %[[WARPGROUP:.*]] = tcgemm.warpgroup
// CHECK: %[[GROUPS:.*]] = arith.divui %{{.*}}, %c128
// CHECK: %[[SHARE:.*]] = arith.muli %[[WARPGROUP]], %c64
// CHECK-NEXT: arith.addi %{{.*}}, %[[SHARE]]
// CHECK: %[[S0:.*]] = tcgemm.group_values.load %[[SCALES:.*]][%[[AT:.*]]] by %[[BY:.*]], %{{.*}} from %{{.*}} below %{{.*}} group %c0_i32{{.*}} below %[[GROUPS]] : memref<?xf16, {{.*}}> -> <f16, 64>
// CHECK: %[[Z0:.*]] = tcgemm.group_values.load %{{.*}} group %c0_i32{{.*}} below %[[GROUPS]] : memref<?xi8, {{.*}}> -> <i8, 64>
// CHECK: %[[S1:.*]] = tcgemm.group_values.load {{.*}} group %c4_i32
// CHECK: %[[Z1:.*]] = tcgemm.group_values.load {{.*}} group %c4_i32
// CHECK: %[[R0:.*]] = tcgemm.ring.wait
// CHECK: %[[N0:.*]] = tcgemm.fragment.load {{.*}} k_step 0
// CHECK: %[[ZERO0:.*]] = tcgemm.zero_points.select %[[Z0]][%c0_i32{{.*}}] {is_unsigned} : <i8, 64> -> <a, 64, wgmma>
// CHECK: %[[F0:.*]] = tcgemm.fragment.convert %[[N0]] minus %[[ZERO0]]
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%[[TOTAL:.*]] = %{{.*}}, %[[AT:.*]] = %{{.*}}, %[[R:.*]] = %[[R0]], %[[F:.*]] = %[[F0]], %[[ZERO:.*]] = %[[ZERO0]], %[[S:.*]] = %[[S0]], %[[Z:.*]] = %[[Z0]], %[[SN:.*]] = %[[S1]], %[[ZN:.*]] = %[[Z1]])
// CHECK: tcgemm.mma.async_fragment %[[F]] by {{.*}}, %[[AT]], %[[R]] tile 1 k_step 0 new
// CHECK-COUNT-3: tcgemm.fragment.convert %{{.*}} minus %[[ZERO]](!tcgemm.zero_points<a, 64, wgmma>)
// CHECK: tcgemm.mma.await {{.*}} pending 3
// CHECK: %[[SCALE:.*]] = tcgemm.scales.select %[[S]][%[[K]]] : <f16, 64> -> <a, 64>
// CHECK: %[[PLACE:.*]] = arith.remui %{{.*}}, %c4
// CHECK: %[[OTHERS:.*]] = arith.cmpi eq, %[[PLACE]], %c0
// CHECK: %[[V:[^:]*]]:4 = scf.if %[[OTHERS]] -> (!tcgemm.group_values<f16, 64>, !tcgemm.group_values<i8, 64>, !tcgemm.group_values<f16, 64>, !tcgemm.group_values<i8, 64>) {
// CHECK: %[[S2:.*]] = tcgemm.group_values.load
// CHECK: %[[Z2:.*]] = tcgemm.group_values.load
// CHECK: scf.yield %[[SN]], %[[ZN]], %[[S2]], %[[Z2]]
// CHECK: scf.yield %[[S]], %[[Z]], %[[SN]], %[[ZN]]
// CHECK: %[[RN:.*]] = tcgemm.ring.wait
// CHECK: tcgemm.fragment.load {{.*}}, %[[RN]] {{.*}} k_step 0
// CHECK: %[[ZERON:.*]] = tcgemm.zero_points.select %[[V]]#1
// CHECK: %[[FN:.*]] = tcgemm.fragment.convert
// CHECK: %[[SUM:.*]] = tcgemm.mma.await {{.*}} -> <64 x 32, wgmma>
// CHECK: tcgemm.ring.release %{{.*}}, %[[R]]
// CHECK: tcgemm.acc.add %[[TOTAL]], %[[SUM]] scaled(%[[SCALE]] : !tcgemm.scales<a, 64>)
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[RN]], %[[FN]], %[[ZERON]], %[[V]]#0
// CHECK: tcgemm.mma.async_fragment {{.*}} k_step 0 new
// CHECK-NOT: tcgemm.ring.wait
// CHECK: tcgemm.acc.add
// CHECK: tcgemm.epilogue
tcgemm.kernel @warpgroups <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "nk">,
     #tcgemm.operand<scale_b, f16, "nk", group = 128>,
     #tcgemm.operand<zero_b, ui8, "nk", group = 128>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [32, 128, 128],
              warps = [8, 1, 1], instruction = [64, 32, 16], stages = 3, swap_ab = true,
              promote_sums = true>}

// -----

// A stage of two groups: the sums of both start at zero. The first fragment of the second
// is converted before the wait. The stage is released behind the second one.

// CHECK-LABEL: tcgemm.program @halves_main
// CHECK: scf.for
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 1 k_step 0 new into
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 1 k_step 1 into
// CHECK: tcgemm.scales.select
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 2
// CHECK: %[[F:.*]] = tcgemm.fragment.convert
// CHECK: tcgemm.mma.await
// CHECK-NOT: tcgemm.ring.release
// CHECK: tcgemm.acc.add
// CHECK: tcgemm.mma.async_fragment %[[F]] by {{.*}} tile 2 k_step 0 new into
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 2 k_step 1 into
// CHECK: tcgemm.mma.await
// CHECK: tcgemm.ring.release
// CHECK: tcgemm.acc.add
// CHECK: scf.yield
tcgemm.kernel @halves <1x?x?x?>
    [#tcgemm.operand<a, i4, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<scale_a, f32, "km", group = 64>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 16, 128],
              warps = [4, 1, 1], instruction = [64, 16, 16], stages = 3, promote_sums = true>}

// -----

// Tensor cores in gemv. A lane's loads are those of a quarter of a warp: 2 x 128 elements
// for each of four warps are two vectors ahead.

// CHECK-LABEL: tcgemm.program @tensors_main
// CHECK: tcgemm.acc.dot {{.*}} size 3 16 slices 4 unroll 2 bytes 16 16 mma scaled
tcgemm.kernel @tensors <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "nk">,
     #tcgemm.operand<scale_b, bf16, "nk", group = 128>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = gemv, cta = [3, 16, 1024],
              warps = [1, 1, 4], math = mma>}

// The same with vectors in shared memory.

// CHECK-LABEL: tcgemm.program @copied_main
// CHECK: tcgemm.acc.dot {{.*}} size 3 16 slices 4 unroll 2 bytes 16 16 mma stages 4 scaled
tcgemm.kernel @copied <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "nk">,
     #tcgemm.operand<scale_b, bf16, "nk", group = 128>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = gemv, cta = [3, 16, 1024],
              warps = [1, 1, 4], stages = 4, math = mma, loads = shared>}
