// RUN: not tcgemm-opt %s -tcgemm-to-cubin="format=ptx chip=sm_90" 2>&1 | FileCheck %s
// RUN: not tcgemm-opt %s -tcgemm-to-nvvm=chip=sm_90 2>&1 | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-to-cubin="format=ptx chip=sm_90a" | FileCheck %s --check-prefix=SAME
// RUN: tcgemm-opt %s -tcgemm-configure=chip=sm_90 | FileCheck %s --check-prefix=PASS

// A kernel of another chip than the pipeline's has code that LLVM cannot emit.

// CHECK: error: kernel 'k' is for sm_90a, but the module is compiled for sm_90
// SAME: gpu.binary @k_module [#gpu.object<#nvvm.target<chip = "sm_90a"
// PASS: chip = "sm_90a"
tcgemm.kernel @k <1x?x64x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a",
              config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], stages = 4>}
