// RUN: tcgemm-opt %s --tcgemm-configure=chip=sm_90a --split-input-file --verify-diagnostics

// Schedules that do not read numbers as blocks, and parameters that come too late, are refused.

// expected-error@+1 {{illegal config: the product has a representation of numbers, which schedule simt does not compute: use schedule mma_sync [representation]}}
tcgemm.kernel @simt <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {config = #tcgemm.config<schedule = simt, cta = [64, 64, 16]>}

// -----

// expected-error@+1 {{illegal config: representation = packed, but the kernel reads numbers as blocks: give the parameter to the pass that writes the kernel, by tcgemm.config or the pipeline's config [representation]}}
tcgemm.kernel @packed <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {config = #tcgemm.config<cta = [64, 64, 16], representation = packed>}

// -----

// expected-error@+1 {{illegal config: B is numbers as blocks, but elements are tf32, and only numbers of f64 have another form than packed [representation]}}
tcgemm.kernel @single <1x?x?x?>
    [#tcgemm.operand<a, tf32, "mk">, #tcgemm.operand<b, tf32, "nk", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {config = #tcgemm.config<cta = [64, 64, 32], instruction = [16, 8, 8]>}

// -----

// expected-error@+1 {{illegal config: representation = packed, but schedule wgmma takes fragments only [schedule]}}
tcgemm.kernel @wgmma <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {config = #tcgemm.config<schedule = wgmma, warps = [4, 1, 1], cta = [64, 64, 64], instruction = [64, 64, 16], representation = packed>}
