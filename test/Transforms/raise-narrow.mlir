// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | tcgemm-opt -split-input-file | FileCheck %s

// Integers and FP8: the sign of an integer is how the body extends it.

// CHECK-LABEL: tcgemm.kernel @signed_0 <1x4x6x8>
// CHECK-SAME:    <a, i8, "mk">, #tcgemm.operand<b, i8, "kn">, #tcgemm.operand<output, i32, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: i32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]] : i32
func.func @signed(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%init : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// CHECK-LABEL: tcgemm.kernel @unsigned_0
// CHECK-SAME:    <a, ui8, "mk">, #tcgemm.operand<b, ui8, "kn">
func.func @unsigned(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%init : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// C is added in i32. The transposed result swaps A and B, and their signs.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (n, m)>
// CHECK-LABEL: tcgemm.kernel @mixed_0
// CHECK-SAME:    <a, i8, "km">, #tcgemm.operand<b, ui8, "nk">, #tcgemm.operand<input, i32, "mn">, #tcgemm.operand<output, i32, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: i32, %[[C:.*]]: i32):
// CHECK-NEXT:    arith.addi %[[ACC]], %[[C]] : i32
func.func @mixed(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<6x4xi32>) -> tensor<6x4xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%c : tensor<6x4xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<6x4xi32>
  return %0 : tensor<6x4xi32>
}

// -----

// CHECK-LABEL: tcgemm.kernel @fp8_0
// CHECK-SAME:    <a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E5M2, "nk">, #tcgemm.operand<output, f32, "mn">
// CHECK-NEXT:  ^bb0(%{{.*}}: f32):
#e = affine_map<(m, n, k) -> (n, k)>
#f = affine_map<(m, n, k) -> (m, k)>
#g = affine_map<(m, n, k) -> (m, n)>
func.func @fp8(%a: tensor<4x16xf8E4M3FN>, %b: tensor<6x16xf8E5M2>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#f, #e, #g], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x16xf8E4M3FN>, tensor<6x16xf8E5M2>) outs(%init : tensor<4x6xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %s: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E5M2 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
