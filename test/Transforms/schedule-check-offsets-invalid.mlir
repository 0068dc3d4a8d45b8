// RUN: tcgemm-opt %s -tcgemm-configure="chip=sm_90a" -tcgemm-schedule -split-input-file -verify-diagnostics

// A kernel without groups has nothing to check.

// expected-error@+1 {{has check_offsets, but no operand offsets or counts}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {check_offsets}

// -----

// The attribute has no value.

tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
// expected-error@+1 {{attribute 'check_offsets' failed to satisfy constraint: unit attribute}}
} attributes {check_offsets = false}
