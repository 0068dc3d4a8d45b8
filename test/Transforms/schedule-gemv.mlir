// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file \
// RUN:   | FileCheck %s

// Only the starts of rows must be aligned, K may be anything; what no load
// reads is packed. A CTA has four columns in two groups of two warps.

// CHECK-LABEL: tcgemm.kernel @row
// CHECK: plan = [#tcgemm.variant<"empty_k"
// CHECK-SAME: #tcgemm.variant<"aligned", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && B.stride1 == 1 && B.base % 16 == 0 && B.stride0 % 8 == 0 && out0.stride1 == 1", config
// CHECK-SAME: workspace = "0", steps = [<@row_module::@row_main,
// CHECK-SAME: grid = ["batch * ceildiv(M, 1) * ceildiv(N, 8)", "1", "1"], threads = 128, shared_memory = 64,
// CHECK-SAME: #tcgemm.variant<"registers", guard = "A.stride1 == 1 && B.stride1 == 1 && out0.stride1 == 1"
// CHECK-SAME: @row_module::@row_registers
// CHECK-SAME: #tcgemm.variant<"pack_b", guard = "A.stride1 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && out0
// CHECK-SAME: #tcgemm.variant<"pack_a", guard = "B.stride1 == 1
// A packed operand's row ends at K, too.
// CHECK-SAME: #tcgemm.variant<"pack_ab", guard = "out0.stride1 == 1"
// CHECK-NOT: i32 "ceildiv(K, 8) * 8"

// CHECK: tcgemm.program @row_main({{.*}}threads = 128 : i64
// CHECK: %[[BLOCK:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: %[[N:.*]] = arith.muli %{{.*}}, %c8_i32
// CHECK: %[[ACC:.*]] = tcgemm.acc.dot %[[A:.*]][%{{.*}}] stride %{{.*}} at %{{.*}} of %{{.*}} by %{{.*}}[%{{.*}}] stride %{{.*}} at %[[N]] of %{{.*}} depth %{{.*}} size 1 8 slices 2 unroll 2 bytes 16 16 : memref<?xbf16, {{.*}}>, memref<?xbf16, {{.*}}> -> <1 x 1, row>
// CHECK: %[[HOLDS:.*]] = arith.cmpi ult, %[[THREAD:.*]], %c8_i32
// CHECK: scf.if %[[HOLDS]] {
// CHECK: %[[COLUMN:.*]] = arith.remui %[[THREAD]], %c8_i32
// CHECK: %[[PLACE:.*]] = arith.addi %[[N]], %[[COLUMN]]
// CHECK: tcgemm.epilogue %[[ACC]] at(%{{.*}}, %{{.*}}, %[[PLACE]]) of
// CHECK: tcgemm.program @row_registers
// The same depth, by loads of an element.
// CHECK: tcgemm.acc.dot {{.*}} size 1 8 slices 2 unroll 16 bytes 2 2
tcgemm.kernel @row <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = gemv, cta = [1, 8, 1024],
              warps = [1, 2, 2], unaligned = registers>}

// -----

// Few columns: A is the large operand. Batches, and a kernel that waits.

// CHECK-LABEL: tcgemm.kernel @columns
// CHECK: #tcgemm.variant<"aligned", guard = "A.stride2 == 1 && A.base % 16 == 0 && A.stride0 % 8 == 0 && A.stride1 % 8 == 0 && B.stride2 == 1 && B.base % 4 == 0
// CHECK-SAME: grid = ["batch * ceildiv(M, 4) * ceildiv(N, 3)", "1", "1"], dependent = true, threads = 128
// CHECK-NOT: tcgemm.variant<"copy
// CHECK: tcgemm.program @columns_main
// CHECK: tcgemm.grid.wait
// CHECK: tcgemm.acc.dot {{.*}} size 3 4 slices 1 unroll 4 bytes 4 16 : memref<?xf16, {{.*}}>, memref<?xf16
// CHECK-NEXT: tcgemm.grid.launch_dependents
tcgemm.kernel @columns <?x?x?x4096>
    [#tcgemm.operand<a, f16, "bmk">, #tcgemm.operand<b, f16, "bnk">,
     #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = gemv, cta = [4, 3, 1024],
              warps = [4, 1, 1], swap_ab = true, copy_b = 4, dependent_launch = true>}
