// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu -split-input-file -verify-diagnostics

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
func.func @no_plan(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{kernel 'k' has no plan: run tcgemm-schedule first}}
  tcgemm.launch @k ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
func.func @tensors(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{works on tensors: bufferize first}}
  %0 = tcgemm.launch @k ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [i32 "M"]>
// expected-error @below {{plan: 'M > Q' names 'Q', which is unknown}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "M > Q", config = #config, workspace = "0", steps = [#step]>]}
func.func @unknown(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  tcgemm.launch @k ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [i32 "M"]>
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "4 * sm_count", steps = [#step]>]}
func.func @sm_count(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{kernel 'k' depends on sm_count: set the option sm-count}}
  tcgemm.launch @k ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
// expected-error @below {{plan: argument #tcgemm.binding<scalar in0> names no scalar}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %x: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "0",
  steps = [#tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [scalar in0]>]>]}
func.func @no_scalar(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %x: memref<?xf32>, %d: memref<?x?xf32>) {
  tcgemm.launch @k ins(%a, %b, %x : memref<?x?xbf16>, memref<?x?xbf16>, memref<?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
// expected-error @below {{plan: 'Q' names 'Q', which is unknown}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "0",
  steps = [#tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0,
    tensor_maps = [#tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K", "Q"], strides = ["A.stride0 * 2"],
                                      box = [64, 128], swizzle = 128, l2_promotion = 256>],
    arguments = [tensor_map 0]>]>]}
func.func @unknown_in_tensor_map(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  tcgemm.launch @k ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
func.func private @tcgemm_encode_tensor_map()
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "0",
  steps = [#tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0,
    tensor_maps = [#tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"],
                                      box = [64, 128], swizzle = 128, l2_promotion = 256>],
    arguments = [tensor_map 0]>]>]}
func.func @another_function(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{needs the function 'tcgemm_encode_tensor_map', but the module has another symbol of that name}}
  tcgemm.launch @k ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// The device cannot read what the host has allocated.

#config = #tcgemm.config<cta = [128, 256, 64]>
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [i32 "M"]>
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "0", steps = [#step]>]}
memref.global "private" constant @weights : memref<4x2xbf16> = dense<1.0>
func.func @host_memory(%a: memref<8x4xbf16>, %d: memref<8x2xf32>) {
  %b = memref.get_global @weights : memref<4x2xbf16>
  // expected-error @below {{operand 1 is a buffer in host memory, which the device cannot access: run tcgemm-device-memory first, or set host-memory where host and device share their memory}}
  tcgemm.launch @k ins(%a, %b : memref<8x4xbf16>, memref<4x2xbf16>) outs(%d : memref<8x2xf32>)
  return
}

// -----

// A kernel whose programs are not compiled.
gpu.module @programs {
  // expected-error @below {{'tcgemm.program' op is left, but tcgemm-launch-to-gpu takes modules whose kernels are compiled: run tcgemm-emit first}}
  tcgemm.program @p(%arg0: i32) attributes {threads = 32 : i64, chip = "sm_90"} {
    tcgemm.return
  }
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
func.func @stream_of_tensors(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>, %s: !llvm.ptr) -> tensor<?x?xf32> {
  // expected-error @below {{has a workspace or a stream, which only launches on memrefs have}}
  %0 = tcgemm.launch @k ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%d : tensor<?x?xf32>) stream(%s : !llvm.ptr) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
func.func @not_a_stream(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>, %s: i64) {
  // expected-error @below {{has a stream of type 'i64', but it must be an !llvm.ptr}}
  tcgemm.launch @k ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>) stream(%s : i64)
  return
}
