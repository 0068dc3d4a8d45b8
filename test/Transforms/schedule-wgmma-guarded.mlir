// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s

// BLAS's C, which beta multiplies, and a residual, both staged: C's copies, their bytes
// and its reads depend on beta, whose guard the epilogue has; the residual's do not.
// CHECK-LABEL: tcgemm.kernel @guarded
// CHECK: plan = [
// CHECK-SAME: #tcgemm.variant<"aligned", guard = "{{.*}}in0.base % 16 == 0
// CHECK-SAME: in1.base % 16 == 0
// CHECK: tcgemm.program @guarded_main(
// CHECK-SAME: %[[BETA:[^ ]*]]: f32 {tcgemm.binding = #tcgemm.binding<scalar in2>}
// CHECK: %[[OWN:.*]] = tcgemm.ring.create empty_arrivals 8 : <1, mbarrier, [<256 x 64 x bf16, b128>, <256 x 64 x bf16, b128>]>
// CHECK: tcgemm.elect {
// CHECK: %[[USED:.*]] = arith.cmpf une, %[[BETA]], %cst
// CHECK: %[[W:.*]] = tcgemm.ring.acquire %[[OWN]], %[[AT:.*]] :
// CHECK: scf.if %[[USED]] {
// CHECK-COUNT-4: tcgemm.tma.load %{{.*}} to %[[OWN]], %[[AT]], %[[W]] tile 0 row
// CHECK: }
// CHECK-COUNT-4: tcgemm.tma.load %{{.*}} to %[[OWN]], %[[AT]], %[[W]] tile 1 row
// CHECK-NEXT: tcgemm.ring.commit %[[OWN]], %[[W]]
// CHECK-NOT: tcgemm.prefetch
// CHECK: %[[R:.*]] = tcgemm.ring.wait %[[OWN]], %[[AT]]
// CHECK: tcgemm.epilogue {{.*}} scalars(%[[BETA]] : f32) {{.*}} staged [0, 1] in %[[OWN]], %[[R]] {{.*}} guards [0, -1]
// CHECK: tcgemm.ring.release %[[OWN]], %[[R]] arrivals 8
// Threads load C where TMA cannot store.
// CHECK: tcgemm.program @guarded_main_staged(
// CHECK: tcgemm.prefetch {{.*}} guard(%{{.*}} : f32)
tcgemm.kernel @guarded <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<input, bf16, "mn">,
     #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16, %residual: bf16, %beta: f32):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.mulf %0, %beta : f32
  %2 = arith.addf %acc, %1 : f32
  %3 = arith.extf %residual : bf16 to f32
  %4 = arith.addf %2, %3 : f32
  %5 = arith.truncf %4 : f32 to bf16
  tcgemm.yield %5 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 3, epilogue = tma, persistent = true, stage_inputs = true>}

// -----

// Both do not fit beside the ring: the residual is staged, and threads load C.
// CHECK-LABEL: tcgemm.kernel @no_room
// CHECK: tcgemm.program @no_room_main(
// CHECK: %[[OWN:.*]] = tcgemm.ring.create empty_arrivals 4 : <1, mbarrier, [<256 x 64 x bf16, b128>]>
// CHECK: tcgemm.elect {
// CHECK-NEXT: tcgemm.ring.acquire
// CHECK-NOT: scf.if
// CHECK: tcgemm.ring.commit
// CHECK: tcgemm.prefetch {{.*}} guard(%{{.*}} : f32)
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.epilogue {{.*}} staged [-1, 0] in {{.*}} guards [0, -1]
tcgemm.kernel @no_room <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<input, bf16, "mn">,
     #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16, %residual: bf16, %beta: f32):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.mulf %0, %beta : f32
  %2 = arith.addf %acc, %1 : f32
  %3 = arith.extf %residual : bf16 to f32
  %4 = arith.addf %2, %3 : f32
  %5 = arith.truncf %4 : f32 to bf16
  tcgemm.yield %5 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 4, epilogue = tma, persistent = true, pingpong = true,
  stage_inputs = true>}
