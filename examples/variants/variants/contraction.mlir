// D[c, b, a] = sum over d of A[a, d, b]·B[c, d].
#a = affine_map<(a, b, c, d) -> (a, d, b)>
#b = affine_map<(a, b, c, d) -> (c, d)>
#d = affine_map<(a, b, c, d) -> (c, b, a)>
func.func @product(%a: tensor<6x24x8xbf16>, %b: tensor<40x24xbf16>) -> tensor<40x8x6xf32> {
  %start = arith.constant dense<0.0> : tensor<40x8x6xf32>
  %result = linalg.contract indexing_maps = [#a, #b, #d]
      ins(%a, %b : tensor<6x24x8xbf16>, tensor<40x24xbf16>) outs(%start : tensor<40x8x6xf32>) -> tensor<40x8x6xf32>
  return %result : tensor<40x8x6xf32>
}
