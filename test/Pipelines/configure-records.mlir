// RUN: tcgemm-opt %s --tcgemm-configure="chip=sm_80 records=%S/../Tools/Inputs/records.jsonl" | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-configure="chip=sm_80" | FileCheck %s --check-prefix=NONE
// RUN: not tcgemm-opt %s --tcgemm-configure="records=%t.no-such.jsonl" 2>&1 | FileCheck %s --check-prefix=MISSING

// The pass alone takes records, as the pipelines do.

// CHECK: config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], stages = 5>
// NONE-NOT: stages = 5
// MISSING: error: tcgemm-configure: {{.*}}no-such.jsonl
tcgemm.kernel @k <1x40x72x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
