// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | tcgemm-opt -split-input-file | FileCheck %s

// Bodies that combine and reduce by other operations than multiplication and addition.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// The sum starts with nothing: with the neutral element of the reduction.
// CHECK-LABEL: tcgemm.kernel @longest_0 <1x4x6x8>
// CHECK-SAME:    <a, f32, "mk">, #tcgemm.operand<b, f32, "kn">, #tcgemm.operand<output, f32, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]] : f32
// CHECK-NEXT:  } attributes {algebra = #tcgemm.algebra<reduce = max, combine = plus>}
func.func @longest(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %none = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%none : f32) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%init : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.addf %x, %y : f32
    %q = arith.maximumf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// C is reduced with the result. minnumf differs from minimumf for NaN. The transposed
// result swaps A and B.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (n, m)>
// CHECK-LABEL: tcgemm.kernel @shortest_0
// CHECK-SAME:    <input, f64, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f64, %[[C:.*]]: f64):
// CHECK-NEXT:    %[[R:.*]] = arith.minnumf %[[C]], %[[ACC]] : f64
// CHECK-NEXT:    tcgemm.yield %[[R]] : f64
// CHECK-NEXT:  } attributes {algebra = #tcgemm.algebra<reduce = minnum, combine = plus>}
func.func @shortest(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<6x4xf64>) -> tensor<6x4xf64> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%c : tensor<6x4xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %p = arith.addf %y, %x : f64
    %q = arith.minnumf %p, %s : f64
    linalg.yield %q : f64
  } -> tensor<6x4xf64>
  return %0 : tensor<6x4xf64>
}

// -----

// A finite start of a maximum is a value like any other. An epilogue is fused.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
#i = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @bottleneck_0
// CHECK:         %[[START:.*]] = arith.constant -1.000000e+00 : f32
// CHECK:         %[[R:.*]] = arith.maximumf %[[START]], %{{.*}} : f32
// CHECK:         arith.negf %[[R]] : f32
// CHECK:       algebra = #tcgemm.algebra<reduce = max, combine = min>
func.func @bottleneck(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %low = arith.constant -1.0 : f32
  %init = linalg.fill ins(%low : f32) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%init : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.minimumf %x, %y : f32
    %q = arith.maximumf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
