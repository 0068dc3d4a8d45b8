// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics
// RUN: not tcgemm-opt %s -tcgemm-raise=precision=fast 2>&1 -split-input-file | FileCheck %s

// CHECK: error: tcgemm-raise: precision: 'fast' is none of ieee, tf32, tf32x3, bf16x3, bf16x6, f16

func.func @unknown(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{precision: 'bf8' is none of ieee, tf32}}
  %0 = linalg.matmul {tcgemm.precision = "bf8"} ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @no_string(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{tcgemm.precision must be a string, but is unit}}
  %0 = linalg.matmul {tcgemm.precision} ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// expected-error @below {{has the attribute 'tcgemm.precision', which only linalg operations may have}}
func.func @elsewhere() attributes {tcgemm.precision = "tf32"} {
  return
}

// -----

func.func @bf16(%a: tensor<4x8xbf16>, %b: tensor<8x6xbf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{has the precision 'tf32', which operands of type 'bf16' do not have}}
  %0 = linalg.matmul {tcgemm.precision = "tf32"} ins(%a, %b : tensor<4x8xbf16>, tensor<8x6xbf16>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f16(%a: tensor<4x8xf16>, %b: tensor<8x6xi8>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{has the precision 'f16', which operands of type 'i8' do not have}}
  %0 = linalg.matmul {tcgemm.precision = "f16"} ins(%a, %b : tensor<4x8xf16>, tensor<8x6xi8>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @one_operand(%a: memref<4xbf16>, %x: bf16) {
  // expected-error @below {{has the precision 'f16', which operands of type 'bf16' do not have}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"], tcgemm.precision = "f16"} outs(%a : memref<4xbf16>) {
  ^bb0(%o: bf16):
    linalg.yield %x : bf16
  }
  return
}

// -----

// Buffers hold f32: there are none of tf32.
func.func @buffers(%a: tensor<4x8xtf32>, %b: tensor<8x6xtf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{its operands are tf32; only f16, bf16, i8, i1, f8E4M3FN, f8E5M2, f64, f32, i32, i4 are supported}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xtf32>, tensor<8x6xtf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
