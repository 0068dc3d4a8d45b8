// RUN: not tcgemm-opt %s --pass-pipeline='builtin.module(tcgemm-host,tcgemm-configure{chip=sm_90a config="schedule=wgmma cta=128x128x64 warps=8x1x1 stages=4 producer=cp_async copy_b=8"},tcgemm-schedule,gpu.module(tcgemm-keep-parts{copies=false}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COPIES
// COPIES: error: 'tcgemm.loader.copy' op cannot be left out of its program: only copies by TMA can
// RUN: not tcgemm-opt %s --pass-pipeline='builtin.module(tcgemm-host,tcgemm-configure{chip=sm_90a config="schedule=wgmma cta=128x128x64 warps=8x1x1 stages=4 cluster=1x1x2"},tcgemm-schedule,gpu.module(tcgemm-keep-parts{epilogue=false}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EPILOGUE
// EPILOGUE: error: 'tcgemm.acc.cluster_reduce' op cannot be left out of its program: only epilogues of a CTA's own sums can

// Programs without roles are not changed.
// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(tcgemm-host,tcgemm-configure{chip=sm_80 config="schedule=mma_sync"},tcgemm-schedule,gpu.module(tcgemm-keep-parts{copies=false products=false epilogue=false}))' \
// RUN:   | FileCheck %s --check-prefix=OTHER
// OTHER: tcgemm.loader.copy
// OTHER: tcgemm.mma

func.func @product(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
