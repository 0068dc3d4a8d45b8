// Dual numbers with interleaved components, whose result has columns ahead of rows, and an initial value.
#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (n, k, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (n, m, p)>
#dual = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"],
         tcgemm.size_hint = array<i64: 4096, 4096, 2, 4096, 2, 2>}

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
