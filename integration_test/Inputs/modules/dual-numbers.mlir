// Interleaved dual numbers: the size hint of large products lets copies separate the components.

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (n, k, r)>
#rows = affine_map<(m, n, p, k, q, r) -> (n, r, k)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#drows = affine_map<(m, n, p, k, q, r) -> (m, p, n)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]

func.func @interleaved(%A: tensor<?x?x2xf16>, %B: tensor<?x?x2xf16>) -> tensor<?x?x2xf16> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf16>
  %one = arith.constant 1.0 : f16
  %c0 = arith.constant 0 : index
  %m = tensor.dim %A, %c0 : tensor<?x?x2xf16>
  %n = tensor.dim %B, %c0 : tensor<?x?x2xf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?x2xf16>
  %ones = linalg.fill ins(%one : f16) outs(%empty : tensor<?x?x2xf16>) -> tensor<?x?x2xf16>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
      ins(%A, %B, %T : tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<2x2x2xf16>) outs(%ones : tensor<?x?x2xf16>)
      attrs = {tcgemm.size_hint = array<i64: 4096, 4096, 2, 4096, 2, 2>} {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.mulf %0, %t : f16
    %2 = arith.subf %s, %1 : f16
    linalg.yield %2 : f16
  } -> tensor<?x?x2xf16>
  return %D : tensor<?x?x2xf16>
}

// Only A's components are neighbours, and the products are added to an initial value.
func.func @rows(%A: tensor<?x?x2xf32>, %B: tensor<?x2x?xf32>, %C: tensor<?x2x?xf32>) -> tensor<?x2x?xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic {indexing_maps = [#a, #rows, #t, #drows], iterator_types = #loops}
      ins(%A, %B, %T : tensor<?x?x2xf32>, tensor<?x2x?xf32>, tensor<2x2x2xf32>) outs(%C : tensor<?x2x?xf32>)
      attrs = {tcgemm.size_hint = array<i64: 8192, 8192, 2, 8192, 2, 2>} {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x2x?xf32>
  return %D : tensor<?x2x?xf32>
}
