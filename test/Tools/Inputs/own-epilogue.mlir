// sqrt(|(A·B)·s|): no epilogue of the tuner has these operations.
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %s: tensor<64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%product, %s : tensor<64x64xf32>, tensor<64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%sum: f32, %scale: f32, %unused: f32):
    %scaled = arith.mulf %sum, %scale : f32
    %positive = math.absf %scaled : f32
    %root = math.sqrt %positive : f32
    linalg.yield %root : f32
  } -> tensor<64x64xf32>
  return %result : tensor<64x64xf32>
}
