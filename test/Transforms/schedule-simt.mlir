// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file \
// RUN:   | FileCheck %s

// The ring is that of mma_sync. Where rows run along k, elements are turned on
// their way to shared memory: such an operand needs no alignment, and K none.

// CHECK-LABEL: tcgemm.kernel @turned
// CHECK: plan = [#tcgemm.variant<"empty_k"
// CHECK-SAME: #tcgemm.variant<"aligned", guard = "A.stride1 == 1 && B.stride1 == 1 && out0.stride1 == 1", config
// CHECK-SAME: grid = ["batch * ceildiv(M, 128) * ceildiv(N, 64) * 1", "1", "1"], threads = 128, shared_memory = 19200,
// What nothing needs to be copied narrower for has no such variant.
// CHECK-NOT: "copy_4"
// CHECK-SAME: #tcgemm.variant<"pack_b", guard = "A.stride1 == 1 &&
// CHECK-SAME: "1 * ceildiv(N, select(K <= 64, 32, 8)) * ceildiv(K, 512)"
// CHECK-SAME: workspace = "0 + ceildiv(4 * (1 * M) * (ceildiv(K, 8) * 8), 256) * 256 + ceildiv(4
// CHECK: tcgemm.program @turned_main
// A warp is 4 x 8 threads, all in a row of 4 warps.
// CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32_i32
// CHECK: tcgemm.loader.create {{.*}} -> <<8 x 128 x f32, pad>, bytes = 4, k_contiguous = true, threads = 128, transposed = true>
// CHECK: tcgemm.loader.create {{.*}} -> <<8 x 64 x f32, pad>, bytes = 4, k_contiguous = true, threads = 128, transposed = true>
// CHECK: tcgemm.ring.create : <3, cp_async, [<8 x 128 x f32, pad>, <8 x 64 x f32, pad>]>
// CHECK: tcgemm.acc.zero : <8 x 8, simt runs = [4, 64, 4, 32]>
// CHECK: scf.for
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 1 transposed true {{.*}} -> <a, 8 x 1 x f32, runs = [4, 64]>
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 1 transposed true {{.*}} -> <b, 8 x 1 x f32, runs = [4, 32]>
// CHECK: tcgemm.mma
// CHECK: tcgemm.fragment.load {{.*}} k_step 7
// CHECK: tcgemm.ring.wait {{.*}} pending 1
// CHECK: tcgemm.epilogue
// CHECK: } : <8 x 8, simt runs = [4, 64, 4, 32]>
tcgemm.kernel @turned <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [128, 64, 8],
              threads = [16, 8, 1], stages = 3, unaligned = copy_4>}

// -----

// Where rows run along m and n they are copied as they lie: 16 bytes, or 4 where
// that cannot be. A thread with six rows has them in pairs.
// CHECK-LABEL: tcgemm.kernel @straight
// CHECK: #tcgemm.variant<"aligned", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 4 == 0 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 4 == 0 && out0.stride1 == 1"
// CHECK-SAME: #tcgemm.variant<"copy_4", guard = "A.stride1 == 1 && B.stride1 == 1 && out0
// CHECK: tcgemm.program @straight_main
// CHECK: tcgemm.loader.create {{.*}} -> <<16 x 96 x f32, none>, bytes = 16, k_contiguous = false, threads = 384>
// CHECK: tcgemm.acc.zero : <6 x 4, simt runs = [2, 32, 4, 96]>
// CHECK: tcgemm.program @straight_copy_4
// CHECK: tcgemm.loader.create {{.*}} -> <<16 x 96 x f32, none>, bytes = 4, k_contiguous = false, threads = 384>
tcgemm.kernel @straight <1x?x?x?>
    [#tcgemm.operand<a, f32, "km">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [96, 96, 16],
              threads = [16, 24, 1], unaligned = copy_4>}

// -----

// Not turned: a step is four k, rows are a thread's apart, and K is a multiple of
// what a copy moves.
// CHECK-LABEL: tcgemm.kernel @not_turned
// CHECK: #tcgemm.variant<"aligned", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 4 == 0 && {{.*}} && K % 4 == 0
// CHECK: tcgemm.program @not_turned_main
// CHECK: tcgemm.loader.create {{.*}} -> <<64 x 16 x f32, pad>, bytes = 16, k_contiguous = true, threads = 256>
// CHECK: tcgemm.loader.create {{.*}} -> <<16 x 64 x f32, none>, bytes = 16, k_contiguous = false, threads = 256>
// CHECK: tcgemm.acc.zero : <4 x 4, simt runs = [1, 16, 4, 64]>
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 3 transposed false {{.*}} -> <a, 4 x 4 x f32, runs = [1, 16]>
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 3 transposed true {{.*}} -> <b, 4 x 4 x f32, runs = [4, 64]>
tcgemm.kernel @not_turned <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [64, 64, 16],
              transpose_staging = false>}

// -----

// A warp may be any 32 threads of a rectangle, and K's part odd. Slices of k leave
// partial results.
// CHECK-LABEL: tcgemm.kernel @odd
// CHECK: "batch * ceildiv(M, 20) * ceildiv(N, 128) * 2"
// CHECK: tcgemm.program @odd_main({{.*}}workspace "partials"
// CHECK: tcgemm.acc.zero : <4 x 4, simt runs = [4, 20, 4, 128]>
tcgemm.kernel @odd <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [20, 128, 5],
              threads = [5, 32, 1], split_k = 2>}

// -----

// Steps of 16 bytes along k. B's rows run along n: it is packed along k first.
// CHECK-LABEL: tcgemm.kernel @bytes
// CHECK-NOT: #tcgemm.variant<"aligned"
// CHECK: #tcgemm.variant<"pack_b", guard = "A.stride1 == 1 && {{.*}}A.base % 16 == 0 && A.stride0 % 16 == 0 && K % 16 == 0
// CHECK: tcgemm.program @bytes_main
// CHECK: tcgemm.loader.create {{.*}} -> <<64 x 32 x i8, pad>, bytes = 16, k_contiguous = true, threads = 256>
// CHECK: tcgemm.loader.create {{.*}} -> <<64 x 32 x ui8, pad>, bytes = 16, k_contiguous = true, threads = 256>
// CHECK: tcgemm.acc.zero : <4 x 4 of i32, simt runs = [1, 16, 1, 16]>
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 1 transposed false {{.*}} -> <a, 4 x 16 x i8, runs = [1, 16]>
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 1 transposed false {{.*}} -> <b, 4 x 16 x ui8, runs = [1, 16]>
tcgemm.kernel @bytes <1x?x?x?>
    [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, ui8, "kn">,
     #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  tcgemm.yield %acc : i32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [64, 64, 32],
              transpose_staging = false>}

// -----

// Four groups of threads split each k-tile, which has one stage: the copies of a
// tile follow the barrier of the acquire, and a group multiplies 4 of its 16 k.
// CHECK-LABEL: tcgemm.kernel @groups
// The sums of three groups of 64 threads take the ring's memory, and more.
// CHECK: #tcgemm.variant<"aligned", {{.*}} threads = 256, shared_memory = 49152,
// CHECK: tcgemm.program @groups_main
// CHECK: %[[RING:.*]] = tcgemm.ring.create : <1, cp_async, [<16 x 64 x f32, none>, <16 x 64 x f32, none>]>
// CHECK: scf.for {{.*}} iter_args
// CHECK: tcgemm.ring.acquire
// CHECK-NEXT: tcgemm.loader.copy
// CHECK-NEXT: tcgemm.loader.copy
// CHECK-NEXT: tcgemm.ring.commit
// CHECK-NEXT: tcgemm.ring.wait {{.*}} : !tcgemm.token<in_flight> :
// CHECK-NEXT: tcgemm.fragment.load {{.*}}, %[[GROUP:[0-9]+]] tile 0 k_step 0 transposed true warps_k 4
// CHECK-COUNT-7: tcgemm.fragment.load {{.*}}, %[[GROUP]] tile {{.*}} warps_k 4
// CHECK-NOT: tcgemm.fragment.load
// CHECK: tcgemm.ring.release
// CHECK: tcgemm.ring.drain %[[RING]]
// CHECK-NOT: ordered
// CHECK: tcgemm.acc.reduce %{{.*}} over %[[GROUP]] of 4 through %[[RING]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[GROUP]], %c0_i32
// CHECK: scf.if %[[FIRST]]
// CHECK: tcgemm.epilogue
tcgemm.kernel @groups <1x?x?x?>
    [#tcgemm.operand<a, f32, "km">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [64, 64, 16],
              threads = [8, 8, 4], stages = 1>}

// -----

// B straight from global memory: the ring has A's tile alone. Elsewhere both are
// copied.
// CHECK-LABEL: tcgemm.kernel @fetched
// CHECK: #tcgemm.variant<"fetch", guard = "K % 16 == 0 && N % 4 == 0 && A.stride1 == 1 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 4 == 0
// CHECK-SAME: #tcgemm.variant<"aligned"
// CHECK: tcgemm.program @fetched_fetch
// CHECK: tcgemm.ring.create : <3, cp_async, [<16 x 64 x f32, pad>]>
// CHECK: tcgemm.fragment.fetch {{.*}} transposed {{.*}} -> <b, 4 x 1 x f32, runs = [4, 64]>
// CHECK: tcgemm.program @fetched_main
// CHECK-NOT: tcgemm.fragment.fetch
tcgemm.kernel @fetched <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [64, 64, 16],
              threads = [16, 16, 1], stage_b = false>}

// -----

// A static K or N that has no whole tiles or runs has no such variant.
// CHECK-LABEL: tcgemm.kernel @not_fetched
// CHECK-NOT: "fetch"
// CHECK: #tcgemm.variant<"pack_b"
tcgemm.kernel @not_fetched <1x64x63x32>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [64, 64, 16],
              threads = [16, 16, 1], stage_b = false>}

// -----

// Nine copies of a row of 36 elements: three of each of three threads.
// CHECK-LABEL: tcgemm.kernel @row_copies
// CHECK: tcgemm.loader.create {{.*}} -> <<64 x 36 x f32, none>, bytes = 16, k_contiguous = false, threads = 192 row_copies = 3>
// CHECK: tcgemm.loader.create {{.*}} -> <<64 x 48 x f32, none>, bytes = 16, k_contiguous = false, threads = 192>
// CHECK: tcgemm.acc.zero : <3 x 3, simt runs = [1, 12, 1, 16]>
tcgemm.kernel @row_copies <1x?x?x?>
    [#tcgemm.operand<a, f32, "km">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt, cta = [36, 48, 64],
              threads = [12, 16, 1], row_copies_a = 3>}
