// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s

// The first blocks pack A, the others B: what differs is selected once. Short
// rows are eight lanes' each, long ones a warp's.

// CHECK-LABEL: tcgemm.kernel @tn
// CHECK: tcgemm.program @tn_pack(%[[BLOCKS:.*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "blocks_a">}, %[[A:.*]]: memref<?xbf16, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer A>}, %[[B:.*]]: memref<?xbf16, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer B>}, %[[PACKED_A:.*]]: memref<?xbf16, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<workspace "packed_a">}, %[[PACKED_B:.*]]: memref<?xbf16, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<workspace "packed_b">}, %[[K:.*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "K">}, %[[M:.*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">}, %[[N:.*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "N">},
// CHECK-SAME: %[[INNER_A:[^ ]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "A.stride1">}, %[[INNER_B:[^ ]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "B.stride1">}) {{.*}}threads = 256
// CHECK: %[[IS_B:.*]] = arith.cmpi uge, %{{.*}}, %[[BLOCKS]]
// CHECK: %[[SOURCE:.*]] = arith.select %[[IS_B]], %[[B]], %[[A]]
// CHECK: %[[PACKED:.*]] = arith.select %[[IS_B]], %[[PACKED_B]], %[[PACKED_A]]
// CHECK: %[[ROWS:.*]] = arith.select %[[IS_B]], %[[N]], %[[M]]
// CHECK: %[[LIMIT:.*]] = arith.constant 128 : i32
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %[[K]], %[[LIMIT]]
// The one division but by powers of two.
// CHECK: arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: arith.divui
// CHECK-NOT: arith.divui %{{.*}}, %{{.*}} : i64
// CHECK: scf.if
// CHECK: %[[INNER:.*]] = arith.select %[[IS_B]], %[[INNER_B]], %[[INNER_A]]
// CHECK: arith.cmpi eq, %[[INNER]]
// CHECK: scf.if
// All loads, the ends of the row, then the stores of what is shifted.
// CHECK: memref.extract_aligned_pointer_as_index %[[SOURCE]]
// CHECK-COUNT-8: vector.load %[[SOURCE]]{{.*}} vector<8xbf16>
// CHECK-NOT: vector.load
// CHECK: scf.if
// CHECK: %[[END:.*]] = memref.load %[[SOURCE]]
// CHECK: %[[MASKED:.*]] = arith.select %{{.*}}, %[[END]], %{{.*}} : bf16
// CHECK: memref.store %[[MASKED]], %[[PACKED]]
// CHECK: scf.if
// CHECK-COUNT-11: arith.select
// CHECK-COUNT-4: arith.shrui
// CHECK: vector.store {{.*}} vector<8xbf16>
// CHECK-COUNT-3: vector.store
// Element by element, with any stride.
// CHECK: } else {
// CHECK: scf.for
// CHECK-COUNT-8: memref.load %[[SOURCE]]
// CHECK-NOT: memref.load
// CHECK: vector.store {{.*}} vector<8xbf16>
// CHECK-NOT: tcgemm.program
tcgemm.kernel @tn <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32]>}

// -----

// B has rows of zeros up to the K that A's padding makes: they are bound to what
// the launch has of them. A has no batch.

// CHECK-LABEL: tcgemm.kernel @tt
// CHECK: plan = [
// CHECK-SAME: "pack_ab"
// CHECK-SAME: i32 "ceildiv(K, 8) * 8"
// CHECK: tcgemm.program @tt_pack(
// CHECK-SAME: %[[N:[^ ]*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "N">}
// CHECK-SAME: %[[ROWS_B:[^ ]*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "rows_b">}
// CHECK: arith.select %{{.*}}, %[[ROWS_B]], %{{.*}} : i32
// CHECK: scf.if
// CHECK-COUNT-4: arith.shrui
// Each stored word, but for rows that are there.
// CHECK-COUNT-4: arith.select
// CHECK: vector.store
tcgemm.kernel @tt <?x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "bkn">,
     #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32]>}

// -----

// Vectors of four elements of f32, which need no shifts inside of words; neither
// operand has rows that are padding.

// CHECK-LABEL: tcgemm.kernel @simt
// CHECK: select(M <= 64, 32, 8)
// CHECK-SAME: ceildiv(M, 512)
// CHECK: tcgemm.program @simt_pack(
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK-COUNT-8: vector.load {{.*}} vector<4xf32>
// CHECK: memref.store
// CHECK-NOT: arith.ori
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK: scf.for
// CHECK-COUNT-4: memref.load
// CHECK-NOT: memref.load
// CHECK: tcgemm.return
tcgemm.kernel @simt <1x?x?x?>
    [#tcgemm.operand<a, f32, "km">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80",
    config = #tcgemm.config<schedule = simt, cta = [64, 64, 16], threads = [16, 16, 1], unaligned = pack>}
