// RUN: tcgemm-opt %s -tcgemm-configure="chip=sm_90a" -tcgemm-schedule | FileCheck %s

// With check_offsets, every variant begins with one block that checks the sizes of groups.
// The main programs are the same as without the check.

// CHECK-LABEL: tcgemm.kernel @contiguous
// CHECK:         plan = [#tcgemm.variant<"empty_k"
// CHECK-SAME:    <@contiguous_module::@contiguous_check_offsets, grid = ["1", "1", "1"], threads = 32
// CHECK-SAME:    <@contiguous_module::@contiguous_empty_k,
// CHECK-SAME:    "aligned"
// CHECK-SAME:    <@contiguous_module::@contiguous_check_offsets, grid = ["1", "1", "1"], threads = 32
// CHECK-SAME:    <@contiguous_module::@contiguous_main,
// CHECK-SAME:    "pack_ab"
// CHECK-SAME:    <@contiguous_module::@contiguous_check_offsets,
// CHECK-SAME:    <@contiguous_module::@contiguous_pack,
// CHECK-SAME:    <@contiguous_module::@contiguous_main,
// CHECK-LABEL: tcgemm.program @contiguous_check_offsets(
// CHECK-SAME:    %[[OFFSETS:[a-z0-9]+]]: memref<?xi32, #gpu.address_space<global>>
// CHECK-SAME:    %[[GROUPS:[a-z0-9]+]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "batch">}
// CHECK-SAME:    %[[M:[a-z0-9]+]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">}
// CHECK-NOT:     tcgemm.grid.wait
// CHECK:         %[[OBEYED:.*]] = scf.for %[[G:.*]] = %{{.*}} to %[[GROUPS]] step %c32_i32 iter_args(%[[SO_FAR:.*]] = %true) -> (i1)
// CHECK:           %[[END:.*]] = memref.load %[[OFFSETS]]
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ule, %[[END]], %[[M]]
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[G]], %c0_i32
// CHECK:           %[[BEFORE:.*]] = memref.load %[[OFFSETS]]
// CHECK:           %[[START:.*]] = arith.select %[[FIRST]], %c0_i32{{.*}}, %[[BEFORE]]
// CHECK:           %[[ORDER:.*]] = arith.cmpi sle, %[[START]], %[[END]]
// CHECK:           %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[ORDER]]
// CHECK:           %[[ALL:.*]] = arith.andi %[[SO_FAR]], %[[BOTH]]
// CHECK:           scf.yield %[[ALL]]
// CHECK:         cf.assert %[[OBEYED]], "offsets of groups must not decrease or exceed the rows of A"
// CHECK-LABEL: tcgemm.program @contiguous_main(
// CHECK-NOT:     cf.assert
tcgemm.kernel @contiguous <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {check_offsets, config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], persistent = true>}

// Counts are compared with M alone. Of a dependent launch, the check is the first kernel, which
// waits for the preceding one.

// CHECK-LABEL: tcgemm.kernel @padded
// CHECK:         <@padded_module::@padded_check_offsets, {{.*}}dependent
// CHECK-LABEL: tcgemm.program @padded_check_offsets(
// CHECK:         tcgemm.grid.wait
// CHECK:         scf.for
// CHECK:           %[[COUNT:.*]] = memref.load
// CHECK-NEXT:      arith.cmpi ule, %[[COUNT]]
// CHECK-NOT:       arith.cmpi
// CHECK:         cf.assert %{{.*}}, "counts of groups must be from 0 to the rows of each matrix of A"
// CHECK-NEXT:    tcgemm.grid.launch_dependents
tcgemm.kernel @padded <?x?x?x64>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {check_offsets, config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], persistent = true, dependent_launch = true>}

// The offsets of groups along k are compared with K itself, also where the packed operands have
// more columns.

// CHECK-LABEL: tcgemm.program @along_k_check_offsets(
// CHECK-SAME:    #tcgemm.binding<i32 "K">
// CHECK:         cf.assert %{{.*}}, "offsets of groups must not decrease or exceed k"
tcgemm.kernel @along_k <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {check_offsets, config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>}

// Without the attribute there is no check.

// CHECK-LABEL: tcgemm.kernel @unchecked
// CHECK-NOT:     check_offsets
// CHECK-NOT:     cf.assert
tcgemm.kernel @unchecked <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>}
