// RUN: tcgemm-opt %s -tcgemm-raise="remarks=true" -split-input-file -verify-diagnostics | FileCheck %s

// Producers of an operand that stay, and why.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @shared
// CHECK:         linalg.exp
// CHECK:         tcgemm.launch
func.func @shared(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>, %e: tensor<8x8xf32>, %init: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // expected-remark @below {{'linalg.exp' is left as it is: it computes an operand of a contraction, and its result has other uses}}
  %0 = linalg.exp ins(%A : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = linalg.matmul ins(%0, %B : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d, %0 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @sum
// CHECK:         linalg.add
// CHECK:         tcgemm.launch
func.func @sum(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>, %e: tensor<8x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @below {{it computes an operand of a contraction, but not from one matrix with elements of the same type}}
  %0 = linalg.add ins(%A, %A : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = linalg.matmul ins(%0, %B : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @cast
// CHECK:         linalg.generic
// CHECK:         tcgemm.launch
func.func @cast(%A: tensor<8x8xf32>, %B: tensor<8x8xbf16>, %e: tensor<8x8xbf16>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @below {{it computes an operand of a contraction, but not from one matrix with elements of the same type}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%A : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x8xbf16>
  %d = linalg.matmul ins(%0, %B : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
