// RUN: tcgemm-opt %s -tcgemm-raise=precision=tf32 | FileCheck %s

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (k, n, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]

// Complex numbers of f32. Products by tf32 take k innermost only. The constants are not rounded.
// CHECK: tcgemm.kernel @complex_0 <?x?x2x2x2> [#tcgemm.operand<a, f32, "{{[a-z]+}}">, #tcgemm.operand<b, f32, "{{[a-z]+}}">, #tcgemm.operand<output, f32, "{{[a-z]+}}">]
// CHECK: tcgemm.kernel @complex_1 <1x?x?x?> [#tcgemm.operand<a, tf32, "mk">, #tcgemm.operand<b, tf32, "nk">, #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @complex
// CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, -1.000000e+00]], {{\[\[}}0.000000e+00, 1.000000e+00], [1.000000e+00, 0.000000e+00]]]>
// CHECK: %[[R:.*]] = tcgemm.launch @complex_0 ins(%arg1, %[[T]]
// CHECK-SAME: -> tensor<?x2x?x2xf32>
// CHECK: tcgemm.launch @complex_1
// CHECK-SAME: -> tensor<?x?xf32>
func.func @complex(%A: tensor<?x?x2xf32>, %B: tensor<?x?x2xf32>, %C: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<2x2x2xf32>) outs(%C : tensor<?x?x2xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x2xf32>
  return %D : tensor<?x?x2xf32>
}

// Dual numbers of f16, whose constants are f32. Neighbours along n stay neighbours.
// CHECK-LABEL: func.func @dual
// CHECK: arith.constant dense<{{.*}}> : tensor<2x2x2xf16>
// CHECK: tcgemm.launch @dual_0
// CHECK-SAME: -> tensor<8x2x16x2xf16>
// CHECK: tcgemm.launch @dual_1
func.func @dual(%A: tensor<4x8x2xf16>, %B: tensor<8x16x2xf16>, %C: tensor<4x16x2xf32>) -> tensor<4x16x2xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<4x8x2xf16>, tensor<8x16x2xf16>, tensor<2x2x2xf32>) outs(%C : tensor<4x16x2xf32>) {
  ^bb0(%x: f16, %y: f16, %t: f32, %s: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %0 = arith.mulf %u, %v : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x16x2xf32>
  return %D : tensor<4x16x2xf32>
}
