// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file -verify-diagnostics

// expected-error@+1 {{producer = cp_async, but with a summed dimension it must be tma [summed-dimension]}}
tcgemm.kernel @kernel <1x?x?x?x?>
    [#tcgemm.operand<a, bf16, "mck">, #tcgemm.operand<b, bf16, "cnk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], producer = cp_async>}

// -----

// expected-error@+1 {{cta K = 128, but with a summed dimension and 40 elements along k for each of its values it must be at most 64 [summed-dimension]}}
tcgemm.kernel @kernel <1x?x?x40x6>
    [#tcgemm.operand<a, bf16, "mck">, #tcgemm.operand<b, bf16, "cnk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 128], warps = [4, 1, 1], instruction = [64, 64, 16], stages = 3>}

// -----

// expected-error@+1 {{the product has a summed dimension, which schedule mma_sync does not compute: use schedule wgmma [summed-dimension]}}
tcgemm.kernel @kernel <1x?x?x40x6>
    [#tcgemm.operand<a, bf16, "mck">, #tcgemm.operand<b, bf16, "cnk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = mma_sync>}
