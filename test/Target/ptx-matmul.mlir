// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_80 config=cta=64x64x32,warps=2x2x1,stages=3,epilogue=direct" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_main \
// RUN:   | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_80 config=cta=64x64x32,warps=2x2x1,stages=3,epilogue=staged" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_main \
// RUN:   | FileCheck %s --check-prefixes=CHECK,STAGED
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_80 config=cta=64x64x32,warps=2x2x1,stages=3,split_k=4" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_main \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_80 config=cta=64x64x32,warps=2x2x1,stages=3,copy_a=8,copy_b=8" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_main \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_80 config=cta=64x64x32,warps=2x2x1,stages=3" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_pack \
// RUN:   | FileCheck %s --check-prefix=PACK

// What the main kernel is made of, and what it must not hold: calls, local
// memory, double-precision arithmetic.

// A warp tile of 32 x 32 is 2 x 4 products a k-step; two k-steps a loop.
// CHECK: entry gemm_0_main
// CHECK: .maxntid 128, 1, 1
// CHECK: 16 mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// Two k-steps of two and two fragments, and the first before the loop.
// CHECK: 12 ldmatrix.sync.aligned.m8n8.x4.shared.b16
// Two stages ahead of the loop and one in it, two copies of A and two of B.
// CHECK: 12 cp.async.cg.shared.global
// CHECK: 3 cp.async.commit_group
// CHECK: 2 cp.async.wait_group
// DIRECT: 2 bar.sync
// STAGED: 3 bar.sync
// SPLIT: 2 bar.sync
// DIRECT: 0 bar.warp.sync
// STAGED: 3 bar.warp.sync
// SPLIT: 0 bar.warp.sync
// CHECK: 0 ldmatrix.trans
// CHECK: 0 call
// CHECK: 0 local
// CHECK: 0 f64

// NARROW: 0 cp.async.cg.shared.global
// NARROW: 24 cp.async.ca.shared.global
// NARROW: 0 local

// Eight vectors are read, shifted in pairs and stored; an end of a row is one
// element a lane; the other way is one vector of eight elements.
// PACK: entry gemm_0_pack
// PACK: .maxntid 256, 1, 1
// PACK: 0 mma.sync
// PACK: 8 ld.global.v4
// PACK: 5 st.global.v4
// PACK: 9 ld.global.b16
// PACK: 1 st.global.b16
// PACK: 16 shf.r.wrap
// PACK: 1 div.u32
// PACK: 0 div.u64
// PACK: 0 local
func.func @gemm(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                      affine_map<(m, n, k) -> (n, k)>,
                                      affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
