// Two products of different depths, one after the other.
func.func @two(%a: tensor<128x128xbf16>, %b: tensor<128x256xbf16>, %c: tensor<256x128xbf16>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : bf16
  %e0 = tensor.empty() : tensor<128x256xbf16>
  %f0 = linalg.fill ins(%zero : bf16) outs(%e0 : tensor<128x256xbf16>) -> tensor<128x256xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<128x128xbf16>, tensor<128x256xbf16>)
                     outs(%f0 : tensor<128x256xbf16>) -> tensor<128x256xbf16>
  %none = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<128x128xf32>
  %f1 = linalg.fill ins(%none : f32) outs(%e1 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %1 = linalg.matmul ins(%0, %c : tensor<128x256xbf16>, tensor<256x128xbf16>)
                     outs(%f1 : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}
