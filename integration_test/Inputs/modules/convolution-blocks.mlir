// Convolutions as kernels: two in a row with a residual, and one of few channels.

#map = affine_map<(n, h, w, f) -> (n, h, w, f)>
#row = affine_map<(n, h, w, f) -> (f)>

func.func @block(%x: tensor<2x7x6x64xf16>, %u: tensor<64x3x3x64xf16>, %v: tensor<3x3x64x64xf16>, %bias: tensor<64xf32>) -> tensor<2x7x6x64xf16> {
  %zero = arith.constant 0.0 : f16
  %sum = arith.constant 0.0 : f32
  %wide = tensor.empty() : tensor<2x7x6x64xf32>
  %zeros = linalg.fill ins(%sum : f32) outs(%wide : tensor<2x7x6x64xf32>) -> tensor<2x7x6x64xf32>
  %o = tensor.empty() : tensor<2x7x6x64xf16>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<2x7x6x64xf16> to tensor<2x9x8x64xf16>
  %first = linalg.conv_2d_nhwc_fhwc ins(%p, %u : tensor<2x9x8x64xf16>, tensor<64x3x3x64xf16>)
    outs(%zeros : tensor<2x7x6x64xf32>) -> tensor<2x7x6x64xf32>
  %y = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%first, %bias : tensor<2x7x6x64xf32>, tensor<64xf32>) outs(%o : tensor<2x7x6x64xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %sum : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<2x7x6x64xf16>
  %q = tensor.pad %y low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<2x7x6x64xf16> to tensor<2x11x10x64xf16>
  %second = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>} ins(%q, %v : tensor<2x11x10x64xf16>, tensor<3x3x64x64xf16>)
    outs(%zeros : tensor<2x7x6x64xf32>) -> tensor<2x7x6x64xf32>
  %d = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%second, %x : tensor<2x7x6x64xf32>, tensor<2x7x6x64xf16>) outs(%o : tensor<2x7x6x64xf16>) {
  ^bb0(%a: f32, %b: f16, %c: f16):
    %0 = arith.extf %b : f16 to f32
    %1 = arith.addf %a, %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<2x7x6x64xf16>
  return %d : tensor<2x7x6x64xf16>
}

// The number of images is known at run time, the pixels are strided, and the rows of A
// are no multiple of 16 bytes.
func.func @stem(%x: tensor<?x9x9x3xf16>, %u: tensor<24x5x5x3xf16>) -> tensor<?x5x5x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %sum = arith.constant 0.0 : f32
  %images = tensor.dim %x, %c0 : tensor<?x9x9x3xf16>
  %wide = tensor.empty(%images) : tensor<?x5x5x24xf32>
  %zeros = linalg.fill ins(%sum : f32) outs(%wide : tensor<?x5x5x24xf32>) -> tensor<?x5x5x24xf32>
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<?x9x9x3xf16> to tensor<?x13x13x3xf16>
  %d = linalg.conv_2d_nhwc_fhwc {strides = dense<2> : tensor<2xi64>} ins(%p, %u : tensor<?x13x13x3xf16>, tensor<24x5x5x3xf16>)
    outs(%zeros : tensor<?x5x5x24xf32>) -> tensor<?x5x5x24xf32>
  return %d : tensor<?x5x5x24xf32>
}
