// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file | FileCheck %s

// B is numbers as blocks. A stage holds the numbers, which are half as many rows as the blocks have.

// Rows run along k: 16 k of a tile are 8 rows of numbers, of which the copies count whole ones. A packed B holds numbers,
// too: half of K rows.
// CHECK: tcgemm.variant<"pack_b"
// CHECK-SAME: workspace = "0 + ceildiv(8 * (1 * ceildiv(ceildiv(K, 2) * 2, 2)) *
// CHECK: tcgemm.program @rows_main(
// CHECK: %[[B:.*]] = tcgemm.loader.create {{.*}} -> <<8 x 64 x f64, xor>, bytes = 16, k_contiguous = false, threads = 128>
// CHECK: tcgemm.ring.create : <3, cp_async, [<64 x 16 x f64, xor>, <8 x 64 x f64, xor>]>
// CHECK: %[[VALID:.*]] = arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: tcgemm.loader.copy %[[B]], {{.*}} tile 1 part 0 of 1 k_valid %[[VALID]]
// CHECK: tcgemm.loader.advance %[[B]], {{.*}} by %c8_i32
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 0 transposed false :
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 0 transposed true representation <{{\[\[}}1, 2], [-2, 1]]> : {{.*}} -> <b, 32 x 4 x f64>
tcgemm.kernel @rows <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 16], instruction = [16, 8, 4]>}

// -----

// Rows run along n: the CTA's first row of numbers, and their number, are half of N's.
// CHECK: tcgemm.program @columns_main(
// CHECK: tcgemm.loader.create
// CHECK: %[[FIRST:.*]] = arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: %[[COUNT:.*]] = arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: %[[B:.*]] = tcgemm.loader.create {{.*}} at %[[FIRST]] of %[[COUNT]] phase {{.*}} -> <<32 x 16 x f64, sectors>, bytes = 16, k_contiguous = true, threads = 128>
// CHECK: tcgemm.loader.advance %[[B]], {{.*}} by %c16_i32
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 0 transposed false from %[[B]]({{.*}}) representation <{{\[\[}}1, -2], [2, 1]]> :
tcgemm.kernel @columns <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "nk", representation = <[[1, -2], [2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 16], instruction = [16, 8, 4], shared = sectors>}

// -----

// Without blocks the same kernel has all rows.
// CHECK: tcgemm.program @plain_main(
// CHECK: tcgemm.loader.create {{.*}} -> <<16 x 64 x f64, xor>, bytes = 16, k_contiguous = false, threads = 128>
// CHECK-NOT: representation
// CHECK: tcgemm.fragment.load {{.*}} tile 1 k_step 0 transposed true :
tcgemm.kernel @plain <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn">, #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 16], instruction = [16, 8, 4]>}
