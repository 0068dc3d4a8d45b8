func.func private @layer(%x: tensor<?x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}
func.func @network(%x: tensor<?x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %0 = call @layer(%x, %w) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  %1 = call @layer(%0, %w) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  %2 = call @layer(%1, %w) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  return %2 : tensor<?x64xbf16>
}
