// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s

// Operands of 8 bits times operands of 16: the body converts them, in one step or in
// two.

// CHECK-LABEL: tcgemm.kernel @named_0
// CHECK-SAME:    <a, bf16, "mk">, #tcgemm.operand<b, i8, "kn">, #tcgemm.operand<output, f32, "mn">
func.func @named(%a: tensor<4x8xbf16>, %b: tensor<8x6xi8>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x6xi8>) outs(%init : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @unsigned_0
// CHECK-SAME:    <a, ui8, "mk">, #tcgemm.operand<b, f16, "nk">
func.func @unsigned(%a: tensor<4x8xi8>, %b: tensor<6x8xf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<6x8xf16>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: i8, %y: f16, %s: f32):
    %u = arith.uitofp %x : i8 to f16
    %v = arith.extf %u : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %v, %w : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// The sign is that of the extension; the extended number is not negative.
// CHECK-LABEL: tcgemm.kernel @two_steps_0
// CHECK-SAME:    <a, bf16, "mk">, #tcgemm.operand<b, ui8, "nk">
func.func @two_steps(%a: tensor<4x8xbf16>, %b: tensor<6x8xi8>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xbf16>, tensor<6x8xi8>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: bf16, %y: i8, %s: f32):
    %t = arith.extui %y : i8 to i32
    %u = arith.sitofp %t : i32 to f32
    %v = arith.extf %x : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @fp8_0
// CHECK-SAME:    <a, bf16, "mk">, #tcgemm.operand<b, f8E4M3FN, "nk">
func.func @fp8(%a: tensor<4x8xbf16>, %b: tensor<6x8xf8E4M3FN>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xbf16>, tensor<6x8xf8E4M3FN>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: bf16, %y: f8E4M3FN, %s: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @packed_0
// CHECK-SAME:    <a, bf16, "mk">, #tcgemm.operand<b, ui4, "nk">
func.func @packed(%a: tensor<4x8xbf16>, %b: tensor<6x8xi4>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xbf16>, tensor<6x8xi4>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: bf16, %y: i4, %s: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.uitofp %y : i4 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @integers_0
// CHECK-SAME:    <a, i4, "mk">, #tcgemm.operand<b, ui8, "nk">, #tcgemm.operand<input, i32, "mn">
func.func @integers(%a: tensor<4x8xi4>, %b: tensor<6x8xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi4>, tensor<6x8xi8>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i4, %y: i8, %s: i32):
    %u = arith.extsi %x : i4 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
