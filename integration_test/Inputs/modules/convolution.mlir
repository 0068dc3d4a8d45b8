// A convolution with ReLU, a maximum over windows, a product with what is left.
func.func @convolution(%i: tensor<1x14x14x8xf16>, %w: tensor<3x3x8x16xf16>, %d: tensor<576x10xbf16>) -> tensor<1x10xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x12x12x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x12x12x16xf32>) -> tensor<1x12x12x16xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%i, %w : tensor<1x14x14x8xf16>, tensor<3x3x8x16xf16>)
      outs(%f : tensor<1x12x12x16xf32>) -> tensor<1x12x12x16xf32>
  %r = linalg.map ins(%c : tensor<1x12x12x16xf32>) outs(%e : tensor<1x12x12x16xf32>)
    (%v: f32, %o: f32) {
      %m = arith.maximumf %v, %zero : f32
      linalg.yield %m : f32
    }
  %window = tensor.empty() : tensor<2x2xf32>
  %ep = tensor.empty() : tensor<1x6x6x16xf32>
  %fp = linalg.fill ins(%low : f32) outs(%ep : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %p = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%r, %window : tensor<1x12x12x16xf32>, tensor<2x2xf32>) outs(%fp : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %flat = tensor.collapse_shape %p [[0], [1, 2, 3]] : tensor<1x6x6x16xf32> into tensor<1x576xf32>
  %eb = tensor.empty() : tensor<1x576xbf16>
  %b = linalg.map ins(%flat : tensor<1x576xf32>) outs(%eb : tensor<1x576xbf16>)
    (%v: f32, %o: bf16) {
      %t = arith.truncf %v : f32 to bf16
      linalg.yield %t : bf16
    }
  %eo = tensor.empty() : tensor<1x10xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x10xf32>) -> tensor<1x10xf32>
  %o = linalg.matmul ins(%b, %d : tensor<1x576xbf16>, tensor<576x10xbf16>) outs(%fo : tensor<1x10xf32>) -> tensor<1x10xf32>
  return %o : tensor<1x10xf32>
}
