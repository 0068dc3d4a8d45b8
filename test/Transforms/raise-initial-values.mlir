// RUN: tcgemm-opt %s -split-input-file -tcgemm-raise="remarks=false transpose-operands" | FileCheck %s

// A kernel whose result is transposed behind it reads the initial value that was transposed ahead of it.

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (n, k, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (n, m, p)>
#dual = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"],
         tcgemm.size_hint = array<i64: 4096, 4096, 2, 4096, 2, 2>}

// The columns and the components of the result, which the kernel joins, are apart in %C.
// CHECK: tcgemm.kernel @numbers_1 <1x?x?x?> [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
// CHECK-SAME: #tcgemm.operand<input, f16, "mn">, #tcgemm.operand<output, f16, "mn">]
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<?x?x2xf16>) ->
// CHECK: tcgemm.launch @numbers_0
// CHECK: %[[INIT:.*]] = linalg.transpose ins(%[[C]] : tensor<?x?x2xf16>) outs(%{{.*}} : tensor<?x?x2xf16>) permutation = [1, 0, 2]
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[INIT]] {{\[\[}}0], [1, 2]]
// CHECK: %[[R:.*]] = tcgemm.launch @numbers_1 ins(%{{.*}}, %{{.*}}, %[[JOINED]] :
// CHECK: %[[APART:.*]] = tensor.expand_shape %[[R]]
// CHECK: linalg.transpose ins(%[[APART]] : tensor<?x?x2xf16>) outs(%{{.*}} : tensor<?x?x2xf16>) permutation = [1, 0, 2]
func.func @numbers(%A: tensor<?x?x2xf16>, %B: tensor<?x?x2xf16>, %C: tensor<?x?x2xf16>) -> tensor<?x?x2xf16> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf16>
  %D = linalg.generic #dual ins(%A, %B, %T : tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<2x2x2xf16>) outs(%C : tensor<?x?x2xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.mulf %0, %t : f16
    %2 = arith.addf %s, %1 : f16
    linalg.yield %2 : f16
  } -> tensor<?x?x2xf16>
  return %D : tensor<?x?x2xf16>
}

// -----

#a = affine_map<(m, n, p, k) -> (m, k)>
#b = affine_map<(m, n, p, k) -> (n, p, k)>
#d = affine_map<(m, n, p, k) -> (m, n, p)>

// The same for a transposition of the module itself.
// CHECK: tcgemm.kernel @written_0
// CHECK-LABEL: func.func @written(
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<?x?x2xf16>
// CHECK: %[[INIT:.*]] = linalg.transpose ins(%[[C]]
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[INIT]] {{\[\[}}0], [1, 2]]
// CHECK: tcgemm.launch @written_0 ins(%{{.*}}, %{{.*}}, %[[JOINED]] :
func.func @written(%A: tensor<?x?xf16>, %B: tensor<?x2x?xf16>, %C: tensor<?x?x2xf16>,
                   %space: tensor<?x?x2xf16>) -> tensor<?x?x2xf16> {
  %init = linalg.transpose ins(%C : tensor<?x?x2xf16>) outs(%space : tensor<?x?x2xf16>) permutation = [1, 0, 2]
  %D = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<?x?xf16>, tensor<?x2x?xf16>) outs(%init : tensor<?x?x2xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.addf %s, %0 : f16
    linalg.yield %1 : f16
  } -> tensor<?x?x2xf16>
  return %D : tensor<?x?x2xf16>
}
