// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_80 config=schedule=gemv,cta=2x4x2048,warps=1x1x4" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_main | FileCheck %s

// Two rows by four, two vectors of each of the four ahead; in the loop, and once
// more for the rest of K.

// CHECK: entry gemm_0_main
// CHECK: .maxntid 128, 1, 1
// CHECK: 0 mma.sync
// CHECK: 0 cp.async.cg.shared.global
// CHECK: 1 bar.sync
// Vectors of 8, and the last elements.
// CHECK: 264 fma.rn.f32
// CHECK: 8 st.shared
// CHECK: 16 large ld.global.v4
// CHECK: 8 of these predicated
// CHECK: 8 small ld.global.v4
// Eight sums.
// CHECK: 40 shfl.sync.bfly
// CHECK: 0 call
// CHECK: 0 local
// CHECK: 0 f64

#nk = affine_map<(m, n, k) -> (n, k)>
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
