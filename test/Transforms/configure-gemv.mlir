// RUN: tcgemm-opt %s --tcgemm-configure="chip=sm_80" | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-configure="config=schedule=mma_sync" \
// RUN:   | FileCheck %s --check-prefix=ASKED
// RUN: tcgemm-opt %s --tcgemm-configure="config=stages=4" \
// RUN:   | FileCheck %s --check-prefix=ASKED
// RUN: not tcgemm-opt %s --tcgemm-configure="config=schedule=gemv,math=mma" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MATH
// RUN: not tcgemm-opt %s --tcgemm-configure="config=schedule=gemv,loads=shared" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOADS
// RUN: not tcgemm-opt %s --tcgemm-configure="config=schedule=gemv,stages=4" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STAGES

// The default model gives products of few rows or columns schedule gemv, if the user
// leaves it open; of two or more rows if both operands are contiguous along k.

// LOADS: error: illegal config: loads = shared with math = fma, but only vectors for tensor cores are copied ahead
// STAGES: error: illegal config: stages = 4, but with loads = registers nothing is staged: it must be 3
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
// CHECK: schedule = gemv, cta = [1, {{[0-9]+}}, {{[0-9]+}}], warps = [1, 1, {{[0-9]+}}], unaligned = copy_8, min_ctas = 1>
// MATH: error: illegal config: {{.*}}math = mma
tcgemm.kernel @across <1x1x6144x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// Few columns and a long K: CTAs divide k. They read 256 bytes of each, and 4 x 27 are as
// many as the chip has multiprocessors.
// CHECK-LABEL: tcgemm.kernel @few_columns
// CHECK: schedule = gemv, cta = [1, 128, 256], {{.*}}split_k = 27,
tcgemm.kernel @few_columns <1x1x512x500000>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// CHECK-LABEL: tcgemm.kernel @steps
// CHECK: schedule = gemv, cta = [1, {{.*}}unaligned = registers>
tcgemm.kernel @steps <1x1x6144x4096>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// CHECK-LABEL: tcgemm.kernel @across_column
// CHECK: schedule = gemv, {{.*}}swap_ab = true
tcgemm.kernel @across_column <1x6144x1x4096>
    [#tcgemm.operand<a, f16, "km">, #tcgemm.operand<b, f16, "kn">,
     #tcgemm.operand<output, f16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to f16
  tcgemm.yield %0 : f16
}

// CHECK-LABEL: tcgemm.kernel @across_two
// CHECK-NOT: gemv
tcgemm.kernel @across_two <1x2x6144x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
