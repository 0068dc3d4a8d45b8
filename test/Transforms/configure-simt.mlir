// RUN: tcgemm-opt %s --tcgemm-configure | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-configure="chip=sm_80 config=cta=64x64x16" \
// RUN:   | FileCheck %s --check-prefix=FIXED
// RUN: not tcgemm-opt %s --tcgemm-configure="config=cta=100x64x16" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RULE
// RUN: not tcgemm-opt %s --tcgemm-configure="config=schedule=mma_sync" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MMA
// RUN: not tcgemm-opt %s --tcgemm-configure="config=threads=16" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE

// No tensor core takes f32 as it is: the default model gives it schedule simt.

// CHECK-LABEL: tcgemm.kernel @square
// CHECK: config = #tcgemm.config<schedule = simt, cta = [128, 128, {{8|16}}]
// FIXED-LABEL: tcgemm.kernel @square
// FIXED: config = #tcgemm.config<schedule = simt, cta = [64, 64, 16]
// RULE: error: illegal config: cta M = 100, but it must be a multiple of the 16 threads along it [cta-m]
// MMA: error: illegal config: no mma.sync multiplies elements of type f32 by f32 [element-type]
// VALUE: error: tcgemm-configure: config parameter 'threads': expected three integers as [1, 2, 3] or 1x2x3, but got '16'
tcgemm.kernel @square <1x4096x4096x4096>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// A deep product of few elements takes slices of k.
// CHECK-LABEL: tcgemm.kernel @deep
// CHECK: schedule = simt
// CHECK-SAME: split_k = {{[0-9]+}}
tcgemm.kernel @deep <1x64x64x65536>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
