// RUN: tcgemm-opt %s -tcgemm-raise="remarks=true" -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-NOT: tcgemm.kernel
// CHECK-NOT: transform_a

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

// The function's value is f32: the product is none of bf16.

func.func @unrounded(%A: tensor<8x8xbf16>, %B: tensor<8x8xbf16>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @below {{'linalg.generic' is left as it is: it multiplies a value of type f32 that it computes from an element of type bf16; the value must have that type before it is extended}}
  %d = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %e = math.exp %u : f32
    %p = arith.mulf %e, %v : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

// FP8 has no functions.

func.func @narrow(%A: tensor<16x16xf8E4M3FN>, %B: tensor<16x16xf8E4M3FN>, %init: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-remark @below {{it multiplies a value that it computes from an element of type f8E4M3FN; only f16, bf16, f32 and f64 are supported}}
  %d = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) outs(%init : tensor<16x16xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %sum: f32):
    %n = arith.negf %x : f8E4M3FN
    %u = arith.extf %n : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#n = affine_map<(m, n, k) -> (n)>
#d = affine_map<(m, n, k) -> (m, n)>

// A vector along n makes an element of A differ by column.

func.func @foreign(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>, %v: tensor<8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @below {{it computes an operand's elements from an input with the dimension n, which the operand does not have}}
  %d = linalg.generic {indexing_maps = [#a, #b, #n, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B, %v : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %sum: f32):
    %u = arith.maximumf %x, %z : f32
    %p = arith.mulf %u, %y : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

func.func @matrices(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>, %v: tensor<8x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @below {{it computes an operand's elements from two matrices}}
  %d = linalg.generic {indexing_maps = [#a, #b, #a, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B, %v : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %sum: f32):
    %u = arith.maximumf %x, %z : f32
    %p = arith.mulf %u, %y : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

// The coordinates of an element are no argument of its function.

func.func @coordinates(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @below {{its body has 'linalg.index', which is not scalar arith or math}}
  %d = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %i = linalg.index 2 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %u = arith.addf %x, %f : f32
    %p = arith.mulf %u, %y : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

// A factor of both operands' elements belongs to neither.

func.func @mixed(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @below {{it is neither a contraction nor does it consume one's result}}
  %d = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %u = arith.addf %x, %y : f32
    %p = arith.mulf %u, %y : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
