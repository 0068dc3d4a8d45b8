// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule | FileCheck %s

// The scales of a stage are loaded while the stage before it is multiplied. The second
// warpgroup has the second 64 rows of the tile. A's scales have m innermost.

// CHECK-LABEL: tcgemm.program @scaled_0_main
// CHECK:         tcgemm.role consumer
// CHECK:         %[[GROUP:.*]] = tcgemm.warpgroup
// CHECK:         %[[ZERO:.*]] = tcgemm.acc.zero : <64 x 128, wgmma>
// CHECK:         %[[SHARE:.*]] = arith.muli %[[GROUP]]
// CHECK:         %[[M:.*]] = arith.addi %{{.*}}, %[[SHARE]]
// CHECK:         %[[ROWS:.*]] = tcgemm.scales.load %[[SA:.*]][%{{.*}}] by %{{.*}} from %[[M]] below %{{.*}} : memref<?xf32, #gpu.address_space<global>> -> <a, 64>
// CHECK:         %[[COLUMNS:.*]] = tcgemm.scales.load %[[SB:.*]][%{{.*}}] by %{{.*}} from %[[N:.*]] below %{{.*}} : memref<?xf32, #gpu.address_space<global>> -> <b, 128>
// CHECK:         scf.for %[[K:.*]] = {{.*}} iter_args(%[[TOTAL:.*]] = %[[ZERO]], %{{.*}} = %{{.*}}, %[[R:.*]] = %[[ROWS]], %[[C:.*]] = %[[COLUMNS]])
// CHECK:           %[[AHEAD:.*]] = arith.addi %[[K]]
// CHECK:           arith.minui %[[AHEAD]]
// CHECK:           %[[NEXTROWS:.*]] = tcgemm.scales.load %[[SA]]{{.*}} from %[[M]]
// CHECK:           %[[NEXTCOLUMNS:.*]] = tcgemm.scales.load %[[SB]]{{.*}} from %[[N]]
// CHECK:           tcgemm.ring.wait
// CHECK:           %[[PART:.*]] = tcgemm.mma.await
// CHECK:           %[[SUM:.*]] = tcgemm.acc.add %[[TOTAL]], %[[PART]] scaled(%[[R]], %[[C]] : !tcgemm.scales<a, 64>, !tcgemm.scales<b, 128>) : <64 x 128, wgmma>
// CHECK:           scf.yield %[[SUM]], %{{.*}}, %[[NEXTROWS]], %[[NEXTCOLUMNS]]
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#sa = affine_map<(m, n, k) -> (k floordiv 128, m)>
#sb = affine_map<(m, n, k) -> (n floordiv 128, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @scaled(%a: memref<256x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<2x256xf32>, %sb: memref<2x2xf32>, %c: memref<256x256xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #sa, #sb, #d], iterator_types = ["parallel", "parallel", "reduction"],
    tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [128, 128, 128], warps = [8, 1, 1], instruction = [64, 128, 32], promote_sums = true>}
    ins(%a, %b, %sa, %sb : memref<256x256xf8E4M3FN>, memref<256x256xf8E4M3FN>, memref<2x256xf32>, memref<2x2xf32>) outs(%c : memref<256x256xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f32, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %s, %t : f32
    %r = arith.mulf %p, %q : f32
    %w = arith.addf %o, %r : f32
    linalg.yield %w : f32
  }
  return
}

// Inputs of the epilogue are read behind the sums of stages, not before the first one.

// CHECK-LABEL: tcgemm.program @bias_0_main
// CHECK:         tcgemm.acc.add
// CHECK-NOT:     early
// CHECK:         tcgemm.return
func.func @bias(%a: tensor<256x256xf8E4M3FN>, %b: tensor<256x256xf8E4M3FN>, %bias: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #d]
    {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 128], warps = [4, 1, 1], instruction = [64, 64, 32], promote_sums = true>}
    ins(%a, %b : tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) outs(%z : tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = arith.addf %0, %bias : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}
