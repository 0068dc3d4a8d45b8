// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics | FileCheck %s
// CHECK-NOT: tcgemm.kernel

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @halves(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf16>) -> tensor<4x6xf16> {
  // expected-remark @below {{its body computes max-plus of f16 and f16 with results of f16; only the same of f32, f64 and i32 is supported}}
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

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @differences(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{its body reduces by arith.subf, which is no associative operation with a neutral element}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.maximumf %x, %y : f32
    %q = arith.subf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @quotients(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{its body reduces by arith.divf, which is no associative operation with a neutral element}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.addf %x, %y : f32
    %q = arith.divf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @distances(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{its body combines by arith.subf, which is no associative operation with a neutral element}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.subf %x, %y : f32
    %q = arith.maximumf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @shifts(%a: tensor<4x8xi32>, %b: tensor<8x6xi32>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its body reduces by arith.shli, which is no associative operation with a neutral element}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi32>, tensor<8x6xi32>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i32, %y: i32, %s: i32):
    %p = arith.addi %x, %y : i32
    %q = arith.shli %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// Bytes cannot represent the neutral element of a maximum of 32 bits.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @bytes(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its body computes max-plus of i8 and i8 with results of i32; only the same of f32, f64 and i32 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.addi %u, %v : i32
    %q = arith.maxsi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @signs(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{it extends one of A and B by its sign, and the other by zeros}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.andi %u, %v : i32
    %q = arith.ori %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @narrow(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi8>) -> tensor<4x6xi8> {
  // expected-remark @below {{its result is i8; only i32 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%c : tensor<4x6xi8>) {
  ^bb0(%x: i8, %y: i8, %s: i8):
    %p = arith.andi %x, %y : i8
    %q = arith.ori %s, %p : i8
    linalg.yield %q : i8
  } -> tensor<4x6xi8>
  return %0 : tensor<4x6xi8>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @bits(%a: tensor<4x8xi1>, %b: tensor<8x6xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its body computes xor-and of i1; only or-and is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi1>, tensor<8x6xi1>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i1, %y: i1, %s: i32):
    %u = arith.extui %x : i1 to i32
    %v = arith.extui %y : i1 to i32
    %p = arith.andi %u, %v : i32
    %q = arith.xori %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @signed_bits(%a: tensor<4x8xi1>, %b: tensor<8x6xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{it extends i1 by its sign, to 0 and -1; only arith.extui of i1 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi1>, tensor<8x6xi1>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i1, %y: i1, %s: i32):
    %u = arith.extsi %x : i1 to i32
    %v = arith.extui %y : i1 to i32
    %p = arith.andi %u, %v : i32
    %q = arith.ori %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
