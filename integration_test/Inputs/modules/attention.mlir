// One head of attention: products, a scaled softmax between them.
func.func @attention(%q: tensor<33x64xbf16>, %k: tensor<50x64xbf16>, %v: tensor<50x32xbf16>) -> tensor<33x32xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e0 = tensor.empty() : tensor<33x50xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<33x50xf32>) -> tensor<33x50xf32>
  %s = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %k : tensor<33x64xbf16>, tensor<50x64xbf16>) outs(%f0 : tensor<33x50xf32>) -> tensor<33x50xf32>
  %scaled = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<33x50xf32>) outs(%e0 : tensor<33x50xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<33x50xf32>
  %p = linalg.softmax dimension(1) ins(%scaled : tensor<33x50xf32>) outs(%e0 : tensor<33x50xf32>) -> tensor<33x50xf32>
  %e1 = tensor.empty() : tensor<33x50xbf16>
  %pb = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<33x50xf32>) outs(%e1 : tensor<33x50xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<33x50xbf16>
  %e2 = tensor.empty() : tensor<33x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<33x32xf32>) -> tensor<33x32xf32>
  %r = linalg.matmul ins(%pb, %v : tensor<33x50xbf16>, tensor<50x32xbf16>) outs(%f2 : tensor<33x32xf32>) -> tensor<33x32xf32>
  return %r : tensor<33x32xf32>
}
