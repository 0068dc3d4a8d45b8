// Products of complex matrices whose real and imaginary parts are neighbours, for
// tcgemm-run. The structure constants are those of docs/guide/algebras.md.

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (k, n, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#product = {
  indexing_maps = [#a, #b, #t, #d],
  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}

func.func @c64_tf32(%A: tensor<?x?x2xf32>, %B: tensor<?x?x2xf32>, %C: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic #product ins(%A, %B, %T : tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<2x2x2xf32>)
      outs(%C : tensor<?x?x2xf32>) attrs = {tcgemm.precision = "tf32"} {
  ^bb0(%x: f32, %y: f32, %c: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x2xf32>
  return %D : tensor<?x?x2xf32>
}

func.func @c64_tf32x3(%A: tensor<?x?x2xf32>, %B: tensor<?x?x2xf32>, %C: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic #product ins(%A, %B, %T : tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<2x2x2xf32>)
      outs(%C : tensor<?x?x2xf32>) attrs = {tcgemm.precision = "tf32x3"} {
  ^bb0(%x: f32, %y: f32, %c: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x2xf32>
  return %D : tensor<?x?x2xf32>
}

func.func @c128(%A: tensor<?x?x2xf64>, %B: tensor<?x?x2xf64>, %C: tensor<?x?x2xf64>) -> tensor<?x?x2xf64> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf64>
  %D = linalg.generic #product ins(%A, %B, %T : tensor<?x?x2xf64>, tensor<?x?x2xf64>, tensor<2x2x2xf64>)
      outs(%C : tensor<?x?x2xf64>) {
  ^bb0(%x: f64, %y: f64, %c: f64, %sum: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %c : f64
    %2 = arith.addf %sum, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?x?x2xf64>
  return %D : tensor<?x?x2xf64>
}
