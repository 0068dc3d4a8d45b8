// A function that is called three times: its kernel is compiled once.
func.func private @layer(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<64x64xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %0 = linalg.matmul ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x64xbf16>) outs(%e : tensor<64x64xbf16>) {
  ^bb0(%v: bf16, %o: bf16):
    %c = arith.constant 0.125 : bf16
    %s = arith.mulf %v, %c : bf16
    linalg.yield %s : bf16
  } -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
func.func @calls(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = call @layer(%x, %w) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = call @layer(%0, %w) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %2 = call @layer(%1, %w) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %2 : tensor<64x64xbf16>
}
