// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// CHECK-LABEL: tcgemm.kernel @dual <1x?x?x?>
// CHECK-SAME: #tcgemm.operand<b2, bf16, "nk">
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: bf16):
tcgemm.kernel @dual <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<input, bf16, "n">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32, %bias: bf16):
  %0 = arith.mulf %x, %y : f32
  tcgemm.yield %0 : f32
}

gpu.module @module {
  // CHECK-LABEL: tcgemm.program @split
  tcgemm.program @split() attributes {threads = 128 : i64, chip = "sm_90a"} {
    %sum = tcgemm.acc.zero : <64 x 32, wgmma>
    // CHECK: %{{.*}}, %{{.*}} = tcgemm.acc.split %{{.*}} : <64 x 32, wgmma> -> <64 x 16, wgmma>
    %left, %right = tcgemm.acc.split %sum : <64 x 32, wgmma> -> <64 x 16, wgmma>
    tcgemm.return
  }
}
