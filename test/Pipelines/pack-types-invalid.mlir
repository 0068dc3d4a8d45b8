// RUN: tcgemm-opt %s --tcgemm-write-pack=path=%t -split-input-file -verify-diagnostics

// Element types that a manifest has no name for.

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  // expected-error @below {{'arith.fptosi' has the type 'i7', which a manifest does not have}}
  %0 = arith.fptosi %acc : f32 to i7
  %1 = arith.sitofp %0 : i7 to f32
  tcgemm.yield %1 : f32
} attributes {plan = []}

// -----

func.func @buffer() {
  // expected-error @below {{function 'buffer': 'memref.alloc' makes a buffer of i7, which a manifest does not have}}
  %0 = memref.alloc() : memref<4xi7>
  return
}

// -----

// expected-error @below {{function 'argument': argument 0 has elements of type 'i7', which a manifest does not have}}
func.func @argument(%a: memref<4xi7>) {
  return
}

// -----

// expected-error @below {{function 'scalar': argument 1 has elements of type 'i7', which a manifest does not have}}
func.func @scalar(%a: f32, %x: i7) {
  return
}

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
// expected-error @below {{the plan of kernel 'k' launches 'm', which is not a gpu.binary: run tcgemm-emit}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "0", steps = [
  #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [pointer A]>]>]}

// -----

// The reader's checks hold for what the compiler writes.

// expected-error @below {{this module cannot be a kernel pack: manifest: kernels[0].variants: must not be empty}}
module {
  tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = []}
}
