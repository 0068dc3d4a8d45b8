// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file -verify-diagnostics

// expected-error@+1 {{persistent = false and split_k = 1, but with groups of rows they must be true and 1 [groups-of-rows]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>}

// -----

// expected-error@+1 {{2 slices of k, pingpong = false and producer = tma, but with groups along k they must be 1, false and tma [groups-along-k]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], split_k = 2>}

// -----

// expected-error@+1 {{1 slices of k, pingpong = true and producer = tma, but with groups along k they must be 1, false and tma [groups-along-k]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [8, 1, 1], instruction = [64, 64, 16], persistent = true, pingpong = true>}

// -----

// expected-error@+1 {{1 slices of k, pingpong = false and producer = cp_async, but with groups along k they must be 1, false and tma [groups-along-k]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], producer = cp_async>}

// -----

// expected-error@+1 {{the product has groups along k, which schedule mma_sync does not compute: use schedule wgmma [groups-along-k]}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], warps = [2, 2, 1]>}
