// The plugin gives the passes of a stock mlir-opt a reader of records.
// REQUIRES: plugin
// RUN: %llvm_bin/mlir-opt %s --load-dialect-plugin=%tcgemm_plugin \
// RUN:   --load-pass-plugin=%tcgemm_plugin \
// RUN:   --pass-pipeline='builtin.module(tcgemm-configure{chip=sm_80 records=%S/../Tools/Inputs/records.jsonl})' \
// RUN:   | FileCheck %s
// RUN: not %llvm_bin/mlir-opt %s --load-dialect-plugin=%tcgemm_plugin \
// RUN:   --load-pass-plugin=%tcgemm_plugin \
// RUN:   --pass-pipeline='builtin.module(tcgemm-configure{records=%t.no-such.jsonl})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING

// CHECK: config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], stages = 5>
// MISSING: error: tcgemm-configure: {{.*}}no-such.jsonl
tcgemm.kernel @k <1x40x72x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
