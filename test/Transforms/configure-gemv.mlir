// RUN: tcgemm-opt %s --tcgemm-configure="chip=sm_80" | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-configure="config=schedule=mma_sync" \
// RUN:   | FileCheck %s --check-prefix=ASKED
// RUN: tcgemm-opt %s --tcgemm-configure="config=stages=4" \
// RUN:   | FileCheck %s --check-prefix=ASKED
// RUN: not tcgemm-opt %s --tcgemm-configure="config=schedule=gemv" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAYOUT

// The default model gives products of few rows or columns schedule gemv, if both
// operands are contiguous along k and the user leaves it open.

// CHECK-LABEL: tcgemm.kernel @row
// CHECK: config = #tcgemm.config<schedule = gemv, cta = [1, {{.*}}], warps = [1, {{.*}}], unaligned = registers>
// ASKED-LABEL: tcgemm.kernel @row
// ASKED-NOT: gemv
tcgemm.kernel @row <1x1x6144x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// CHECK-LABEL: tcgemm.kernel @column
// CHECK: schedule = gemv, cta = [{{[0-9]+}}, 1, {{.*}}swap_ab = true
tcgemm.kernel @column <1x64x1x1216>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to f16
  tcgemm.yield %0 : f16
}

// CHECK-LABEL: tcgemm.kernel @small
// CHECK: schedule = gemv, cta = [3,
tcgemm.kernel @small <1x3x832x64>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// CHECK-LABEL: tcgemm.kernel @two
// CHECK: schedule = gemv, cta = [2,
tcgemm.kernel @two <1x2x6144x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// CHECK-LABEL: tcgemm.kernel @three
// CHECK-NOT: gemv
tcgemm.kernel @three <1x3x6144x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// CHECK-LABEL: tcgemm.kernel @across
// CHECK-NOT: gemv
// LAYOUT: error: illegal config: {{.*}}B is contiguous along n, but schedule gemv needs rows of A and B along k [layout]
tcgemm.kernel @across <1x1x6144x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
