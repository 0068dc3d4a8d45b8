// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s

// C is fetched to the L2 behind the first copies, before the first stage is
// waited for. Vectors are not.

// CHECK-LABEL: tcgemm.kernel @update
// CHECK: tcgemm.program @update_main(
// CHECK: tcgemm.loader.copy
// CHECK-NOT: tcgemm.ring.wait
// CHECK: tcgemm.prefetch %{{.*}} at({{.*}}) of({{.*}}) strides({{.*}}) dims "mn" size 32 64 : memref<?xf64
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.ring.wait
// CHECK: tcgemm.epilogue
tcgemm.kernel @update <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn">,
     #tcgemm.operand<input, f64, "mn">, #tcgemm.operand<input, f64, "n">,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64, %c: f64, %bias: f64):
  %0 = arith.subf %c, %acc : f64
  %1 = arith.addf %0, %bias : f64
  tcgemm.yield %1 : f64
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync,
  cta = [32, 64, 16], warps = [2, 2, 1], instruction = [16, 8, 8], stages = 4>}

// -----

// A ring of one stage; products in threads.

// CHECK-LABEL: tcgemm.kernel @threads
// CHECK: tcgemm.program @threads_main(
// CHECK-NOT: tcgemm.loader.copy
// CHECK: tcgemm.prefetch %{{.*}} dims "mn" size 64 64 : memref<?xf32
// CHECK: tcgemm.ring.wait
tcgemm.kernel @threads <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %c: f32):
  %0 = arith.subf %c, %acc : f32
  tcgemm.yield %0 : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = simt,
  cta = [64, 64, 8], threads = [16, 16, 1], stages = 1>}

// -----

// With slices of k, the program that adds them reads C.

// CHECK-LABEL: tcgemm.kernel @slices
// CHECK-NOT: tcgemm.prefetch
tcgemm.kernel @slices <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn">,
     #tcgemm.operand<input, f64, "mn">, #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64, %c: f64):
  %0 = arith.subf %c, %acc : f64
  tcgemm.yield %0 : f64
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync,
  cta = [32, 64, 16], warps = [2, 2, 1], instruction = [16, 8, 8], stages = 4, split_k = 2>}

// -----

// Early inputs are loaded to registers at the first wait. There is no fetch to the L2,
// and the place of a warp's sums is computed before that wait. Streaming is passed on.

// CHECK-LABEL: tcgemm.kernel @early
// CHECK: tcgemm.program @early_main(
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.loader.copy
// CHECK: %[[M:.*]] = arith.addi
// CHECK-NEXT: arith.constant 32
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli
// CHECK-NEXT: %[[N:.*]] = arith.addi %{{.*}}, %[[OFFSET]]
// CHECK-NEXT: tcgemm.ring.wait
// CHECK: scf.for
// CHECK: tcgemm.epilogue %{{.*}} at(%{{.*}}, %[[M]], %[[N]]) {{.*}} early streaming {
tcgemm.kernel @early <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn">,
     #tcgemm.operand<input, f64, "mn">, #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64, %c: f64):
  %0 = arith.subf %c, %acc : f64
  tcgemm.yield %0 : f64
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync,
  cta = [32, 64, 16], warps = [2, 2, 1], instruction = [16, 8, 8], stages = 4,
  early_inputs = true, stream_epilogue = true>}
