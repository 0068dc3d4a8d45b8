// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule | FileCheck %s

// With promote_sums each stage starts a sum of its own. It is added to the total after
// the stage has been released.

// CHECK-LABEL: tcgemm.program @fp8_0_main
// CHECK:         %[[ZERO:.*]] = tcgemm.acc.zero : <64 x 64, wgmma>
// CHECK:         %{{.*}}:2 = scf.for {{.*}} iter_args(%[[TOTAL:.*]] = %[[ZERO]],
// CHECK-NEXT:      %[[READ:.*]] = tcgemm.ring.wait
// CHECK:           %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:      %[[FLYING:.*]] = tcgemm.mma.async {{.*}} into %[[ZERO]] if %[[FALSE]]
// CHECK-NEXT:      %[[PART:.*]] = tcgemm.mma.await %[[FLYING]]
// CHECK-NEXT:      tcgemm.ring.release {{.*}}, %[[READ]]
// CHECK-NEXT:      %[[SUM:.*]] = tcgemm.acc.add %[[TOTAL]], %[[PART]] : <64 x 64, wgmma>
// CHECK:           scf.yield %[[SUM]]
func.func @fp8(%a: memref<256x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %c: memref<256x256xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 128], warps = [4, 1, 1], instruction = [64, 64, 32], promote_sums = true>}
    ins(%a, %b : memref<256x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) outs(%c : memref<256x256xf32>)
  return
}
