// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// B of 4 bits takes the rows of wgmma and becomes e4m3, also for a partner of e5m2. A
// fragment has the depth of one instruction.

// CHECK-LABEL: tcgemm.kernel @rows
// CHECK: tcgemm.program @rows_main(
// CHECK: tcgemm.ring.create empty_arrivals 4 : <3, mbarrier, [<64 x 64 x i8, b64>, <32 x 128 x f8E5M2, b128>]>
// CHECK: %[[N0:.*]] = tcgemm.fragment.load {{.*}} tile 0 k_step 0 {{.*}} -> <a, 64 x 32 x i4 for wgmma>
// CHECK: tcgemm.fragment.load {{.*}} k_step 1
// CHECK: %[[F0:.*]] = tcgemm.fragment.convert %[[N0]] : <a, 64 x 32 x i4 for wgmma> -> <a, 64 x 32 x f8E4M3FN for wgmma>
// CHECK: tcgemm.mma.async_fragment %[[F0]] by {{.*}} tile 1 k_step 0 new into
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 1 k_step 3 into
// CHECK: tcgemm.mma.await {{.*}} pending 3
tcgemm.kernel @rows <1x?x?x?>
    [#tcgemm.operand<a, f8E5M2, "mk">, #tcgemm.operand<b, i4, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [32, 64, 128],
              warps = [4, 1, 1], instruction = [64, 32, 32], stages = 3, swap_ab = true>}

// -----

// A group is one step of a warp, whose sum is scaled once.

// CHECK-LABEL: tcgemm.kernel @groups
// CHECK: #tcgemm.variant<"aligned", guard = "{{.*}}K % 64 == 0
// CHECK: tcgemm.program @groups_main(
// CHECK: tcgemm.ring.create : <3, cp_async, [<16 x 32 x i8, xor>, <32 x 64 x f8E4M3FN, xor>]>
// CHECK: scf.for
// CHECK: %[[A:.*]] = tcgemm.fragment.load {{.*}} -> <a, 16 x 64 x ui4>
// CHECK: %[[B:.*]] = tcgemm.fragment.load {{.*}} -> <b, 16 x 64 x f8E4M3FN>
// CHECK: %[[ZERO:.*]] = tcgemm.acc.zero
// CHECK: %[[SUM:.*]] = tcgemm.mma %[[A]], %[[B]], %[[ZERO]] : <a, 16 x 64 x ui4>, <b, 16 x 64 x f8E4M3FN>
// CHECK: tcgemm.acc.add %{{.*}}, %[[SUM]] scaled(
// CHECK-NOT: tcgemm.mma
tcgemm.kernel @groups <1x?x?x?>
    [#tcgemm.operand<a, ui4, "mk">, #tcgemm.operand<b, f8E4M3FN, "nk">,
     #tcgemm.operand<scale_a, f16, "mk", group = 64>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_89", config = #tcgemm.config<schedule = mma_sync, cta = [16, 32, 64],
              warps = [1, 2, 1], fragment_buffers = 1>}
