// D = gelu(A * B + bias), in bf16 with f32 accumulation; any number of rows.
// The GELU is the exact one: x/2 * (1 + erf(x / sqrt(2))).
func.func @matmul_bias_gelu(%a: tensor<?x1024xbf16>, %b: tensor<1024x4096xbf16>,
                            %bias: tensor<4096xf32>) -> tensor<?x4096xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x1024xbf16>
  %empty = tensor.empty(%m) : tensor<?x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<?x1024xbf16>, tensor<1024x4096xbf16>)
      outs(%init : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %result = tensor.empty(%m) : tensor<?x4096xbf16>
  %gelu = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                       affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x4096xf32>, tensor<4096xf32>)
      outs(%result : tensor<?x4096xbf16>) {
  ^bb0(%p: f32, %v: f32, %unused: bf16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %rsqrt2 = arith.constant 0.707106769 : f32
    %x = arith.addf %p, %v : f32
    %scaled = arith.mulf %x, %rsqrt2 : f32
    %erf = math.erf %scaled : f32
    %sum = arith.addf %erf, %one : f32
    %factor = arith.mulf %sum, %half : f32
    %y = arith.mulf %x, %factor : f32
    %d = arith.truncf %y : f32 to bf16
    linalg.yield %d : bf16
  } -> tensor<?x4096xbf16>
  return %gelu : tensor<?x4096xbf16>
}
