// Products of 16 bits by 8: weights of a layer as B, and narrow rows as A. Their other
// side is long enough for wgmma.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

func.func @layer(%x: tensor<70x96xf16>, %w: tensor<80x96xi8>, %scale: tensor<80xf32>, %bias: tensor<80xf32>) -> tensor<70x80xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x80xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<70x80xf32>) -> tensor<70x80xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<70x96xf16>, tensor<80x96xi8>) outs(%i : tensor<70x80xf32>) {
  ^bb0(%u: f16, %v: i8, %s: f32):
    %uf = arith.extf %u : f16 to f32
    %vf = arith.sitofp %v : i8 to f32
    %q = arith.mulf %uf, %vf : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<70x80xf32>
  %o = tensor.empty() : tensor<70x80xf16>
  %r = linalg.generic {indexing_maps = [#mn, #n, #n, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%p, %scale, %bias : tensor<70x80xf32>, tensor<80xf32>, tensor<80xf32>) outs(%o : tensor<70x80xf16>) {
  ^bb0(%v: f32, %c: f32, %y: f32, %old: f16):
    %small = arith.constant 0.01 : f32
    %c0 = arith.mulf %v, %small : f32
    %c1 = arith.mulf %c0, %c : f32
    %c2 = arith.addf %c1, %y : f32
    %c3 = arith.maximumf %c2, %zero : f32
    %h = arith.truncf %c3 : f32 to f16
    linalg.yield %h : f16
  } -> tensor<70x80xf16>
  return %r : tensor<70x80xf16>
}

func.func @narrow_rows(%a: tensor<?x?xi8>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x?xi8>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: i8, %y: f16, %s: f32):
    %u = arith.uitofp %x : i8 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
