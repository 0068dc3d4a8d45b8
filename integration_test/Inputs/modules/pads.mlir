// Pads before and behind a product.
func.func @pads(%a: tensor<40x60xbf16>, %b: tensor<64x24xbf16>) -> tensor<50x31xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zb = arith.constant 0.0 : bf16
  %p = tensor.pad %a low[0, 3] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zb : bf16
  } : tensor<40x60xbf16> to tensor<40x64xbf16>
  %e = tensor.empty() : tensor<40x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>
  %g = linalg.matmul ins(%p, %b : tensor<40x64xbf16>, tensor<64x24xbf16>) outs(%f : tensor<40x24xf32>) -> tensor<40x24xf32>
  %r = tensor.pad %g low[2, 3] high[8, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<40x24xf32> to tensor<50x31xf32>
  return %r : tensor<50x31xf32>
}
