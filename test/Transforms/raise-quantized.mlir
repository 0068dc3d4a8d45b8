// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -split-input-file | FileCheck %s

// The zero points of A and B become a term along m and one along n.

// CHECK-LABEL: tcgemm.kernel @both_0
// CHECK-SAME:    #tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i8, "kn">, #tcgemm.operand<input, i32, "mn">, #tcgemm.operand<input, i32, "m">, #tcgemm.operand<input, i32, "n">
// CHECK-LABEL: func.func @both
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]
// CHECK:         tcgemm.launch @both_0
func.func @both(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %p: i32, %q: i32, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = linalg.quantized_matmul ins(%a, %b, %p, %q : tensor<?x?xi8>, tensor<?x?xi8>, i32, i32) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

// Symmetric weights need the sums of A's rows alone.

// CHECK-LABEL: tcgemm.kernel @rows_0
// CHECK-SAME:    #tcgemm.operand<b, i8, "bkn">, #tcgemm.operand<input, i32, "bmn">, #tcgemm.operand<input, i32, "bn">, #tcgemm.operand<output
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-1: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT:     reduction
// CHECK:         tcgemm.launch @rows_0
func.func @rows(%a: tensor<3x8x16xi8>, %b: tensor<3x16x32xi8>, %p: i32, %c: tensor<3x8x32xi32>) -> tensor<3x8x32xi32> {
  %q = arith.constant 0 : i32
  %0 = linalg.quantized_batch_matmul ins(%a, %b, %p, %q : tensor<3x8x16xi8>, tensor<3x16x32xi8>, i32, i32) outs(%c : tensor<3x8x32xi32>) -> tensor<3x8x32xi32>
  return %0 : tensor<3x8x32xi32>
}

// -----

// Without zero points it is a product.

// CHECK-LABEL: func.func @none
// CHECK-NOT:     linalg.generic
// CHECK:         tcgemm.launch @none_0
func.func @none(%a: tensor<8x16xi8>, %b: tensor<16x32xi8>, %c: tensor<8x32xi32>) -> tensor<8x32xi32> {
  %z = arith.constant 0 : i32
  %0 = linalg.quantized_matmul ins(%a, %b, %z, %z : tensor<8x16xi8>, tensor<16x32xi8>, i32, i32) outs(%c : tensor<8x32xi32>) -> tensor<8x32xi32>
  return %0 : tensor<8x32xi32>
}
