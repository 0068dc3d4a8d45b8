// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file -verify-diagnostics

// expected-error@+1 {{persistent = false and split_k = 1, but with groups of rows they must be true and 1 [groups-of-rows]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>}

// -----

// expected-error@+1 {{persistent = true and split_k = 2, but with groups of rows they must be true and 1 [groups-of-rows]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], persistent = true, split_k = 2>}

// -----

// expected-error@+1 {{epilogue = tma, but with groups of rows it must be staged or direct: TMA would store rows of the next group [groups-of-rows]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], persistent = true, epilogue = tma>}

// -----

// expected-error@+1 {{the product has groups of rows, which schedule mma_sync does not compute: use schedule wgmma [groups-of-rows]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], warps = [2, 2, 1]>}
