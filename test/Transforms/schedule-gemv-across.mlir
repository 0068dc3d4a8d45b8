// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file \
// RUN:   | FileCheck %s

// B is contiguous along n: eight lanes read eight columns each. Loads of several columns
// need a multiple of them; single elements are read with any strides, so that nothing is
// packed. Rows of A are read element by element.

// CHECK-LABEL: tcgemm.kernel @row
// CHECK: plan = [#tcgemm.variant<"empty_k"
// CHECK-SAME: #tcgemm.variant<"aligned", guard = "B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0 && N % 8 == 0 && out0.stride1 == 1"
// CHECK-SAME: workspace = "0", steps = [<@row_module::@row_main,
// CHECK-SAME: grid = ["batch * ceildiv(M, 1) * ceildiv(N, 64)", "1", "1"], threads = 128, shared_memory = 1024,
// CHECK-SAME: #tcgemm.variant<"copy_8", guard = "B.stride1 == 1 && B.base % 8 == 0 && B.stride0 % 4 == 0 && N % 4 == 0
// CHECK-SAME: #tcgemm.variant<"elements", guard = "out0.stride1 == 1"
// CHECK-NOT: "pack

// CHECK: tcgemm.program @row_main
// CHECK: tcgemm.acc.dot %{{.*}}[%{{.*}}] stride %{{.*}} step %{{.*}} at %{{.*}} of %{{.*}} by %{{.*}}[%{{.*}}] stride %c1_i64 step %{{.*}} at %{{.*}} of %{{.*}} depth %{{.*}} size 1 64 slices 4 unroll 8 bytes 2 16 lanes 8 : memref<?xbf16, {{.*}}>, memref<?xbf16, {{.*}}> -> <1 x 1, row>
// CHECK: tcgemm.program @row_copy_8
// CHECK: tcgemm.acc.dot {{.*}} size 1 64 slices 4 unroll 8 bytes 2 8 lanes 8
// CHECK: tcgemm.program @row_elements
// CHECK: tcgemm.acc.dot {{.*}} size 1 64 slices 4 unroll 4 bytes 2 2 lanes 8
tcgemm.kernel @row <1x?x?x?>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = gemv, cta = [1, 64, 128],
              warps = [1, 1, 4], unaligned = copy_8>}

// -----

// Slices of k: a CTA stores the partial sums of its part of k, which another program adds.

// CHECK-LABEL: tcgemm.kernel @slices
// CHECK: #tcgemm.variant<"aligned", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && M % 8 == 0
// CHECK-SAME: workspace = "0 + 4 * 4 * batch * M * N", steps = [<@slices_module::@slices_main,
// CHECK-SAME: grid = ["batch * ceildiv(M, 32) * ceildiv(N, 1) * 4", "1", "1"]
// CHECK-SAME: <@slices_module::@slices_reduce
// CHECK: tcgemm.program @slices_main
// CHECK: %[[DEPTH:.*]] = arith.minui
// CHECK: tcgemm.acc.dot {{.*}} size 1 32 slices 2 {{.*}} lanes 4
// CHECK: tcgemm.epilogue
tcgemm.kernel @slices <1x?x?x?>
    [#tcgemm.operand<a, f16, "km">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = gemv, cta = [32, 1, 128],
              warps = [1, 1, 2], swap_ab = true, split_k = 4>}

// -----

// Only the small operand is not contiguous along k. One row, whose elements are neighbours,
// is read as if it were; others element by element.

// CHECK-LABEL: tcgemm.kernel @steps
// CHECK: #tcgemm.variant<"aligned", guard = "M == 1 && A.stride0 == 1 && A.base % 16 == 0 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0
// CHECK-SAME: @steps_module::@steps_main_row
// CHECK-SAME: #tcgemm.variant<"aligned_steps", guard = "B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0
// CHECK-SAME: @steps_module::@steps_main
// CHECK-SAME: #tcgemm.variant<"registers", guard = "M == 1 && A.stride0 == 1 && B.stride1 == 1
// CHECK-SAME: #tcgemm.variant<"registers_steps", guard = "B.stride1 == 1
// CHECK-SAME: #tcgemm.variant<"pack_b", guard = "out0.stride1 == 1"
// CHECK: tcgemm.program @steps_main_row
// CHECK: tcgemm.acc.dot {{.*}} bytes 16 16 :
// CHECK: tcgemm.program @steps_main
// CHECK: tcgemm.acc.dot %{{.*}}[%{{.*}}] stride %{{.*}} step %{{.*}} at {{.*}} bytes 2 16 :
tcgemm.kernel @steps <1x?x?x?>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = gemv, cta = [2, 8, 1024],
              warps = [1, 2, 2], unaligned = registers>}
