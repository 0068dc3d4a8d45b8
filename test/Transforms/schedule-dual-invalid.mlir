// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file -verify-diagnostics

// expected-error@+1 {{swap_ab = true, 1 slices of k and producer = tma, but with two products that share A they must be false, 1 and tma [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], swap_ab = true>}

// -----

// expected-error@+1 {{swap_ab = false, 3 slices of k and producer = tma, but with two products that share A they must be false, 1 and tma [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], split_k = 3>}

// -----

// expected-error@+1 {{swap_ab = false, 2 slices of k and producer = tma, but with two products that share A they must be false, 1 and tma [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], cluster = [1, 1, 2]>}

// -----

// expected-error@+1 {{swap_ab = false, 1 slices of k and producer = cp_async, but with two products that share A they must be false, 1 and tma [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], producer = cp_async>}

// -----

// expected-error@+1 {{cta N = 40, but it has the columns of both products, so that it must be a multiple of 16 [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 40, 64], warps = [4, 1, 1], instruction = [64, 40, 16]>}

// -----

// expected-error@+1 {{cta N = 48, but it has the columns of both products, so that it must be a multiple of 32 [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 48, 64], warps = [4, 1, 1], instruction = [64, 48, 16], cluster = [2, 1, 1]>}

// -----

// expected-error@+1 {{cta N = 192, but it has the columns of both products, so that it must be a multiple of 128 [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<b2, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 192, 64], warps = [4, 1, 1], instruction = [64, 192, 16]>}

// -----

// expected-error@+1 {{the product has a second B, which schedule mma_sync does not compute: use schedule wgmma [dual]}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], warps = [2, 2, 1]>}

// -----

// expected-error@+1 {{has a second B, and so it cannot have operands that are split into parts: a stage holds the parts of one B}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, !tcgemm.precision<tf32x3>, "mk">, #tcgemm.operand<b, !tcgemm.precision<tf32x3>, "nk">,
     #tcgemm.operand<b2, !tcgemm.precision<tf32x3>, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 32], warps = [4, 1, 1], instruction = [64, 64, 8], promote_sums = true>}
