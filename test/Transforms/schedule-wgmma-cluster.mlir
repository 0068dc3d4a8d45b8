// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// Products whose k is split over the CTAs of a cluster.

// Each of four CTAs has a quarter of the tiles of k, and stores a quarter of the
// sum's columns. What has fewer tiles of k than CTAs runs whole.

// CHECK-LABEL: tcgemm.kernel @split
// CHECK: #tcgemm.variant<"aligned", guard = "{{[^"]*}} && ceildiv(K, 64) >= 4 && out0.stride1 == 1", config = <{{[^>]*}} cluster = [1, 1, 4]>, workspace = "0",
// CHECK-SAME: steps = [<@split_module::@split_main, grid = ["batch * ceildiv(M, 64) * ceildiv(N, 128) * 1 * 4", "1", "1"], cluster = [4, 1, 1],
// CHECK-SAME: #tcgemm.variant<"aligned_whole", guard = "
// CHECK-NOT: ceildiv(K
// CHECK-SAME: steps = [<@split_module::@split_main_whole, grid = ["batch * ceildiv(M, 64) * ceildiv(N, 128) * 1", "1", "1"], threads =
// CHECK: tcgemm.program @split_main({{.*}} cluster = 4
// CHECK: %[[RANK:.*]] = arith.remui
// CHECK: %[[SLICE:.*]] = arith.remui %[[RANK]], %{{.*}}4
// CHECK: %[[BEFORE:.*]] = arith.muli %[[SLICE]], %[[TILES:.*]] : i32
// CHECK: %[[FIRST:.*]] = arith.divui %[[BEFORE]],
// CHECK: %[[NEXT:.*]] = arith.addi %[[SLICE]], %
// CHECK: %[[UPTO:.*]] = arith.muli %[[NEXT]], %[[TILES]] : i32
// CHECK: %[[END:.*]] = arith.divui %[[UPTO]],
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]] step
// They share no operand.
// CHECK-NOT: multicast
// CHECK-NOT: await_releases
// CHECK: tcgemm.role consumer
// CHECK: %[[ACC:.*]] = tcgemm.mma.await {{.*}} -> <64 x 128, wgmma>{{$}}
// CHECK-COUNT-2: %[[PART:.*]] = arith.remui %[[RANK]],
// CHECK: %[[SUM:.*]] = tcgemm.acc.cluster_reduce %[[ACC]] rank %[[PART]] of 4 : <64 x 128, wgmma> -> <64 x 32, wgmma>
// CHECK: tcgemm.epilogue %[[SUM]]
// CHECK: tcgemm.program @split_main_whole({{.*}} cluster = 1
// CHECK-NOT: cluster_reduce
// CHECK: tcgemm.epilogue
tcgemm.kernel @split <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 64], warps = [4, 1, 1], instruction = [64, 128, 16],
  stages = 4, cluster = [1, 1, 4]>}

// -----

// 16 columns have two parts of 8, of which the first two of four CTAs store one
// each. Along M two share B; the ranks of those that split k are 2 apart.

// CHECK-LABEL: tcgemm.kernel @narrow
// CHECK: tcgemm.program @narrow_main({{.*}} cluster = 8
// CHECK: tcgemm.tma.load {{.*}} multicast 3 :
// CHECK: tcgemm.ring.await_releases
// CHECK: tcgemm.role consumer
// CHECK: tcgemm.ring.release {{.*}} multicast 3 :
// CHECK: %[[SUM:.*]] = tcgemm.acc.cluster_reduce %{{.*}} rank %[[PART:[^ ]*]] of 4 stride 2 : <64 x 16, wgmma> -> <64 x 8, wgmma>
// CHECK: %[[STORES:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}}
// CHECK: scf.if %[[STORES]]
// CHECK: tcgemm.epilogue %[[SUM]]
tcgemm.kernel @narrow <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 16, 64], warps = [4, 1, 1], instruction = [64, 16, 16],
  stages = 4, cluster = [2, 1, 4]>}
