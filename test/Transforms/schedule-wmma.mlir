// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file \
// RUN:   | FileCheck %s

// Both operands through shared memory, two stages of 16, one tile a CTA. The
// plan is that of mma_sync.

// CHECK-LABEL: tcgemm.kernel @staged
// CHECK-NOT: #tcgemm.variant<"fetch"
// CHECK: #tcgemm.variant<"aligned", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0 && K % 8 == 0
// CHECK-SAME: grid = ["batch * ceildiv(M, 64) * ceildiv(N, 128) * 1", "1", "1"], threads = 128, shared_memory = 12288
// CHECK-SAME: #tcgemm.variant<"pack_b"
// CHECK-SAME: #tcgemm.variant<"pack_a"
// CHECK-SAME: #tcgemm.variant<"pack_ab"
// CHECK: tcgemm.program @staged_main(
// CHECK: %[[RING:.*]] = tcgemm.ring.create : <2, cp_async, [<64 x 16 x f16, none>, <128 x 16 x f16, none>]>
// CHECK: tcgemm.raster {{.*}} along_m true group 1 slices_inner false batched false{{$}}
// CHECK-NOT: scf.for
// CHECK: %[[ZERO:.*]] = tcgemm.acc.zero : <64 x 32, wmma_m16n16>
// The first stage has K's residue.
// CHECK: tcgemm.loader.copy {{.*}} tile 0 part 0 of 1 k_valid
// CHECK: tcgemm.loader.copy {{.*}} tile 1 part 0 of 1 k_valid
// CHECK: tcgemm.ring.wait
// CHECK: %[[LOOP:.*]]:6 = scf.for
// The next stage's copies, this one's products, and only then the barrier.
// CHECK: tcgemm.loader.copy
// CHECK: tcgemm.ring.commit
// CHECK: %[[A:.*]] = tcgemm.fragment.load {{.*}} tile 0 k_step 0 transposed false {{.*}} -> <a, 64 x 16 x f16 for wmma_m16n16>
// CHECK: %[[B:.*]] = tcgemm.fragment.load {{.*}} tile 1 k_step 0 transposed false {{.*}} -> <b, 32 x 16 x f16 for wmma_m16n16>
// CHECK: tcgemm.mma %[[A]], %[[B]], %{{.*}} : <a,
// CHECK: tcgemm.ring.release
// CHECK: tcgemm.ring.wait
// CHECK: scf.yield
// CHECK: tcgemm.ring.drain {{.*}} landed ordered
// CHECK: tcgemm.epilogue %[[LOOP]]#0 {{.*}} staging 6144
// CHECK-NOT: gpu.barrier
// CHECK: tcgemm.return
tcgemm.kernel @staged <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = wmma,
  cta = [64, 128, 16], warps = [1, 4, 1], instruction = [16, 16, 16], stages = 2,
  raster_group = 1>}

// -----

// One operand past shared memory, where the guard allows it; four tiles a CTA on
// the diagonal, as far apart as there are CTAs.

// CHECK-LABEL: tcgemm.kernel @fetched
// CHECK: #tcgemm.variant<"fetch", guard = "K % 16 == 0 && A.stride1 == 1 && A.base % 32 == 0 && A.stride0 % 16 == 0 && A.stride0 >= 0 && A.stride0 < 2147483648 && M % 8 == 0 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0
// CHECK-SAME: stage_a = false>
// CHECK-SAME: grid = ["ceildiv(batch * ceildiv(M, 64) * ceildiv(N, 64) * 1, 4)", "1", "1"]
// CHECK-SAME: #tcgemm.variant<"aligned",
// CHECK-NOT: stage_a
// CHECK: tcgemm.program @fetched_fetch(
// CHECK-SAME: %[[M:[^:]*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">}
// CHECK-SAME: %[[LDA:[^:]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "A.stride0">}
// CHECK-SAME: %[[A:[^:]*]]: memref<?xf16, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer A>}
// CHECK: tcgemm.ring.create : <2, cp_async, [<16 x 64 x f16, none>]>
// CHECK: %[[GRID:.*]] = gpu.grid_dim x
// CHECK: %[[STEP:.*]] = arith.index_castui %[[GRID]]
// CHECK: scf.for {{.*}} step %[[STEP]]
// CHECK: tcgemm.raster {{.*}} diagonal
// CHECK: tcgemm.loader.copy {{.*}} tile 0
// CHECK: scf.for
// CHECK: %[[FA:.*]] = tcgemm.fragment.fetch %[[A]][%{{.*}}] stride %[[LDA]] at %{{.*}} of %[[M]] : {{.*}} -> <a, 32 x 16 x f16 for wmma_m8n32>
// CHECK: %[[FB:.*]] = tcgemm.fragment.load {{.*}} tile 0 k_step 0 transposed true {{.*}} -> <b, 32 x 16 x f16 for wmma_m8n32>
// CHECK: tcgemm.mma %[[FA]], %[[FB]], %{{.*}} b_transposed
// The next tile's copies may not overtake this one's stores.
// CHECK: tcgemm.epilogue
// CHECK: gpu.barrier
// CHECK: tcgemm.program @fetched_main(
// CHECK: tcgemm.ring.create : <2, cp_async, [<64 x 16 x f16, none>, <16 x 64 x f16, none>]>
tcgemm.kernel @fetched <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = wmma,
  cta = [64, 64, 16], warps = [2, 2, 1], instruction = [8, 32, 16], stages = 2,
  raster = diagonal, tiles_per_cta = 4, tile_order = strided, stage_a = false>}

// -----

// Nothing staged: neither ring nor barriers. Neighbouring tiles, at most two.

// CHECK-LABEL: tcgemm.program @straight_fetch(
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c2_i32
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c2_i32
// CHECK: %[[END:.*]] = arith.minui %[[LAST]],
// CHECK: scf.for {{.*}} = %[[FIRST]] to %[[END]] step %c1_i32
// CHECK-NOT: tcgemm.ring
// CHECK-NOT: gpu.barrier
// CHECK: tcgemm.epilogue
// CHECK-NOT: gpu.barrier
// CHECK: tcgemm.return
tcgemm.kernel @straight <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = wmma,
  cta = [64, 64, 16], warps = [2, 2, 1], instruction = [32, 8, 16], stages = 2,
  tiles_per_cta = 2, stage_a = false, stage_b = false>}

// -----

// Sizes that no fragment divides rule it out. The tile of sums goes through
// shared memory as a whole, in rows of 72.

// CHECK-LABEL: tcgemm.kernel @ragged
// CHECK-NOT: #tcgemm.variant<"fetch"
// CHECK: tcgemm.program @ragged_main(
// CHECK: tcgemm.acc.stage %{{.*}} at(%{{.*}}, %{{.*}}) of 64 pitch 72 : <32 x 32, wmma_m16n16>
// CHECK: %[[ID:.*]] = gpu.thread_id x
// CHECK: %[[THREAD:.*]] = arith.index_castui %[[ID]]
// CHECK: scf.for %[[I:.*]] = %[[THREAD]] to %c1024_i32{{.*}} step %c128_i32
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c16_i32
// CHECK: tcgemm.acc.unstage(%[[ROW]], %{{.*}}) of 64 pitch 72 : <1 x 4, row>
// CHECK: tcgemm.epilogue
tcgemm.kernel @ragged <1x100x100x60>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f16, "mn">] epilogue {
^bb0(%acc: f32):
  %d = arith.truncf %acc : f32 to f16
  tcgemm.yield %d : f16
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = wmma,
  cta = [64, 64, 16], warps = [2, 2, 1], instruction = [16, 16, 16], stages = 2,
  stage_a = false, epilogue = staged>}

// -----

// Sums of f16 are staged as such and extended where they are read.
// CHECK-LABEL: tcgemm.kernel @half_sums
// CHECK: tcgemm.acc.zero : <32 x 32 of f16, wmma_m16n16>
// CHECK: tcgemm.mma {{.*}} : <a, 32 x 16 x f16 for wmma_m16n16>
// CHECK: tcgemm.acc.stage {{.*}} of 64 pitch 72 : <32 x 32 of f16, wmma_m16n16>
// CHECK: %[[ROW:.*]] = tcgemm.acc.unstage{{.*}} : <1 x 4 of f16, row>
// CHECK: %[[WIDE:.*]] = tcgemm.acc.extend %[[ROW]] : <1 x 4 of f16, row> -> <1 x 4, row>
// CHECK: tcgemm.epilogue %[[WIDE]]
tcgemm.kernel @half_sums <1x?x?x?>
    [#tcgemm.operand<a, !tcgemm.precision<f16acc16>, "mk">,
     #tcgemm.operand<b, !tcgemm.precision<f16acc16>, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = wmma,
  cta = [64, 64, 16], warps = [2, 2, 1], instruction = [16, 16, 16], stages = 2,
  epilogue = staged>}

// -----

// tf32 has the depth 8, and a copy 4 elements. B is packed, so that no operand is
// fetched past shared memory.
// CHECK-LABEL: tcgemm.kernel @rounded
// CHECK-NOT: #tcgemm.variant<"fetch"
// CHECK: #tcgemm.variant<"pack_b", guard = "A.stride1 == 1 && {{.*}}A.stride0 % 4 == 0 && K % 4 == 0
// CHECK: tcgemm.program @rounded_main(
// CHECK: tcgemm.ring.create : <2, cp_async, [<64 x 16 x tf32, none>, <64 x 16 x tf32, none>]>
// CHECK: tcgemm.acc.zero : <32 x 32, wmma_m16n16k8>
// CHECK: tcgemm.fragment.load {{.*}} k_step 1 transposed false {{.*}} -> <a, 32 x 8 x tf32 for wmma_m16n16k8>
tcgemm.kernel @rounded <1x?x?x?>
    [#tcgemm.operand<a, tf32, "mk">, #tcgemm.operand<b, tf32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = wmma,
  cta = [64, 64, 16], warps = [2, 2, 1], instruction = [16, 16, 8], stages = 2,
  stage_a = false>}
