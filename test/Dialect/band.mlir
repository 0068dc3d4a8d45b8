// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// CHECK-LABEL: func.func @bands
// CHECK: tcgemm.band %{{.*}} <"lower"> : tensor<?x?xbf16>
// CHECK: tcgemm.band %{{.*}} <"unit-upper"> : tensor<2x4x4xf32>
// CHECK: tcgemm.band %{{.*}} <"band:2:3:zeros"> : tensor<8x8xi8>
// A band with the limits of a named one has its name.
// CHECK: tcgemm.band %{{.*}} <"strict-upper"> : tensor<8x8xi8>
func.func @bands(%a: tensor<?x?xbf16>, %b: tensor<2x4x4xf32>, %c: tensor<8x8xi8>) {
  %0 = tcgemm.band %a <"lower"> : tensor<?x?xbf16>
  %1 = tcgemm.band %b <"unit-upper"> : tensor<2x4x4xf32>
  %2 = tcgemm.band %c <"band:2:3:zeros"> : tensor<8x8xi8>
  %3 = tcgemm.band %c <"band:-1:*"> : tensor<8x8xi8>
  return
}

// CHECK-LABEL: tcgemm.kernel @operands
// CHECK-SAME: #tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "kn", band = <"band:*:-5:zeros">>
// CHECK: symmetric
tcgemm.kernel @operands <1x64x64x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"lower">>,
     #tcgemm.operand<b, bf16, "kn", band = <"band:*:-5:zeros">>,
     #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %s: f32):
  %0 = arith.mulf %x, %s : f32
  tcgemm.yield %0 : f32
} attributes {symmetric}
