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

// -----

// Any two operations of one type: the neutral element of a product is 1.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @factors_0
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f64):
// CHECK-NEXT:    tcgemm.yield %[[ACC]] : f64
// CHECK-NEXT:  } attributes {algebra = #tcgemm.algebra<reduce = times, combine = max>}
func.func @factors(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %one = arith.constant 1.0 : f64
  %init = linalg.fill ins(%one : f64) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%init : tensor<4x6xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %p = arith.maximumf %x, %y : f64
    %q = arith.mulf %s, %p : f64
    linalg.yield %q : f64
  } -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// -----

// Integers of 32 bits.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @scores_0
// CHECK-SAME:    <a, i32, "mk">, #tcgemm.operand<b, i32, "kn">, #tcgemm.operand<output, i32, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: i32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]] : i32
// CHECK-NEXT:  } attributes {algebra = #tcgemm.algebra<reduce = max, combine = plus>}
func.func @scores(%a: tensor<4x8xi32>, %b: tensor<8x6xi32>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %none = arith.constant -2147483648 : i32
  %init = linalg.fill ins(%none : i32) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi32>, tensor<8x6xi32>) outs(%init : tensor<4x6xi32>) {
  ^bb0(%x: i32, %y: i32, %s: i32):
    %p = arith.addi %x, %y : i32
    %q = arith.maxsi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// The product of integers of 32 bits, with the initial value.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @integers_0
// CHECK-SAME:    <a, i32, "mk">, #tcgemm.operand<b, i32, "kn">, #tcgemm.operand<input, i32, "mn">
// CHECK:         arith.addi
// CHECK-NOT:     algebra
func.func @integers(%a: tensor<4x8xi32>, %b: tensor<8x6xi32>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xi32>, tensor<8x6xi32>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// Bytes are extended.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @masks_0
// CHECK-SAME:    <a, ui8, "mk">, #tcgemm.operand<b, ui8, "kn">, #tcgemm.operand<output, i32, "mn">
// CHECK:       attributes {algebra = #tcgemm.algebra<reduce = or, combine = and>}
func.func @masks(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %none = arith.constant 0 : i32
  %init = linalg.fill ins(%none : i32) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%init : tensor<4x6xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.andi %u, %v : i32
    %q = arith.ori %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// Of bits, tensor cores count the pairs of which both are 1.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @reachable_0
// CHECK-SAME:    <a, ui1, "mk">, #tcgemm.operand<b, ui1, "nk">, #tcgemm.operand<input, i32, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: i32, %[[C:.*]]: i32):
// CHECK:         %[[ANY:.*]] = arith.cmpi ne, %[[ACC]], %{{.*}} : i32
// CHECK-NEXT:    %[[BIT:.*]] = arith.extui %[[ANY]] : i1 to i32
// CHECK-NEXT:    %[[R:.*]] = arith.ori %[[C]], %[[BIT]] : i32
// CHECK-NEXT:    tcgemm.yield %[[R]] : i32
// CHECK-NOT:     algebra
func.func @reachable(%a: tensor<4x512xi1>, %b: tensor<6x512xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x512xi1>, tensor<6x512xi1>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i1, %y: i1, %s: i32):
    %u = arith.extui %x : i1 to i32
    %v = arith.extui %y : i1 to i32
    %p = arith.andi %u, %v : i32
    %q = arith.ori %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
