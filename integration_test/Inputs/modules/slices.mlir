// A product of slices, stored into a slice; the strided halves of a result.
func.func @slices(%a: tensor<100x64xbf16>, %b: tensor<64x80xbf16>, %big: tensor<100x100xf32>)
    -> (tensor<100x100xf32>, tensor<20x24xf32>) {
  %zero = arith.constant 0.0 : f32
  %as = tensor.extract_slice %a[30, 0] [40, 64] [1, 1] : tensor<100x64xbf16> to tensor<40x64xbf16>
  %bs = tensor.extract_slice %b[0, 7] [64, 24] [1, 1] : tensor<64x80xbf16> to tensor<64x24xbf16>
  %e = tensor.empty() : tensor<40x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>
  %g = linalg.matmul ins(%as, %bs : tensor<40x64xbf16>, tensor<64x24xbf16>) outs(%f : tensor<40x24xf32>) -> tensor<40x24xf32>
  %r = tensor.insert_slice %g into %big[10, 20] [40, 24] [1, 1] : tensor<40x24xf32> into tensor<100x100xf32>
  %half = tensor.extract_slice %g[0, 0] [20, 24] [2, 1] : tensor<40x24xf32> to tensor<20x24xf32>
  %e2 = tensor.empty() : tensor<20x24xf32>
  %n = linalg.negf ins(%half : tensor<20x24xf32>) outs(%e2 : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %r, %n : tensor<100x100xf32>, tensor<20x24xf32>
}
