// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics | FileCheck %s
// CHECK-NOT: tcgemm.kernel

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @halves(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf16>) -> tensor<4x6xf16> {
  // expected-remark @below {{its body computes max-plus of f16 and f16; only f32 or f64 of all operands is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%c : tensor<4x6xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %p = arith.addf %x, %y : f16
    %q = arith.maximumf %s, %p : f16
    linalg.yield %q : f16
  } -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// -----

// Zeros beyond K are no neutral element of this pair, and it is not in the table.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @product(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{it is neither a contraction nor does it consume one's result}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.maximumf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
