// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file -verify-diagnostics

// expected-error@+1 {{2 slices of k, but with an operand that has a band it must be 1 [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], split_k = 2>}

// -----

// expected-error@+1 {{2 slices of k, but with an operand that has a band it must be 1 [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], cluster = [1, 1, 2]>}

// -----

// expected-error@+1 {{pingpong = true, but with an operand that has a band it must be false: tiles have different numbers of stages [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [128, 64, 64], warps = [8, 1, 1], instruction = [64, 64, 16], persistent = true, pingpong = true>}

// -----

// expected-error@+1 {{the product has a band of A, which schedule mma_sync does not compute: use schedule wgmma [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], warps = [2, 2, 1], stages = 3>}

// -----

// expected-error@+1 {{the product has a symmetric result, which schedule mma_sync does not compute: use schedule wgmma [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], warps = [2, 2, 1], stages = 3>}

// -----

// expected-error@+1 {{1 slices of k and swap_ab = true, but with a symmetric result they must be 1 and false [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], swap_ab = true>}

// -----

// expected-error@+1 {{3 slices of k and swap_ab = false, but with a symmetric result they must be 1 and false [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], split_k = 3>}

// -----

// expected-error@+1 {{the tiles of a cluster are 64 x 96, but with a symmetric result one number must be a multiple of the other [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 96, 64], warps = [4, 1, 1], instruction = [64, 96, 16]>}

// -----

// expected-error@+1 {{epilogue = tma, but with a symmetric result it must be direct, or, for outputs of f16 and bf16, tma [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], epilogue = tma>}

// -----

// expected-error@+1 {{epilogue = staged, but with a symmetric result it must be direct, or, for outputs of f16 and bf16, tma [structure]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%x: f32):
  %0 = arith.truncf %x : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], epilogue = staged>}
