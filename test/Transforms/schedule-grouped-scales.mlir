// RUN: tcgemm-opt %s -tcgemm-configure="chip=sm_90a" -tcgemm-schedule | FileCheck %s

// The scales of B start at the matrix of the tile's group, and those of A at the tile's
// row among the rows of all groups.

// CHECK-LABEL: tcgemm.program @scaled_main(
// CHECK-SAME:    %[[M:[^ ]*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">}
// CHECK-SAME:    %[[SA:[^ ]*]]: memref<?xf32, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer scaleA>}
// CHECK-SAME:    %[[SB:[^ ]*]]: memref<?xf32, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer scaleB>}
// CHECK-SAME:    %[[MATRIX:[^ ]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "scaleB.stride0">}
// CHECK:         tcgemm.role consumer
// CHECK:           %[[GROUP:.*]], %{{.*}}, %[[START:.*]], %{{.*}} = tcgemm.group_locate
// CHECK:           %[[ROW:.*]] = arith.addi %{{.*}}, %[[START]] : i32
// CHECK:           arith.extui %[[GROUP]] : i32 to i64
// CHECK:           %[[WIDE:.*]] = arith.extui %[[GROUP]] : i32 to i64
// CHECK-NEXT:      %[[OFFSET:.*]] = arith.muli %[[WIDE]], %[[MATRIX]] : i64
// CHECK:           tcgemm.scales.fetch %[[SA]][%c0_i64{{.*}}] by %c1_i64 from %[[ROW]] below %[[M]] to
// CHECK:           tcgemm.scales.fetch %[[SB]][%[[OFFSET]]] by
tcgemm.kernel @scaled <?x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">, #tcgemm.operand<offsets, i32, "b">,
     #tcgemm.operand<scale_a, f32, "km">, #tcgemm.operand<scale_b, f32, "bnk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 128], warps = [4, 1, 1], instruction = [64, 64, 32], persistent = true, promote_sums = true>}

// The scales and zero points of elements of 4 bits start at the matrices of the tile's
// group.

// CHECK-LABEL: tcgemm.program @groups_main(
// CHECK-DAG:     %[[S:[^ ]*]]: memref<?xf16, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer scaleB>}
// CHECK-DAG:     %[[Z:[^ ]*]]: memref<?xi8, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer zeroB>}
// CHECK-DAG:     %[[OFS:[^ ]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "scaleB.stride0">}
// CHECK-DAG:     %[[OFZ:[^ ]*]]: i64 {tcgemm.binding = #tcgemm.binding<i64 "zeroB.stride0">}
// CHECK:         tcgemm.role consumer
// CHECK:           %[[GROUP:.*]], %{{.*}}, %{{.*}}, %{{.*}} = tcgemm.group_locate
// CHECK:           %[[WIDE:.*]] = arith.extui %[[GROUP]] : i32 to i64
// CHECK-NEXT:      %[[ATS:.*]] = arith.muli %[[WIDE]], %[[OFS]] : i64
// CHECK:           %[[WIDE:.*]] = arith.extui %[[GROUP]] : i32 to i64
// CHECK-NEXT:      %[[ATZ:.*]] = arith.muli %[[WIDE]], %[[OFZ]] : i64
// CHECK:           tcgemm.group_values.load %[[S]][%[[ATS]]]
// CHECK:           tcgemm.group_values.load %[[Z]][%[[ATZ]]]
tcgemm.kernel @groups <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "bnk">, #tcgemm.operand<offsets, i32, "b">,
     #tcgemm.operand<scale_b, f16, "bnk", group = 64>, #tcgemm.operand<zero_b, ui8, "bnk", group = 64>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {config = #tcgemm.config<schedule = wgmma, cta = [16, 64, 128], warps = [4, 1, 1], instruction = [64, 16, 16], persistent = true, promote_sums = true, swap_ab = true>}
