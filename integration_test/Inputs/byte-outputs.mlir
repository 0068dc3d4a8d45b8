// A product clamped and rounded to e4m3, and as it is.
func.func @main(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c0 : tensor<?x?xf16>
  %init = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sums = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                         affine_map<(m, n, k) -> (n, k)>,
                                         affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %narrow = tensor.empty(%m, %n) : tensor<?x?xf8E4M3FN>
  %wide = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
                                          affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<?x?xf32>) outs(%narrow, %wide : tensor<?x?xf8E4M3FN>, tensor<?x?xf32>) {
  ^bb0(%x: f32, %unused0: f8E4M3FN, %unused1: f32):
    %low = arith.constant -448.0 : f32
    %high = arith.constant 448.0 : f32
    %p = arith.maximumf %x, %low : f32
    %q = arith.minimumf %p, %high : f32
    %y = arith.truncf %q : f32 to f8E4M3FN
    linalg.yield %y, %x : f8E4M3FN, f32
  } -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf32>)
  return %0#0, %0#1 : tensor<?x?xf8E4M3FN>, tensor<?x?xf32>
}
