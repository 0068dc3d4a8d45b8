// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file \
// RUN:   | FileCheck %s

// Run-time sizes, K contiguous on both sides: the plan has a way for every
// problem, from K = 0 to operands that no copy can read where they are.

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK: tcgemm.kernel @tn
// CHECK: plan = [#tcgemm.variant<"empty_k", guard = "K == 0{{[^"]*}}", config = <{{[^>]*}}>, workspace = "0",
// CHECK-SAME: steps = [<@tn_module::@tn_reduce, grid = ["batch * M * ceildiv(N, 128)", "1", "1"]
// CHECK-SAME: i32 "0"
// CHECK-SAME: #tcgemm.variant<"aligned", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0 && K % 8 == 0{{[^"]*}}",
// CHECK-SAME: workspace = "0", steps = [<@tn_module::@tn_main, grid = ["batch * ceildiv(M, 64) * ceildiv(N, 64) * 1", "1", "1"], threads = 128, shared_memory = 24576,
// Small tiles have registers for the reciprocals of the raster's divisions.
// CHECK-SAME: arguments = [i32 "M", i32 "N", i64 "ceildiv(4611686018427387904, ceildiv(N, 64) * 8)", i64 "ceildiv(4611686018427387904, (ceildiv(M, 64) - 1) % 8 + 1)",
// CHECK-SAME: i64 "A.stride0", pointer A, i64 "B.stride0", pointer B, i32 "K", pointer out0, i64 "out0.stride0"]>]>
// B alone is copied; the main program reads it in the workspace, K padded.
// CHECK-SAME: #tcgemm.variant<"pack_b", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && K % 8 == 0{{[^"]*}}",
// CHECK-SAME: workspace = "0 + ceildiv(2 * (1 * N) * (ceildiv(K, 8) * 8), 256) * 256",
// CHECK-SAME: steps = [<@tn_module::@tn_pack, grid = ["1 * ceildiv(N, select(K <= 128, 32, 8)) * ceildiv(K, 1024)", "1", "1"], threads = 256, shared_memory = 0, arguments = [i32 "0",
// CHECK-SAME: <@tn_module::@tn_main,
// CHECK-SAME: pointer A, i64 "ceildiv(K, 8) * 8", workspace "0", i32 "ceildiv(K, 8) * 8",
// CHECK-SAME: #tcgemm.variant<"pack_a", guard = "B.stride1 == 1
// CHECK-SAME: <@tn_module::@tn_pack, grid = ["{{[^"]*}}", "1", "1"], threads = 256, shared_memory = 0, arguments = [i32 "1 * ceildiv(M, select(K <= 128, 32, 8)) * ceildiv(K, 1024)", pointer A, pointer B, workspace "0",
// The last one takes everything, and packs it by one launch.
// CHECK-SAME: #tcgemm.variant<"pack_ab", guard = "{{(1|out0[^"]*)}}",
// CHECK-SAME: steps = [<@tn_module::@tn_pack, grid = ["1 * ceildiv(M, {{[^+]*}} + 1 * ceildiv(N, {{[^"]*}}",
// CHECK-SAME: workspace "0", workspace "0 + ceildiv(2 * (1 * M) * (ceildiv(K, 8) * 8), 256) * 256"
// CHECK-SAME: <@tn_module::@tn_main,

// CHECK: gpu.module @tn_module
// CHECK: tcgemm.program @tn_reduce(
// CHECK-SAME: {tcgemm.binding = #tcgemm.binding<workspace "partials">}, %{{.*}}: i32 {tcgemm.binding = #tcgemm.binding<i32 "slices">}
// CHECK: %[[SUM:.*]] = tcgemm.acc.gather {{.*}} -> <1 x 1, row>
// CHECK: tcgemm.epilogue %[[SUM]]

// CHECK: tcgemm.program @tn_main(%[[M:[^:]*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">}, %[[N:.*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "N">},
// CHECK-SAME: %[[BAND:[^:]*]]: i64 {{[^%]*}}(N, 64) * 8)">}, %[[LAST:[^:]*]]: i64 {{.*}}(M, 64) - 1) % 8 + 1)">},
// CHECK-SAME: %[[LDA:[^:]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "A.stride0">}, %[[A:.*]]: memref<?xbf16, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer A>}
// CHECK: tcgemm.raster {{.*}} along_m true group 8 slices_inner false batched false reciprocals(%[[BAND]], %[[LAST]])
// CHECK: %[[LA:.*]] = tcgemm.loader.create %[[A]] stride %[[LDA]] at %{{.*}} of %[[M]] : {{.*}} -> <<64 x 32 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
// CHECK: %[[LB:.*]] = tcgemm.loader.create
// The residue of K is in the first tile; two stages of three are filled.
// CHECK: %[[WHOLE:.*]] = arith.muli
// CHECK: %[[RESIDUE:.*]] = arith.subi %{{.*}}, %[[WHOLE]]
// CHECK: %[[RING:.*]] = tcgemm.ring.create : <3, cp_async, [<64 x 32 x bf16, xor>, <64 x 32 x bf16, xor>]>
// CHECK: tcgemm.acc.zero : <32 x 32, mma_sync>
// CHECK: tcgemm.loader.copy %[[LA]], {{.*}} tile 0 part 0 of 1 k_valid %[[RESIDUE]]
// CHECK: tcgemm.loader.copy %[[LB]], {{.*}} tile 1 part 0 of 1 k_valid %[[RESIDUE]]
// CHECK: tcgemm.loader.copy %[[LA]], {{.*}} tile 0 part 0 of 1 :
// CHECK: tcgemm.ring.wait %[[RING]], {{.*}} pending 1
// CHECK: tcgemm.fragment.load {{.*}} k_step 0 transposed false {{.*}} -> <a, 32 x 16 x bf16>
// CHECK: tcgemm.fragment.load {{.*}} k_step 0 transposed false {{.*}} -> <b, 32 x 16 x bf16>
// CHECK: %[[LOOP:.*]]:9 = scf.for
// CHECK: tcgemm.fragment.load {{.*}} k_step 1
// CHECK: tcgemm.ring.commit
// CHECK: tcgemm.mma
// The turn-over stands before the first load from the next stage.
// CHECK: tcgemm.ring.release
// CHECK: tcgemm.ring.wait {{.*}} pending 1
// CHECK: tcgemm.fragment.load {{.*}} k_step 0
// CHECK: tcgemm.mma
// CHECK: scf.yield
// Nothing is in flight, and the direct stores leave the ring's memory alone.
// CHECK: tcgemm.ring.drain %[[RING]], %[[LOOP]]#1, %[[LOOP]]#6 landed ordered
// CHECK: tcgemm.epilogue %[[LOOP]]#0 at{{.*}} of(%[[M]], %[[N]])
// CHECK-NOT: staging
// CHECK: arith.truncf
// CHECK: tcgemm.return

// One program packs A and B; see schedule-pack.mlir.
// CHECK: tcgemm.program @tn_pack(
// CHECK-NOT: tcgemm.program
tcgemm.kernel @tn <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], stages = 3>}

// -----

// Large tiles need these registers for their sums: the raster divides.

// CHECK-LABEL: tcgemm.kernel @large
// CHECK: tcgemm.program @large_main(
// CHECK: tcgemm.raster {{.*}} batched false{{$}}
tcgemm.kernel @large <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [128, 128, 32]>}

// -----

// Neither side is contiguous along k: k need not be padded, nor be a multiple
// of anything, and the fragments are loaded transposed.

// CHECK-LABEL: tcgemm.kernel @nt
// CHECK: "aligned", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0{{[^"]*}}",
// CHECK-SAME: "pack_ab", guard = "{{[^"]*}}", config = <{{[^>]*}}>, workspace = "0 + ceildiv(2 * (1 * K) * (ceildiv(M, 8) * 8), 256) * 256 + ceildiv(2 * (1 * K) * (ceildiv(N, 8) * 8), 256) * 256"
// CHECK: tcgemm.program @nt_main
// CHECK: tcgemm.loader.create {{.*}} -> <<32 x 64 x f16, pad>, bytes = 16, k_contiguous = false, threads = 128>
// CHECK: tcgemm.fragment.load {{.*}} transposed true
tcgemm.kernel @nt <1x?x?x?>
    [#tcgemm.operand<a, f16, "km">, #tcgemm.operand<b, f16, "kn">,
     #tcgemm.operand<output, f16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to f16
  tcgemm.yield %0 : f16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], shared = pad>}

// -----

// Split-K: the main program stores f32 slices to the workspace, the reduction
// adds them and runs the epilogue, which the main program does not hold.

// CHECK-LABEL: tcgemm.kernel @split
// CHECK: "aligned",
// CHECK-SAME: workspace = "0 + 4 * 4 * batch * M * N",
// CHECK-SAME: steps = [<@split_module::@split_main, grid = ["batch * ceildiv(M, 64) * ceildiv(N, 64) * 4", "1", "1"]
// CHECK-SAME: workspace "0"]>,
// CHECK-SAME: <@split_module::@split_reduce, {{.*}} workspace "0", i32 "4", pointer in0, pointer out0, i64 "out0.stride0"]>]>
// Behind a packed operand the slices start where it ends.
// CHECK-SAME: "pack_a"
// CHECK-SAME: workspace = "0 + ceildiv(2 * (1 * M) * (ceildiv(K, 8) * 8), 256) * 256 + 4 * 4 * batch * M * N"
// CHECK: tcgemm.program @split_reduce
// CHECK: tcgemm.acc.gather
// CHECK: tcgemm.epilogue {{.*}} inputs({{.*}}) outputs
// CHECK: arith.addf
// CHECK: tcgemm.program @split_main
// CHECK: tcgemm.raster {{.*}} slices %{{.*}} slices_inner true
// CHECK: tcgemm.epilogue {{.*}} outputs({{.*}} : memref<?xf32, {{.*}}) {{.*}} dims ["bmn"]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: tcgemm.yield %[[X]]
tcgemm.kernel @split <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">,
     #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %bias: f32):
  %0 = arith.addf %acc, %bias : f32
  tcgemm.yield %0 : f32
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], split_k = 4, slice_order = inner>}

// -----

// A static K that 8 does not divide rules the 16-byte copies out; the narrower
// ones that `unaligned` names come before the packing.

// CHECK-LABEL: tcgemm.kernel @k20
// CHECK-NOT: "empty_k"
// CHECK-NOT: "aligned"
// CHECK: plan = [#tcgemm.variant<"copy_8", guard = "A.stride1 == 1 && A.base % 8 == 0 && A.stride0 % 4 == 0 && B.stride1 == 1 && B.base % 8 == 0 && B.stride0 % 4 == 0 && K % 4 == 0{{[^"]*}}",
// CHECK-SAME: copy_a = 8, copy_b = 8
// CHECK-SAME: steps = [<@k20_module::@k20_copy_8,
// CHECK-NOT: "pack_a",
// CHECK-NOT: "pack_b",
// CHECK-SAME: #tcgemm.variant<"pack_ab", guard = "{{(1|out0[^"]*)}}",
// The packed operands have 24 columns: K is that to the main program.
// CHECK: tcgemm.program @k20_main
// CHECK: arith.constant 24 : i32
// CHECK: tcgemm.program @k20_copy_8
// CHECK: bytes = 8
tcgemm.kernel @k20 <1x?x?x20>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], unaligned = copy_8>}

// -----

// An odd K rules the 4-byte copies out too.

// CHECK-LABEL: tcgemm.kernel @k21
// CHECK: plan = [#tcgemm.variant<"pack_ab", guard = "{{(1|out0[^"]*)}}",
// CHECK-NOT: copy_4
tcgemm.kernel @k21 <1x?x?x21>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], unaligned = pack>}

// -----

// CHECK-LABEL: tcgemm.kernel @copy_4
// CHECK: "aligned"
// CHECK-SAME: #tcgemm.variant<"copy_4", guard = "A.stride1 == 1 && A.base % 4 == 0 && A.stride0 % 2 == 0 && B.stride1 == 1 && B.base % 4 == 0 && B.stride0 % 2 == 0 && K % 2 == 0{{[^"]*}}",
// CHECK-SAME: "pack_b"
// CHECK: tcgemm.program @copy_4_copy_4
// CHECK: bytes = 4
tcgemm.kernel @copy_4 <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], unaligned = copy_4>}

// -----

// Registers take any address; only the innermost stride must be 1.

// CHECK-LABEL: tcgemm.kernel @registers
// CHECK: #tcgemm.variant<"registers", guard = "A.stride1 == 1 && B.stride1 == 1{{[^"]*}}", {{.*}}copy_a = 2, copy_b = 2
// CHECK: tcgemm.program @registers_registers
// CHECK: bytes = 2
tcgemm.kernel @registers <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], unaligned = registers>}

// -----

// Batches: those of A have a stride, that must be aligned too; B has none and
// is the same for all.

// CHECK-LABEL: tcgemm.kernel @batch
// CHECK: "aligned", guard = "A.stride2 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && A.stride1 % 8 == 0 && B.stride1 == 1
// CHECK-SAME: "pack_a", guard = "{{[^"]*}}", config = <{{[^>]*}}>, workspace = "0 + ceildiv(2 * (batch * M) * (ceildiv(K, 8) * 8), 256) * 256"
// CHECK-SAME: i64 "M * (ceildiv(K, 8) * 8)"
// CHECK: tcgemm.program @batch_main
// CHECK-SAME: %[[STRIDE:[^ ]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "A.stride0">}
// CHECK: %[[B:.*]], %{{.*}}, %{{.*}}, %{{.*}} = tcgemm.raster
// CHECK-NOT: batched false
// CHECK: %[[WIDE:.*]] = arith.extui %[[B]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[WIDE]], %[[STRIDE]]
// CHECK: tcgemm.loader.start %{{.*}} batch %[[OFFSET]]
tcgemm.kernel @batch <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "bmn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32]>}

// -----

// A sum over nothing is the epilogue of zero, and nothing else.

// CHECK-LABEL: tcgemm.kernel @k0
// CHECK: plan = [#tcgemm.variant<"empty_k", guard = "K == 0{{[^"]*}}",
// CHECK-NOT: #tcgemm.variant
// CHECK: tcgemm.program @k0_reduce
// CHECK-NOT: tcgemm.program
tcgemm.kernel @k0 <1x?x?x0>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32]>}

// -----

// Warps that split k: each reads its own half of a stage's steps; those with
// warp_k = 0 hold the sum and store it. The one k-tile is copied ahead of the
// loop, which copies nothing.

// CHECK-LABEL: tcgemm.kernel @warps_k
// CHECK: tcgemm.program @warps_k_main
// CHECK: tcgemm.fragment.load {{.*}} warp %{{.*}}, %[[K:.*]] tile 0 k_step 0 transposed false warps_k 2
// CHECK: scf.for
// CHECK-NOT: tcgemm.loader.copy
// CHECK: tcgemm.ring.drain {{.*}} landed{{( ordered)?}} :
// CHECK: %[[SUM:.*]] = tcgemm.acc.reduce %{{.*}} over %[[K]] of 2
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]],
// CHECK: scf.if %[[FIRST]]
// CHECK: tcgemm.epilogue %[[SUM]]
// CHECK-SAME: staging 5120
tcgemm.kernel @warps_k <1x?x?x64>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80",
  config = #tcgemm.config<cta = [64, 64, 64], warps = [1, 2, 2], epilogue = staged>}

// -----

// The copies of a stage are spread over its k-steps; with three sets of
// fragments, two k-steps are loaded ahead.

// CHECK-LABEL: tcgemm.kernel @spread
// CHECK: tcgemm.program @spread_main
// CHECK-SAME: max_registers = 128 : i64, min_ctas = 2 : i64
// CHECK: scf.for
// CHECK: tcgemm.fragment.load {{.*}} k_step 2
// CHECK: tcgemm.loader.copy {{.*}} tile 0 part 0 of 2
// CHECK: tcgemm.mma
// CHECK: tcgemm.fragment.load {{.*}} k_step 3
// CHECK: tcgemm.loader.copy {{.*}} tile 0 part 1 of 2
// CHECK: tcgemm.ring.commit
// CHECK: tcgemm.mma
// CHECK: tcgemm.ring.release
// CHECK: tcgemm.ring.wait
// CHECK: tcgemm.fragment.load {{.*}} k_step 0
// CHECK: tcgemm.mma
// CHECK: tcgemm.fragment.load {{.*}} k_step 1
// CHECK: tcgemm.mma
// CHECK: scf.yield
tcgemm.kernel @spread <1x?x?x640>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 64], fragment_buffers = 3,
  min_ctas = 2, max_registers = 128>}
