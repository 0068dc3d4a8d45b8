// Weights in the module, read by a product and by an elementwise operation.
func.func @constants(%a: tensor<32x4xf16>) -> (tensor<32x2xf16>, tensor<32x2xf32>) {
  %b = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16>
  %bias = arith.constant dense<[0.5, -1.5]> : tensor<2xf32>
  %ones = arith.constant dense<1.0> : tensor<32x2xf32>
  %z = arith.constant dense<0.0> : tensor<32x2xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x4xf16>, tensor<4x2xf16>) outs(%z : tensor<32x2xf16>) -> tensor<32x2xf16>
  %e = tensor.empty() : tensor<32x2xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%bias, %ones : tensor<2xf32>, tensor<32x2xf32>) outs(%e : tensor<32x2xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<32x2xf32>
  return %0, %1 : tensor<32x2xf16>, tensor<32x2xf32>
}
