// Scales with k innermost of A, and with n innermost of B, whose rows run along n.
#rows = affine_map<(m, k) -> (m, k)>
#ofA = affine_map<(m, k) -> (m, k floordiv 128)>
#weights = affine_map<(b, k, n) -> (b, k, n)>
#ofB = affine_map<(b, k, n) -> (b, k floordiv 128, n floordiv 128)>
func.func @main(%a: tensor<?x400xf8E4M3FN>, %b: tensor<3x400x200xf8E4M3FN>, %o: tensor<3xi32>, %sa: tensor<?x4xf32>, %sb: tensor<3x4x2xf32>) -> tensor<?x200xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x400xf8E4M3FN>
  %e0 = tensor.empty(%t) : tensor<?x400xf32>
  %x = linalg.generic {indexing_maps = [#rows, #ofA, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%a, %sa : tensor<?x400xf8E4M3FN>, tensor<?x4xf32>) outs(%e0 : tensor<?x400xf32>) {
  ^bb0(%in: f8E4M3FN, %s: f32, %out: f32):
    %0 = arith.extf %in : f8E4M3FN to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<?x400xf32>
  %e1 = tensor.empty() : tensor<3x400x200xf32>
  %y = linalg.generic {indexing_maps = [#weights, #ofB, #weights], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %sb : tensor<3x400x200xf8E4M3FN>, tensor<3x4x2xf32>) outs(%e1 : tensor<3x400x200xf32>) {
  ^bb0(%in: f8E4M3FN, %s: f32, %out: f32):
    %0 = arith.extf %in : f8E4M3FN to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<3x400x200xf32>
  %e = tensor.empty(%t) : tensor<?x200xf32>
  %d = tcgemm.grouped_matmul ins(%x, %y, %o : tensor<?x400xf32>, tensor<3x400x200xf32>, tensor<3xi32>)
    outs(%e : tensor<?x200xf32>) -> tensor<?x200xf32>
  return %d : tensor<?x200xf32>
}
