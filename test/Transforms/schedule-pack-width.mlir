// RUN: tcgemm-opt %s --tcgemm-schedule | FileCheck %s

// Packing pads k to the copy width of the main program and no further: the
// operand that is not packed has nothing behind its last k.

// CHECK: #tcgemm.variant<"pack_a"
// CHECK-SAME: guard = "B.stride1 == 1 && B.base % 8 == 0 && B.stride0 % 4 == 0 && K % 4 == 0
// CHECK-SAME: @k_main
// CHECK-SAME: i32 "ceildiv(K, 4) * 4"
tcgemm.kernel @k <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [64, 64, 32], copy_a = 8, copy_b = 8>}
