// RUN: tcgemm-opt %s -split-input-file | tcgemm-opt -split-input-file | FileCheck %s

// CHECK: tcgemm.kernel @longest
// CHECK: attributes {algebra = #tcgemm.algebra<reduce = max, combine = plus>}
tcgemm.kernel @longest <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {algebra = #tcgemm.algebra<reduce = max, combine = plus>}
