// A product, and a result of bytes that is filled.
func.func @filled(%a: tensor<32x64xbf16>, %b: tensor<64x48xbf16>)
    -> (tensor<32x48xf32>, tensor<8x8xi8>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 5 : i8
  %e0 = tensor.empty() : tensor<32x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x48xbf16>)
                     outs(%f0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %e1 = tensor.empty() : tensor<8x8xi8>
  %f1 = linalg.fill ins(%half : i8) outs(%e1 : tensor<8x8xi8>) -> tensor<8x8xi8>
  return %p, %f1 : tensor<32x48xf32>, tensor<8x8xi8>
}
