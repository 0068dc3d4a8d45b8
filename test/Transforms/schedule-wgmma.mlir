// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// The programs of the schedule wgmma: who copies, who multiplies, what frees a
// stage, and where a tile lies, for each of its forms.

// Two warpgroups share a tile of 128 rows; the grid is as large as the GPU.

// CHECK-LABEL: tcgemm.kernel @cooperative
// CHECK-SAME: #tcgemm.operand
// CHECK: plan = [#tcgemm.variant<"empty_k", guard = "K == 0",
// CHECK-SAME: <@cooperative_module::@cooperative_reduce,
// What TMA asks for, dimension by dimension, is in the guards.
// CHECK-SAME: #tcgemm.variant<"aligned", guard = "A.base % 16 == 0 && K >= 1 && K <= 4294967296 && M >= 1 && M <= 4294967296 && A.stride0 * 2 % 16 == 0 && A.stride0 * 2 >= 0 && A.stride0 * 2 < 1099511627776 && A.stride1 == 1 && B.base % 16 == 0 && N >= 1 && N <= 4294967296 && B.stride0 * 2 % 16 == 0
// CHECK-SAME: out0.base % 16 == 0 && out0.stride0 * 2 % 16 == 0
// TMA stores whole 16 bytes of a row.
// CHECK-SAME: N * 2 % 16 == 0
// CHECK-SAME: grid = ["min(batch * ceildiv(M, 128) * ceildiv(N, 256) * 1, max(1, sm_count * 1 / 1))", "1", "1"], threads = 384, shared_memory = 229440,
// CHECK-SAME: tensor_maps = [<"A", bf16, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"], box = [64, 128], swizzle = 128
// CHECK-SAME: <"B", bf16, base = pointer B, dims = ["K", "N"], strides = ["B.stride0 * 2"], box = [64, 256], swizzle = 128
// CHECK-SAME: <"out0", bf16, base = pointer out0, dims = ["N", "M"], strides = ["out0.stride0 * 2"], box = [64, 64], swizzle = 128
// CHECK-SAME: arguments = [tensor_map 0, tensor_map 1, i32 "M", i32 "N", i32 "K", i64 "ceildiv(4611686018427387904, ceildiv(N, 256) * 8)", i64 "ceildiv(4611686018427387904, (ceildiv(M, 128) - 1) % 8 + 1)", tensor_map 2]
// An output that TMA cannot store has a program of its own.
// CHECK-SAME: #tcgemm.variant<"aligned_staged", guard = "A.base
// CHECK-SAME: && out0.stride1 == 1", config = <schedule = wgmma, cta = [128, 256, 64], warps = [8, 1, 1], instruction = [64, 256, 16], stages = 4, epilogue = staged, persistent = true>
// CHECK-SAME: <@cooperative_module::@cooperative_main_staged,
// CHECK-SAME: arguments = [tensor_map 0, tensor_map 1, i32 "M", i32 "N", i32 "K", i64 "ceildiv(4611686018427387904, ceildiv(N, 256) * 8)", i64 "ceildiv(4611686018427387904, (ceildiv(M, 128) - 1) % 8 + 1)", pointer out0, i64 "out0.stride0"]
// A packed operand's map has the workspace's pitch.
// CHECK-SAME: #tcgemm.variant<"pack_b", guard = "A.base % 16 == 0
// CHECK-SAME: <@cooperative_module::@cooperative_pack,
// CHECK-SAME: <@cooperative_module::@cooperative_main,
// CHECK-SAME: <"B", bf16, base = workspace "0", dims = ["K", "N"], strides = ["ceildiv(K, 8) * 8 * 2"]
// CHECK-SAME: #tcgemm.variant<"pack_b_staged",
// CHECK-SAME: #tcgemm.variant<"pack_a",
// CHECK-SAME: #tcgemm.variant<"pack_a_staged",
// CHECK-SAME: #tcgemm.variant<"pack_ab",
// CHECK-SAME: #tcgemm.variant<"pack_ab_staged", guard = "K >= 1 && out0.stride1 == 1",

// CHECK: tcgemm.program @cooperative_main(
// CHECK-NOT: may_spill
// CHECK-SAME: threads = 384
// CHECK: %[[RING:.*]] = tcgemm.ring.create empty_arrivals 8 : <4, mbarrier, [<128 x 64 x bf16, b128>, <256 x 64 x bf16, b128>]>
// CHECK: tcgemm.role producer warps [0, 4] registers 24 {
// CHECK: scf.for {{.*}} iter_args(%[[STATE:.*]] = %{{.*}}) -> (!tcgemm.ring_state)
// What its divisions take is computed by the launch.
// CHECK: tcgemm.raster {{.*}} reciprocals(%{{.*}}, %{{.*}}){{$}}
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %[[STATE]])
// CHECK: %[[W:.*]] = tcgemm.ring.acquire %[[RING]], %[[AT]]
// CHECK: tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}] to %[[RING]], %[[AT]], %[[W]] tile 0 row %{{[^ ]*}} :
// CHECK: tcgemm.tma.load {{.*}} tile 1 row %{{[^ ]*}} :
// CHECK: tcgemm.ring.commit %[[RING]], %[[W]]
// CHECK: tcgemm.ring.advance
// CHECK: tcgemm.role consumer warps [4, 12] registers 240 {
// CHECK: %[[GROUP:.*]] = tcgemm.warpgroup
// CHECK: scf.for
// CHECK: %[[ZERO:.*]] = tcgemm.acc.zero : <64 x 256, wgmma>
// CHECK: %[[FIRST:.*]] = tcgemm.ring.wait
// CHECK: %[[ROW:.*]] = arith.muli %[[GROUP]],
// The first stage is peeled: it starts from nothing.
// CHECK: %[[FALSE:.*]] = arith.constant false
// CHECK: tcgemm.mma.async {{.*}} tiles 0, 1 row %[[ROW]] into %[[ZERO]] if %[[FALSE]]
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[BEFORE:.*]] = %[[FIRST]], %[[AT2:.*]] = %{{.*}})
// CHECK: %[[READ:.*]] = tcgemm.ring.wait %[[RING]], %[[AT2]]
// CHECK: %[[SUM:.*]] = tcgemm.mma.async {{.*}} into %[[ACC]] :
// One stage's products stay in flight, the stage before is free.
// CHECK: tcgemm.mma.await %[[SUM]] pending 1
// CHECK: tcgemm.ring.release %[[RING]], %[[BEFORE]] arrivals 8 :
// CHECK: scf.yield %{{.*}}, %[[READ]],
// CHECK: %[[DONE:.*]] = tcgemm.mma.await %[[LOOP]]#0 :
// CHECK: tcgemm.ring.release %[[RING]], %[[LOOP]]#1
// CHECK: tcgemm.epilogue %[[DONE]] {{.*}} maps(%{{.*}}) buffers 2
// CHECK: tcgemm.tma.await
// CHECK: tcgemm.program @cooperative_main_staged({{.*}} may_spill,
// CHECK: tcgemm.epilogue {{.*}} outputs({{.*}} staging 16384
// CHECK-NOT: tcgemm.tma.await
// CHECK: tcgemm.program @cooperative_pack(
tcgemm.kernel @cooperative <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 256, 64], warps = [8, 1, 1], instruction = [64, 256, 16],
  stages = 4, epilogue = tma, persistent = true>}

// -----

// In ping-pong each of two warpgroups has tiles of its own, every other one; it
// passes over the stages of the other's, and waits for its turn to multiply.

// CHECK-LABEL: tcgemm.kernel @pingpong
// CHECK: tcgemm.program @pingpong_main(
// CHECK: tcgemm.ring.create empty_arrivals 4
// CHECK: tcgemm.role producer warps [0, 4] registers 24
// CHECK: tcgemm.role consumer warps [4, 8] registers 240
// CHECK-NOT: tcgemm.warpgroup
// CHECK-NOT: tcgemm.order.arrive
// CHECK: %[[TWO:.*]] = arith.addi %[[STEP:.*]], %[[STEP]]
// CHECK: scf.for {{.*}} step %[[TWO]]
// CHECK: tcgemm.order.wait turn 0 threads 256
// CHECK: tcgemm.mma.async
// CHECK: tcgemm.order.arrive turn 1 threads 256
// CHECK: tcgemm.ring.advance {{.*}} by %[[TILES:.*]] :
// CHECK: tcgemm.epilogue
// The second starts behind the first's tile and lets it go first.
// CHECK: tcgemm.role consumer warps [8, 12] registers 240
// CHECK: tcgemm.ring.advance {{.*}} by %[[TILES]] :
// CHECK: tcgemm.order.arrive turn 0 threads 256
// CHECK: scf.for
// CHECK: tcgemm.order.wait turn 1 threads 256
// CHECK: tcgemm.mma.async
// CHECK: tcgemm.order.arrive turn 0 threads 256
// CHECK: tcgemm.epilogue
tcgemm.kernel @pingpong <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 256, 64], warps = [8, 1, 1], instruction = [64, 256, 16],
  stages = 5, persistent = true, pingpong = true>}

// -----

// K is one tile: what the other uses is then one stage, known here. (The verifier
// once took that for an advance of the role's own.)

// CHECK-LABEL: tcgemm.kernel @short_pingpong
// CHECK: tcgemm.program @short_pingpong_main(
// CHECK: tcgemm.role consumer warps [4, 8]
// CHECK: tcgemm.order.arrive turn 1 threads 256
// CHECK: tcgemm.ring.advance {{.*}} by %{{.*}} :
tcgemm.kernel @short_pingpong <1x?x?x40>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 5, persistent = true, pingpong = true>}

// -----

// Two CTAs along M share B: each copies a half of its rows to both. A stage is
// free when the warps of both have left it. The raster is of clusters.

// CHECK-LABEL: tcgemm.kernel @pair
// CHECK: grid = ["min(batch * ceildiv(M, 256) * ceildiv(N, 128) * 1, max(1, sm_count * 1 / 2)) * 2", "1", "1"]
// CHECK-SAME: cluster = [2, 1, 1], threads = 384
// CHECK-SAME: <"A", {{[^>]*}} box = [64, 128]
// CHECK-SAME: <"B", {{[^>]*}} box = [64, 64]
// CHECK: tcgemm.program @pair_main({{.*}} cluster = 2
// CHECK: %[[RANK:.*]] = arith.remui
// CHECK: tcgemm.ring.create empty_arrivals 16 :
// CHECK: tcgemm.tma.load {{.*}} tile 0 row %{{[^ ]*}} :
// CHECK: %[[OWN:.*]] = arith.muli %{{.*}}, %{{.*}}64{{.*}} : i32
// CHECK: tcgemm.tma.load {{.*}} tile 1 row %{{[^ ]*}} multicast 3 :
// No CTA ends while another may still arrive at its barriers.
// CHECK: tcgemm.ring.await_releases
// CHECK-NEXT: }
// CHECK: tcgemm.role consumer
// CHECK: tcgemm.ring.release {{.*}} arrivals 8 multicast 3 :
tcgemm.kernel @pair <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 6, cluster = [2, 1, 1], persistent = true>}

// -----

// Of four CTAs, rank m + 2n, those that differ in n alone share A (ranks 0 and 2)
// and those that differ in m alone B (0 and 1); rank 3 shares nothing with 0.

// CHECK-LABEL: tcgemm.kernel @four
// CHECK: tcgemm.program @four_main({{.*}} cluster = 4
// CHECK: tcgemm.ring.create empty_arrivals 24 :
// CHECK: tcgemm.role producer warps [0, 4] registers 32
// CHECK: tcgemm.tma.load {{.*}} tile 0 row %{{[^ ]*}} multicast 5 :
// CHECK: tcgemm.tma.load {{.*}} tile 1 row %{{[^ ]*}} multicast 3 :
// CHECK: tcgemm.ring.await_releases
// CHECK: tcgemm.role consumer warps [4, 12] registers 232
// CHECK: tcgemm.ring.release {{.*}} arrivals 8 multicast 7 :
tcgemm.kernel @four <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 6, cluster = [2, 2, 1], persistent = true>}

// -----

// B takes the instruction's rows, and comes first; the share of a warpgroup lies
// along N.

// CHECK-LABEL: tcgemm.kernel @swapped
// CHECK: tcgemm.program @swapped_main(%[[B:.*]]: {{.*}} #tcgemm.tensor_map<"B", {{.*}}, %[[A:.*]]: {{.*}} #tcgemm.tensor_map<"A",
// CHECK: tcgemm.ring.create empty_arrivals 8 : <8, mbarrier, [<128 x 64 x bf16, b128>, <16 x 64 x bf16, b128>]>
// CHECK: tcgemm.tma.load %[[B]][{{.*}} tile 0
// CHECK: tcgemm.tma.load %[[A]][{{.*}} tile 1
// CHECK: tcgemm.mma.async {{.*}} tiles 0, 1 row {{.*}} -> <64 x 16, wgmma, in_flight = true>
// CHECK: tcgemm.epilogue {{.*}} transposed
tcgemm.kernel @swapped <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [16, 128, 64], warps = [8, 1, 1], instruction = [64, 16, 16],
  stages = 8, swap_ab = true>}

// -----

// Operands that are not contiguous along k come in boxes of 64 columns; a stage
// of 128 has two parts along k, and as many products in flight.

// CHECK-LABEL: tcgemm.kernel @nt
// CHECK: tcgemm.program @nt_main(
// CHECK: tcgemm.ring.create empty_arrivals 4 : <3, mbarrier, [<64 x 64 x bf16, b128>, <128 x 64 x bf16, b128>, <64 x 64 x bf16, b128>, <128 x 64 x bf16, b128>]>
// CHECK-COUNT-2: tcgemm.tma.load {{.*}} tile {{0|2}} row
// CHECK-COUNT-4: tcgemm.tma.load {{.*}} tile {{1|3}} row
// CHECK: tcgemm.mma.async {{.*}} tiles 0, 1 a_transposed b_transposed
// CHECK: tcgemm.mma.async {{.*}} tiles 2, 3
// CHECK: tcgemm.mma.await %{{.*}} pending 2
tcgemm.kernel @nt <1x?x?x?>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 128], warps = [4, 1, 1], instruction = [64, 128, 16],
  stages = 3, persistent = true>}

// -----

// One CTA a tile, and a slice of k each. Sums go to the workspace; what has fewer
// tiles of k than slices runs whole.

// CHECK-LABEL: tcgemm.kernel @sliced
// CHECK: #tcgemm.variant<"aligned", guard = "{{[^"]*}} && ceildiv(K, 64) >= 3 && out0.stride1 == 1",
// CHECK-SAME: workspace = "{{[^"]*}}", steps = [<@sliced_module::@sliced_main, grid = ["batch * ceildiv(M, 64) * ceildiv(N, 128) * 3", "1", "1"]
// CHECK-SAME: <@sliced_module::@sliced_reduce,
// CHECK-SAME: #tcgemm.variant<"aligned_whole",
// CHECK-SAME: <@sliced_module::@sliced_main_whole, grid = ["batch * ceildiv(M, 64) * ceildiv(N, 128) * 1", "1", "1"]
// CHECK: tcgemm.program @sliced_main(
// The place of the only tile is found before the roles part.
// CHECK: tcgemm.raster
// CHECK: tcgemm.role producer
// CHECK-NOT: tcgemm.raster
// CHECK: tcgemm.role consumer
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.epilogue {{.*}} outputs(%{{.*}} : memref<?xf32, {{.*}} dims ["bmn"]
// CHECK: tcgemm.program @sliced_main_whole(
// CHECK: tcgemm.epilogue
tcgemm.kernel @sliced <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 64], warps = [4, 1, 1], instruction = [64, 128, 16],
  stages = 4, epilogue = tma, split_k = 3>}

// -----

// A CTA of one tile reads its epilogue's inputs ahead of the products, where they and
// the sums are few: what they need is computed there. The box is as wide as without
// inputs. (A second CTA would have room beside this one, and 43 registers for both.)

// CHECK-LABEL: tcgemm.kernel @early
// CHECK: tcgemm.program @early_main(
// CHECK-SAME: tensor_map<<64 x 32 x bf16, b64>>
// CHECK: tcgemm.role consumer
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.ring.wait
// CHECK: tcgemm.epilogue {{.*}} early {
tcgemm.kernel @early <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 32, 64], warps = [4, 1, 1], instruction = [64, 32, 16],
  stages = 4, epilogue = tma>}

// CHECK-LABEL: tcgemm.kernel @too_many
// CHECK: tcgemm.program @too_many_main(
// CHECK: tcgemm.prefetch
// CHECK-NOT: early
// CHECK: tcgemm.program @too_many_main_staged(
tcgemm.kernel @too_many <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16],
  stages = 4, epilogue = tma>}

// -----

// What the epilogue reads for every element is fetched to the L2 while the
// products run; a C that β may leave out only if it is read.

// CHECK-LABEL: tcgemm.kernel @inputs
// CHECK: tcgemm.program @inputs_main(
// CHECK: tcgemm.role producer
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.role consumer
// CHECK: tcgemm.prefetch %{{.*}} at({{.*}}) of({{.*}}) strides({{.*}}) dims "mn" size 64 128 :
// CHECK: tcgemm.ring.wait
// CHECK: tcgemm.epilogue
tcgemm.kernel @inputs <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 64], warps = [4, 1, 1], instruction = [64, 128, 16],
  stages = 4, persistent = true>}

// -----

// What stores without TMA does without pingpong where there is an epilogue, for the
// sake of registers, but not where there is none.

// CHECK-LABEL: tcgemm.kernel @full
// CHECK: #tcgemm.variant<"aligned_staged", {{.*}} config = <schedule = wgmma, cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], stages = 4, epilogue = staged, persistent = true>
tcgemm.kernel @full <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "n">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %bias: bf16):
  %0 = arith.extf %bias : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 4, epilogue = tma, persistent = true, pingpong = true>}

// Two warpgroups cannot share 192 rows.

// CHECK-LABEL: tcgemm.kernel @three_instructions
// CHECK: #tcgemm.variant<"aligned_staged", {{.*}} config = <schedule = wgmma, cta = [192, 64, 64], warps = [8, 1, 1], instruction = [64, 64, 16], epilogue = staged, persistent = true, pingpong = true>
tcgemm.kernel @three_instructions <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "n">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %bias: bf16):
  %0 = arith.extf %bias : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [192, 64, 64], warps = [8, 1, 1], instruction = [64, 64, 16],
  stages = 3, epilogue = tma, persistent = true, pingpong = true>}

// CHECK-LABEL: tcgemm.kernel @full_plain
// CHECK: #tcgemm.variant<"aligned_staged", {{.*}} config = <schedule = wgmma, cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], stages = 4, epilogue = staged, persistent = true, pingpong = true>
tcgemm.kernel @full_plain <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 4, epilogue = tma, persistent = true, pingpong = true>}

// -----

// Or it comes by TMA: each of the two that take turns fills a ring of its own
// before its turn, and reads it after its products.

// CHECK-LABEL: tcgemm.kernel @staged
// CHECK: plan = [
// CHECK-SAME: #tcgemm.variant<"aligned", guard = "{{.*}}in0.base % 16 == 0 && in0.stride0 * 2 % 16 == 0
// CHECK-SAME: <"in0", bf16, base = pointer in0, dims = ["N", "M"], strides = ["in0.stride0 * 2"], box = [64, 64], swizzle = 128
// CHECK-SAME: #tcgemm.variant<"aligned_staged", {{.*}} config = <schedule = wgmma, cta = [64, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], stages = 4, epilogue = staged, persistent = true, pingpong = true>
// CHECK: tcgemm.program @staged_main(
// CHECK: %[[RING:.*]] = tcgemm.ring.create empty_arrivals 4 : <4, mbarrier,
// CHECK: %[[OWN:.*]] = tcgemm.ring.create empty_arrivals 4 : <1, mbarrier, [<128 x 64 x bf16, b128>]>
// CHECK: tcgemm.ring.create empty_arrivals 4 : <1, mbarrier, [<128 x 64 x bf16, b128>]>
// CHECK: tcgemm.role consumer warps [4, 8]
// CHECK: %[[START:.*]] = tcgemm.ring.start %[[RING]]
// CHECK: %[[FIRST:.*]] = tcgemm.ring.start %[[OWN]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]], %[[AT:.*]] = %[[FIRST]])
// CHECK: tcgemm.elect {
// CHECK: %[[W:.*]] = tcgemm.ring.acquire %[[OWN]], %[[AT]]
// CHECK-COUNT-2: tcgemm.tma.load %{{.*}} to %[[OWN]], %[[AT]], %[[W]] tile 0 row
// CHECK: tcgemm.ring.commit %[[OWN]], %[[W]]
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.order.wait
// CHECK: tcgemm.order.arrive
// CHECK: %[[R:.*]] = tcgemm.ring.wait %[[OWN]], %[[AT]]
// CHECK: tcgemm.epilogue {{.*}} staged [0, -1] in %[[OWN]], %[[R]]
// CHECK: tcgemm.ring.release %[[OWN]], %[[R]] arrivals 4
// CHECK: %[[NEXT:.*]] = tcgemm.ring.advance %[[OWN]], %[[AT]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
tcgemm.kernel @staged <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<input, bf16, "n">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16, %bias: bf16):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.addf %acc, %0 : f32
  %2 = arith.extf %bias : bf16 to f32
  %3 = arith.addf %1, %2 : f32
  %4 = arith.truncf %3 : f32 to bf16
  tcgemm.yield %4 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  stages = 4, epilogue = tma, persistent = true, pingpong = true,
  stage_inputs = true>}
