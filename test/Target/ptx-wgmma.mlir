// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_90a config=schedule=wgmma,cta=128x256x64,warps=8x1x1,stages=4,epilogue=tma,persistent=true,cluster=1x1x1" > %t.coop
// RUN: %python %S/Inputs/count-ptx.py gemm_0_main < %t.coop | FileCheck %s --check-prefixes=CHECK,COOP
// RUN: %python %S/Inputs/count-ptx.py gemm_0_main_staged < %t.coop | FileCheck %s --check-prefix=STAGED
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_90a config=schedule=wgmma,cta=128x128x64,warps=8x1x1,stages=6,epilogue=tma,persistent=true,cluster=2x2x1" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_main | FileCheck %s --check-prefixes=CHECK,CLUSTER
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx chip=sm_90a config=schedule=wgmma,cta=64x256x64,warps=8x1x1,stages=4,epilogue=tma,persistent=true,cluster=1x1x1,pingpong=true" \
// RUN:   | %python %S/Inputs/count-ptx.py gemm_0_main | FileCheck %s --check-prefixes=CHECK,PINGPONG

// The same through ptxas, which fails on spills and on remarks such as C7514,
// "wgmma serialized"; also where a sum is rounded to f16 before it is used.
// RUN: %if ptxas %{ tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a config=schedule=wgmma,cta=128x256x64,warps=8x1x1,stages=4,epilogue=tma,persistent=true,cluster=1x1x1" \
// RUN:   | FileCheck %s --check-prefix=PTXAS %}
// RUN: %if ptxas %{ tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a config=schedule=wgmma,cta=128x128x64,warps=8x1x1,stages=6,epilogue=tma,persistent=true,cluster=2x2x1" \
// RUN:   | FileCheck %s --check-prefix=PTXAS %}
// RUN: %if ptxas %{ tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a config=schedule=wgmma,cta=64x256x64,warps=8x1x1,stages=5,persistent=true,cluster=1x1x1,pingpong=true" \
// RUN:   | FileCheck %s --check-prefix=PTXAS %}

// PTXAS: gpu.binary @gemm_0_module
// PTXAS-SAME: gemm_0_main = {{{[^}]*}}remarks = [], spill_bytes = 0 : i64
// PTXAS: gpu.binary @twice_0_module
// PTXAS-SAME: twice_0_main = {{{[^}]*}}remarks = [], spill_bytes = 0 : i64

// CHECK: entry gemm_0_main
// CHECK: .maxntid 384
// Without it ptxas ignores setmaxnreg.
// CHECK: .minnctapersm 1
// CHECK: 0 mma.sync
// CHECK: 0 ldmatrix
// Four steps of 16 along k, in the peeled stage and in the loop; each of the two
// in ping-pong has its own code.
// COOP: 8 wgmma.mma_async
// COOP: 2 wgmma.fence
// COOP: 2 wgmma.commit_group
// COOP: 2 wgmma.wait_group
// PINGPONG: 16 wgmma.mma_async
// PINGPONG: 4 wgmma.wait_group
// CHECK: 2 tensor load
// COOP: 0 of these multicast
// CLUSTER: 2 of these multicast
// A warpgroup's 64 rows go out in boxes of 64 columns.
// COOP: 4 tensor store
// COOP: 16 stmatrix
// CLUSTER: 2 tensor store
// PINGPONG: 8 tensor store
// COOP: 8 mbarrier.init
// CLUSTER: 12 mbarrier.init
// CHECK: 1 mbarrier.arrive.expect_tx
// One wait of the producer, one for the peeled stage and one in the loop.
// COOP: 3 mbarrier.try_wait
// PINGPONG: 5 mbarrier.try_wait
// COOP: 0 mapa
// CLUSTER: 2 mapa
// When the barriers are there. At the end, the producer waits for its stages.
// COOP: 0 cluster barrier
// CLUSTER: 1 cluster barrier
// CHECK: 1 setmaxnreg.dec
// COOP: 1 setmaxnreg.inc
// PINGPONG: 2 setmaxnreg.inc
// CHECK: 0 call
// CHECK: 0 local
// CHECK: 0 f64

// STAGED: entry gemm_0_main_staged
// STAGED: 8 wgmma.mma_async
// STAGED: 2 tensor load
// STAGED: 0 tensor store
// STAGED: 16 stmatrix
// STAGED: 0 local
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

func.func @twice(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c0 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                      affine_map<(m, n, k) -> (n, k)>,
                                      affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf16>) -> tensor<?x?xf16>
  %d = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%x: f16, %o: f16):
    %1 = arith.addf %x, %x : f16
    linalg.yield %1 : f16
  } -> tensor<?x?xf16>
  return %d : tensor<?x?xf16>
}
