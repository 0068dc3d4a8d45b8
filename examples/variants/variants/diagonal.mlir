// D = diag(d)·B, with the elements of the diagonal as a vector.
#vector = affine_map<(m, n, k) -> (k)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @product(%d: tensor<70xbf16>, %b: tensor<70x33xbf16>) -> tensor<70x33xf32> {
  %none = arith.constant 0.0 : bf16
  %start = arith.constant dense<0.0> : tensor<70x33xf32>
  %result = linalg.generic {indexing_maps = [#vector, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<70xbf16>, tensor<70x33xbf16>) outs(%start : tensor<70x33xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %m = linalg.index 0 : index
    %k = linalg.index 2 : index
    %inside = arith.cmpi eq, %m, %k : index
    %left = arith.select %inside, %x, %none : bf16
    %u = arith.extf %left : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %product = arith.mulf %u, %v : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<70x33xf32>
  return %result : tensor<70x33xf32>
}
