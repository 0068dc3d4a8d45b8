// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file \
// RUN:   | tcgemm-opt --split-input-file | FileCheck %s

// With shared = sectors an operand's copies and fragments agree on the rows that
// are turned: the loader gets the run-time place of its first row's copies, and
// the fragments come from the loader. Slices of k differ by whole tiles, which
// are whole sectors, so that K alone counts beside the batch.

// CHECK: tcgemm.program @tt_main(
// CHECK-DAG: %[[K:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK-DAG: %[[BATCH:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: %[[PHASE:.*]] = arith.addi %[[K]], %[[BATCH]] : i64
// CHECK: %[[A:.*]] = tcgemm.loader.create {{.*}} phase %[[PHASE]] : {{.*}} -> <<64 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
// B's rows run along n and keep the plain swizzle.
// CHECK: tcgemm.loader.create
// CHECK-NOT: phase
// CHECK-SAME: -> <<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = false, threads = 128>
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 0 transposed false from %[[A]](!tcgemm.loader<<64 x 64 x bf16, sectors>,
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 0 transposed true :

// The loads of the next k-step come before the copies of this one.
// CHECK: scf.for
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 1
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 1
// CHECK: tcgemm.loader.copy {{.*}} tile 0 part 0 of 3
// CHECK: tcgemm.mma
tcgemm.kernel @tt <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bkn">,
     #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [64, 64, 64], split_k = 2, shared = sectors>}

// -----

// CHECK: tcgemm.program @copies_first_main(
// CHECK: scf.for
// CHECK: tcgemm.loader.copy {{.*}} tile 0 part 0 of 3
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 1
tcgemm.kernel @copies_first <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [64, 64, 64], loads_first = false>}
