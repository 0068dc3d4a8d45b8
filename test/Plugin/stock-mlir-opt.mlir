// Debian's own mlir-opt runs our dialect and passes from the plugin.
// REQUIRES: plugin
// RUN: %llvm_bin/mlir-opt %s --load-dialect-plugin=%tcgemm_plugin \
// RUN:   --load-pass-plugin=%tcgemm_plugin \
// RUN:   --pass-pipeline='builtin.module(tcgemm-schedule,gpu.module(tcgemm-lower-tiles))' \
// RUN:   | FileCheck %s
// RUN: not %llvm_bin/mlir-opt %s --load-dialect-plugin=%tcgemm_plugin \
// RUN:   --load-pass-plugin=%tcgemm_plugin \
// RUN:   --pass-pipeline='builtin.module(tcgemm-unknown)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// CHECK: tcgemm.kernel @matmul
// CHECK: gpu.module
// CHECK: nvgpu.mma.sync
// UNKNOWN: 'tcgemm-unknown' does not refer to a registered pass
tcgemm.kernel @matmul <1x?x?x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">]
    epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90", config = #tcgemm.config}
