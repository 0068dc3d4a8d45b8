// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file --verify-diagnostics

// expected-error @below {{has no configuration: run tcgemm-configure first}}
tcgemm.kernel @nothing <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// A configuration is checked against a chip, so a kernel without one has not
// been configured either.

// expected-error @below {{has no configuration: run tcgemm-configure first}}
tcgemm.kernel @no_chip <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {config = #tcgemm.config<cta = [64, 64, 32]>}

// -----

// A configuration that came past tcgemm-configure is not believed.

// expected-error @below {{shared memory}}
tcgemm.kernel @too_large <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [256, 256, 64], warps = [4, 4, 1], stages = 4>}

// -----

// expected-error @below {{elements of A and B are bf16 and bf16, but schedule wmma takes f16, f16acc16, i8, ui8, ui1 or tf32, the same for both}}
tcgemm.kernel @wmma <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = wmma, instruction = [16, 16, 16]>}
