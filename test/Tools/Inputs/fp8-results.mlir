#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#e = affine_map<(m, n) -> (m, n)>
#s = affine_map<(m, n) -> ()>
func.func @overflow(%A: tensor<64x128xbf16>, %B: tensor<96x128xbf16>, %R: tensor<64x96xf8E5M2>, %q: f32) -> (tensor<64x96xf8E4M3FN>, tensor<64x96xf8E5M2>) {
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<64x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%i : tensor<64x96xf32>) -> tensor<64x96xf32>
  %c = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<64x128xbf16>, tensor<96x128xbf16>) outs(%f : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %o = tensor.empty() : tensor<64x96xf8E4M3FN>
  %o2 = tensor.empty() : tensor<64x96xf8E5M2>
  %r:2 = linalg.generic {indexing_maps = [#e, #e, #e, #e], iterator_types = ["parallel", "parallel"]} ins(%c, %R : tensor<64x96xf32>, tensor<64x96xf8E5M2>) outs(%o, %o2 : tensor<64x96xf8E4M3FN>, tensor<64x96xf8E5M2>) {
  ^bb0(%x: f32, %w: f8E5M2, %y: f8E4M3FN, %y2: f8E5M2):
    %k = arith.constant 64.0 : f32
    %k2 = arith.constant 4096.0 : f32
    %m = arith.mulf %x, %k : f32
    %m2 = arith.mulf %x, %k2 : f32
    %w2 = arith.extf %w : f8E5M2 to f32
    %m3 = arith.addf %m2, %w2 : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %t2 = arith.truncf %m3 : f32 to f8E5M2
    linalg.yield %t, %t2 : f8E4M3FN, f8E5M2
  } -> (tensor<64x96xf8E4M3FN>, tensor<64x96xf8E5M2>)
  return %r#0, %r#1 : tensor<64x96xf8E4M3FN>, tensor<64x96xf8E5M2>
}
