// RUN: tcgemm-opt %s --tcgemm-schedule -o %t.plain.mlir
// RUN: tcgemm-opt %t.plain.mlir --tcgemm-trace-programs="ctas=0,5,-2 events=100" -o %t.traced.mlir
// RUN: FileCheck %s < %t.traced.mlir
// A program with a trace has the operations of the one without, in their order.
// Only the permission to spill is new.
// RUN: sed "/tcgemm.trace/d;s/, may_spill//" %t.traced.mlir > %t.rest.mlir
// RUN: sed "s/, may_spill//" %t.plain.mlir | diff - %t.rest.mlir
// A second run changes nothing.
// RUN: tcgemm-opt %t.traced.mlir --tcgemm-trace-programs | diff %t.traced.mlir -

// The events of each role stand around what it waits for and what it completes.
// The ring that a consumer fills for itself has none.

// CHECK-LABEL: tcgemm.program @pingpong_main(
// CHECK-SAME: may_spill
// CHECK: {
// CHECK-NEXT: tcgemm.trace.buffer ctas [0, 5, -2] events 100
// CHECK: tcgemm.role producer
// CHECK-NEXT: tcgemm.trace.event role_begin
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tcgemm.trace.event acquire_begin
// CHECK-NEXT: tcgemm.ring.acquire
// CHECK-NEXT: tcgemm.trace.event acquire_end
// CHECK: tcgemm.tma.load
// CHECK: tcgemm.ring.commit
// CHECK-NEXT: tcgemm.trace.event commit
// CHECK: tcgemm.trace.event role_end
// CHECK-NEXT: }
// CHECK-NEXT: tcgemm.role consumer
// CHECK-NEXT: tcgemm.trace.event role_begin
// CHECK: scf.for
// CHECK: tcgemm.elect
// CHECK-NOT: trace.event
// CHECK: tcgemm.trace.event order_begin
// CHECK-NEXT: tcgemm.order.wait
// CHECK-NEXT: tcgemm.trace.event order_end
// CHECK: tcgemm.trace.event wait_begin
// CHECK-NEXT: tcgemm.ring.wait
// CHECK-NEXT: tcgemm.trace.event wait_end
// CHECK: scf.for
// CHECK: tcgemm.trace.event wait_begin
// CHECK-NEXT: tcgemm.ring.wait
// CHECK-NEXT: tcgemm.trace.event wait_end
// CHECK: tcgemm.mma.await
// CHECK-NEXT: tcgemm.trace.event release
// CHECK-NEXT: tcgemm.ring.release
// CHECK: scf.yield
// CHECK: tcgemm.mma.await
// CHECK-NEXT: tcgemm.trace.event release
// CHECK-NEXT: tcgemm.ring.release
// CHECK-NOT: trace.event
// CHECK: tcgemm.ring.wait
// CHECK-NEXT: tcgemm.trace.event epilogue_begin
// CHECK-NEXT: tcgemm.epilogue
// CHECK: }
// CHECK-NEXT: tcgemm.trace.event epilogue_end
// CHECK-NEXT: tcgemm.ring.release
// CHECK: tcgemm.trace.event role_end
// CHECK-NEXT: }
// CHECK-NEXT: tcgemm.role consumer

// A program without roles writes no trace.
// CHECK-LABEL: tcgemm.program @pingpong_pack(
// CHECK-NOT: trace
tcgemm.kernel @pingpong <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], stages = 4, epilogue = tma,
  persistent = true, pingpong = true, stage_inputs = true>}

// The CTAs of a cluster that split k sum their accumulators.

// CHECK-LABEL: tcgemm.program @split_main(
// CHECK: tcgemm.trace.event reduce_begin
// CHECK-NEXT: tcgemm.acc.cluster_reduce
// CHECK-NEXT: tcgemm.trace.event reduce_end
tcgemm.kernel @split <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 64], warps = [4, 1, 1], instruction = [64, 128, 16], stages = 4, cluster = [1, 1, 4]>}
