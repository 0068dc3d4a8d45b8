// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>

// A product of i16 loses bits that the instruction keeps.
func.func @narrow_product(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{'linalg.generic' is left as it is: it is neither a contraction nor does it consume one's result}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extui %x : i8 to i16
    %v = arith.extui %y : i8 to i16
    %p = arith.muli %u, %v : i16
    %w = arith.extsi %p : i16 to i32
    %q = arith.addi %s, %w : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// i8 is extended in two steps, with two signs.
func.func @two_steps(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its products are of i32, which its operands are not extended to in one step}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %t = arith.extui %x : i8 to i16
    %u = arith.extsi %t : i16 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// FP8 is converted to 16 bits, not to f32.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @mixture(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{its operands have the types f8E4M3FN and f32, which no instruction multiplies}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf8E4M3FN>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f32, %s: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %p = arith.mulf %u, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// A negative number that is extended with its sign is no large unsigned one.
func.func @other_sign(%a: tensor<4x8xbf16>, %b: tensor<8x6xi8>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{'linalg.generic' is left as it is: it multiplies a value of type f32 that it computes from an element of type i8; the value must have that type before it is extended}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xbf16>, tensor<8x6xi8>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: bf16, %y: i8, %s: f32):
    %u = arith.extf %x : bf16 to f32
    %t = arith.extsi %y : i8 to i32
    %v = arith.uitofp %t : i32 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Elements of 4 bits share bytes along k.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @across(%a: tensor<4x8xi4>, %b: tensor<8x6xi4>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its operand of i4 must be a matrix with k innermost}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xi4>, tensor<8x6xi4>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @odd(%a: tensor<4x7xi4>, %b: tensor<6x7xi4>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its operand of i4 has 7 elements along k; that must be a multiple of 2}}
  %0 = linalg.matmul indexing_maps = [#a, #b, #d]
    ins(%a, %b : tensor<4x7xi4>, tensor<6x7xi4>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// A vector has no rows along k.
#a = affine_map<(m, k) -> (m, k)>
#b = affine_map<(m, k) -> (k)>
#d = affine_map<(m, k) -> (m)>
func.func @vector(%a: tensor<4x8xbf16>, %b: tensor<8xi4>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{its operand of i4 must be a matrix with k innermost}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xbf16>, tensor<8xi4>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: bf16, %y: i4, %s: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
