// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>

// The sum is f64, and only f64.
func.func @narrow_sum(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{its result is f32; only f64 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f64, %y: f64, %s: f32):
    %p = arith.mulf %x, %y : f64
    %t = arith.truncf %p : f64 to f32
    %q = arith.addf %s, %t : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// linalg.matmul rounds the operands.
func.func @narrow_operands(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{is left as it is: its result is f32; only f64 is supported}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// f32 operands are multiplied in f32.
func.func @wide_sum(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  // expected-remark @below {{its result is f64; only f32, f16 and bf16 are supported}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// The product minus the sum alternates its sign with k.
func.func @reversed(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  // expected-remark @below {{is left as it is: its body reduces by arith.subf, which is no associative operation with a neutral element}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%c : tensor<4x6xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.subf %p, %s : f64
    linalg.yield %q : f64
  } -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// No instruction multiplies f64 by f32.
func.func @mixture(%a: tensor<4x8xf64>, %b: tensor<8x6xf32>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  // expected-remark @below {{its operands have the types f64 and f32, which no instruction multiplies}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf32>) outs(%c : tensor<4x6xf64>) {
  ^bb0(%x: f64, %y: f32, %s: f64):
    %v = arith.extf %y : f32 to f64
    %p = arith.mulf %x, %v : f64
    %q = arith.addf %s, %p : f64
    linalg.yield %q : f64
  } -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}
