// RUN: tcgemm-opt %s -pass-pipeline='builtin.module(tcgemm.kernel(tcgemm-lower-epilogue-math))' -split-input-file -verify-diagnostics

tcgemm.kernel @f64 <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.extf %acc : f32 to f64
  // expected-error @below {{'math.exp' op on 'f64' cannot be lowered without libdevice}}
  %1 = math.exp %0 : f64
  %2 = arith.truncf %1 : f64 to f32
  tcgemm.yield %2 : f32
}

// -----

// It would be rounded twice.
tcgemm.kernel @f8 <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f8E4M3FN, "mn">] epilogue {
^bb0(%acc: f32):
  %wide = arith.extf %acc : f32 to f64
  %0 = arith.mulf %wide, %wide : f64
  // expected-error @below {{has the type 'f8E4M3FN'; floats must be f16, bf16, f32 or f64, or from compute capability 89 on f8E4M3FN or f8E5M2}}
  %1 = arith.truncf %0 : f64 to f8E4M3FN
  tcgemm.yield %1 : f8E4M3FN
}

// -----

tcgemm.kernel @ipowi <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<scalar, i32, "">, #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: f32, %n: i32):
  // expected-error @below {{'math.ipowi' op on 'i32' cannot be lowered without libdevice}}
  %0 = math.ipowi %n, %n : i32
  tcgemm.yield %0 : i32
}

// -----

tcgemm.kernel @wide <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  // expected-error @below {{'arith.fptosi' op has the type 'i65'; integers must have at most 64 bits}}
  %0 = arith.fptosi %acc : f32 to i65
  %1 = arith.sitofp %0 : i65 to f32
  tcgemm.yield %1 : f32
}
