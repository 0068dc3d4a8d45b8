// Weights of 4 bits with scales and zero points of groups: in the product's body, and
// computed by an operation of its own.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#group = affine_map<(m, n, k) -> (n, k floordiv 64)>
#d = affine_map<(m, n, k) -> (m, n)>
#row = affine_map<(n, k) -> (n, k)>
#rowGroup = affine_map<(n, k) -> (n, k floordiv 32)>

func.func @groups_in_body(%a: tensor<24x128xbf16>, %b: tensor<40x128xi4>, %s: tensor<40x2xf16>, %z: tensor<40x2xi8>) -> tensor<24x40xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<24x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<24x40xf32>) -> tensor<24x40xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #group, #group, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<24x128xbf16>, tensor<40x128xi4>, tensor<40x2xf16>, tensor<40x2xi8>) outs(%init : tensor<24x40xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.uitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %shifted = arith.subf %v, %w : f32
    %scale = arith.extf %t : f16 to f32
    %e = arith.mulf %shifted, %scale : f32
    %p = arith.mulf %u, %e : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<24x40xf32>
  return %0 : tensor<24x40xf32>
}

func.func @groups_of_producer(%x: tensor<96xf16>, %b: tensor<40x96xi4>, %s: tensor<40x3xf32>) -> tensor<40xf32> {
  %empty = tensor.empty() : tensor<40x96xf32>
  %wide = linalg.generic {indexing_maps = [#row, #rowGroup, #row], iterator_types = ["parallel", "parallel"]}
    ins(%b, %s : tensor<40x96xi4>, tensor<40x3xf32>) outs(%empty : tensor<40x96xf32>) {
  ^bb0(%y: i4, %t: f32, %o: f32):
    %v = arith.sitofp %y : i4 to f32
    %w = arith.mulf %v, %t : f32
    linalg.yield %w : f32
  } -> tensor<40x96xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<40xf32>) -> tensor<40xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%wide, %x : tensor<40x96xf32>, tensor<96xf16>) outs(%init : tensor<40xf32>) {
  ^bb0(%l: f32, %r: f16, %o: f32):
    %u = arith.extf %r : f16 to f32
    %p = arith.mulf %l, %u : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
