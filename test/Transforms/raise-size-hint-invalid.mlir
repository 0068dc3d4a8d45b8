// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

func.func @not_an_array(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{tcgemm.size_hint must be an array<i64>, but is 4 : i64}}
  %0 = linalg.matmul {tcgemm.size_hint = 4} ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @zero(%a: tensor<?x8xf32>, %b: tensor<8x6xf32>, %c: tensor<?x6xf32>) -> tensor<?x6xf32> {
  // expected-error @below {{tcgemm.size_hint has the extent 0; the range is 1 to 2147483647}}
  %0 = linalg.matmul {tcgemm.size_hint = array<i64: 0, 6, 8>} ins(%a, %b : tensor<?x8xf32>, tensor<8x6xf32>) outs(%c : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// -----

func.func @few(%a: tensor<?x8xf32>, %b: tensor<8x6xf32>, %c: tensor<?x6xf32>) -> tensor<?x6xf32> {
  // expected-remark @below {{'linalg.matmul' is left as it is: it has a tcgemm.size_hint of 2 extents, but it has 3 loops}}
  %0 = linalg.matmul {tcgemm.size_hint = array<i64: 4, 6>} ins(%a, %b : tensor<?x8xf32>, tensor<8x6xf32>) outs(%c : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// -----

func.func @contradiction(%a: tensor<?x8xf32>, %b: tensor<8x6xf32>, %c: tensor<?x6xf32>) -> tensor<?x6xf32> {
  // expected-remark @below {{'linalg.matmul' is left as it is: it has a tcgemm.size_hint of 7 for loop 2, whose extent is 8}}
  %0 = linalg.matmul {tcgemm.size_hint = array<i64: 4, 6, 7>} ins(%a, %b : tensor<?x8xf32>, tensor<8x6xf32>) outs(%c : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// -----

func.func @elsewhere(%a: index) -> index {
  // expected-error @below {{has the attribute 'tcgemm.size_hint', which only linalg operations may have}}
  %0 = arith.addi %a, %a {tcgemm.size_hint = array<i64: 4>} : index
  return %0 : index
}
