// RUN: rm -rf %t.threads %t.roles
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx pack=%t.threads chip=sm_90 config=schedule=mma_sync,cta=64x64x32,warps=2x2x1,stages=3,dependent_launch=true" -o /dev/null
// RUN: FileCheck %s --check-prefixes=ALL,THREADS < %t.threads/gemm_0_module.ptx
// RUN: %python -m json.tool --sort-keys %t.threads/manifest.json | FileCheck %s --check-prefix=MANIFEST
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx pack=%t.roles chip=sm_90a config=schedule=wgmma,cta=64x64x64,warps=4x1x1,stages=4,epilogue=tma,persistent=false,cluster=1x1x1,dependent_launch=true" -o /dev/null
// RUN: FileCheck %s --check-prefixes=ALL,ROLES < %t.roles/gemm_0_module.ptx
// RUN: %if ptxas %{ tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90 config=schedule=mma_sync,cta=64x64x32,warps=2x2x1,stages=3,split_k=2,dependent_launch=true" -o /dev/null %}
// RUN: %if ptxas %{ tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a config=schedule=wgmma,cta=64x64x64,warps=4x1x1,stages=4,epilogue=tma,persistent=false,cluster=1x1x1,dependent_launch=true" -o /dev/null %}

// MANIFEST: "cluster": [
// MANIFEST: "dependent": true,
// MANIFEST-NEXT: "grid": [

// LLVM leaves the waits where they are: ahead of all accesses to global memory,
// none of which may be taken for one to memory that nobody writes.

// ALL-NOT: ld.global.nc

// ALL: entry gemm_0_reduce
// ALL-NOT: {{(ld|st)}}.global
// ALL: griddepcontrol.wait
// ALL: ld.global
// ALL: griddepcontrol.launch_dependents
// ALL: st.global

// ALL: entry gemm_0_main
// THREADS-NOT: cp.async
// THREADS: griddepcontrol.wait
// THREADS: cp.async
// THREADS: mma.sync
// THREADS: griddepcontrol.launch_dependents
// THREADS-NOT: cp.async.cg
// THREADS: st.global

// ROLES: prefetch.tensormap
// ROLES: mbarrier.init
// ROLES-NOT: cp.async
// ROLES: griddepcontrol.wait
// ROLES: cp.async.bulk.tensor.2d.shared
// ROLES: griddepcontrol.launch_dependents
// ROLES-NOT: cp.async
// ROLES: griddepcontrol.wait
// ROLES: wgmma.mma_async
// ROLES: cp.async.bulk.tensor.2d.global

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
