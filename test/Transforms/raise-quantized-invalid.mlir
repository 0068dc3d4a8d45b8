// RUN: tcgemm-opt %s -tcgemm-raise -verify-diagnostics

func.func @buffers(%a: memref<8x16xi8>, %b: memref<16x32xi8>, %p: i32, %c: memref<8x32xi32>) {
  // expected-remark @below {{its zero points are taken on tensors only, but it is on buffers}}
  linalg.quantized_matmul ins(%a, %b, %p, %p : memref<8x16xi8>, memref<16x32xi8>, i32, i32) outs(%c : memref<8x32xi32>)
  return
}

func.func @types(%a: tensor<8x16xi16>, %b: tensor<16x32xi16>, %p: i32, %c: tensor<8x32xi32>) -> tensor<8x32xi32> {
  // expected-remark @below {{its operands are i8, its zero points and its result i32, but one is i16}}
  %0 = linalg.quantized_matmul ins(%a, %b, %p, %p : tensor<8x16xi16>, tensor<16x32xi16>, i32, i32) outs(%c : tensor<8x32xi32>) -> tensor<8x32xi32>
  return %0 : tensor<8x32xi32>
}

func.func @skipped(%a: tensor<8x16xi8>, %b: tensor<16x32xi8>, %p: i32, %c: tensor<8x32xi32>) -> tensor<8x32xi32> {
  // expected-remark @below {{it is marked tcgemm.skip}}
  %0 = linalg.quantized_matmul {tcgemm.skip} ins(%a, %b, %p, %p : tensor<8x16xi8>, tensor<16x32xi8>, i32, i32) outs(%c : tensor<8x32xi32>) -> tensor<8x32xi32>
  return %0 : tensor<8x32xi32>
}
