// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule | FileCheck %s

// The scales of three blocks of k are on their way while a block is multiplied. The
// second warpgroup has the second 64 rows of the tile. A's scales have m innermost.
// Behind the last block, a group of copies is empty.

// CHECK-LABEL: tcgemm.program @scaled_0_main
// CHECK:         tcgemm.role consumer
// CHECK:         %[[GROUP:.*]] = tcgemm.warpgroup
// CHECK:         %[[ROWS:.*]] = tcgemm.scales.create : <a, 64, 4>
// CHECK:         %[[COLUMNS:.*]] = tcgemm.scales.create : <b, 128, 4>
// CHECK:         tcgemm.acc.zero
// CHECK:         %[[SHARE:.*]] = arith.muli %[[GROUP]]
// CHECK:         %[[M:.*]] = arith.addi %{{.*}}, %[[SHARE]]
// CHECK-COUNT-3: tcgemm.scales.commit
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %[[END:.*]] step {{.*}} iter_args(%[[TOTAL:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:           tcgemm.ring.wait
// CHECK:           %[[PART:.*]] = tcgemm.mma.async
// CHECK:           %[[AHEAD:.*]] = arith.addi %[[K]], %c3{{.*}}
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %[[AHEAD]], %[[END]]
// CHECK:           scf.if %[[EXISTS]] {
// CHECK:             tcgemm.scales.fetch %[[SA:.*]][%{{.*}}] by %{{.*}} from %[[M]] below %{{.*}} to %[[ROWS]][%[[AHEAD]]] : memref<?xf32, #gpu.address_space<global>> -> <a, 64, 4>
// CHECK:             tcgemm.scales.fetch %[[SB:.*]][%{{.*}}] by %{{.*}} from %{{.*}} below %{{.*}} to %[[COLUMNS]][%[[AHEAD]]] : memref<?xf32, #gpu.address_space<global>> -> <b, 128, 4>
// CHECK:           }
// CHECK:           tcgemm.scales.commit
// CHECK:           %[[R:.*]] = tcgemm.scales.read %[[ROWS]][%[[K]]] pending 3 : <a, 64, 4> -> <a, 64>
// CHECK:           %[[C:.*]] = tcgemm.scales.read %[[COLUMNS]][%[[K]]] pending 3 : <b, 128, 4> -> <b, 128>
// CHECK:           %[[DONE:.*]] = tcgemm.mma.await %[[PART]]
// CHECK:           %[[SUM:.*]] = tcgemm.acc.add %[[TOTAL]], %[[DONE]] scaled(%[[R]], %[[C]] : !tcgemm.scales<a, 64>, !tcgemm.scales<b, 128>) : <64 x 128, wgmma>
// CHECK:           scf.yield %[[SUM]]
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
