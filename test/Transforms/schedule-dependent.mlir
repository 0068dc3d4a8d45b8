// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// dependent_launch: every program waits before it touches global memory, and every
// step's launch is a dependent one.

// CHECK-LABEL: tcgemm.kernel @threads
// CHECK: "empty_k"
// CHECK-SAME: <@threads_module::@threads_reduce, grid = {{[^]]*}}], dependent = true, threads = 128,
// CHECK-SAME: "pack_ab"
// CHECK-SAME: <@threads_module::@threads_pack, grid = {{[^]]*}}], dependent = true,
// CHECK-SAME: <@threads_module::@threads_main, grid = {{[^]]*}}], dependent = true,
// CHECK-SAME: <@threads_module::@threads_reduce, grid = {{[^]]*}}], dependent = true,
// CHECK: tcgemm.program @threads_reduce(
// CHECK: tcgemm.grid.wait
// CHECK-NEXT: tcgemm.acc.gather
// CHECK-NEXT: tcgemm.grid.launch_dependents
// CHECK: tcgemm.epilogue
// Index arithmetic and addresses come first; the last copies are on their way when
// the loop ends.
// CHECK: tcgemm.program @threads_main(
// CHECK: tcgemm.loader.start
// CHECK: tcgemm.ring.create
// CHECK-NOT: tcgemm.loader.copy
// CHECK: tcgemm.grid.wait
// CHECK: tcgemm.loader.copy
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: tcgemm.grid.launch_dependents
// CHECK-NEXT: tcgemm.ring.drain
// CHECK: tcgemm.program @threads_pack(
// CHECK: tcgemm.grid.wait
// CHECK: scf.if
// CHECK: vector.store
// CHECK: tcgemm.grid.launch_dependents
// CHECK-NEXT: tcgemm.return
tcgemm.kernel @threads <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 32], split_k = 2, dependent_launch = true>}

// -----

// Each role waits for itself. The producer lets the next grid start behind its last
// tile's loads.

// CHECK-LABEL: tcgemm.kernel @roles
// CHECK: "aligned"
// CHECK-SAME: <@roles_module::@roles_main, grid = {{[^]]*}}], cluster = [2, 1, 1], dependent = true, threads = 384,
// CHECK-SAME: <@roles_module::@roles_main_staged, grid = {{[^]]*}}], cluster = [2, 1, 1], dependent = true,
// CHECK: tcgemm.program @roles_main(
// CHECK-NOT: tcgemm.grid.wait
// CHECK: role producer
// CHECK-NEXT: tcgemm.ring.start
// CHECK-NEXT: tcgemm.grid.wait
// CHECK: scf.for
// CHECK: tcgemm.tma.load
// CHECK-NOT: tcgemm.grid
// CHECK: tcgemm.grid.launch_dependents
// CHECK-NEXT: tcgemm.ring.await_releases
// CHECK-NEXT: }
// CHECK: role consumer
// CHECK: tcgemm.grid.wait
// CHECK: tcgemm.prefetch
// CHECK-NOT: tcgemm.grid
// CHECK: tcgemm.epilogue
// CHECK-NOT: tcgemm.grid
// CHECK: tcgemm.return
tcgemm.kernel @roles <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 4, epilogue = tma, persistent = true, cluster = [2, 1, 1], dependent_launch = true>}

// -----

// Without it there is nothing of this.

// CHECK-LABEL: tcgemm.kernel @independent
// CHECK-NOT: dependent =
// CHECK-NOT: tcgemm.grid
tcgemm.kernel @independent <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 32], split_k = 2>}

// -----

// dependent_steps: the programs are the same, but the first step of each variant is
// launched as usual.

// CHECK-LABEL: tcgemm.kernel @steps
// CHECK: "empty_k"
// CHECK-SAME: <@steps_module::@steps_reduce, grid = {{[^]]*}}], threads = 128,
// CHECK-SAME: "aligned"
// CHECK-SAME: <@steps_module::@steps_main, grid = {{[^]]*}}], threads = 128,
// CHECK-SAME: <@steps_module::@steps_reduce, grid = {{[^]]*}}], dependent = true,
// CHECK-SAME: "pack_ab"
// CHECK-SAME: <@steps_module::@steps_pack, grid = {{[^]]*}}], threads = 256,
// CHECK-SAME: <@steps_module::@steps_main, grid = {{[^]]*}}], dependent = true,
// CHECK-SAME: <@steps_module::@steps_reduce, grid = {{[^]]*}}], dependent = true,
// CHECK: tcgemm.program @steps_reduce(
// CHECK: tcgemm.grid.wait
// CHECK: tcgemm.grid.launch_dependents
// CHECK: tcgemm.program @steps_main(
// CHECK: tcgemm.grid.wait
// CHECK: tcgemm.program @steps_pack(
// CHECK: tcgemm.grid.launch_dependents
tcgemm.kernel @steps <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 32], split_k = 2, dependent_steps = true>}
