// Products of 8-bit integers: a requantised layer, and operands of two signs.

func.func @requantised(%a: tensor<40x64xi8>, %b: tensor<64x48xi8>, %s: tensor<48xf32>) -> tensor<40x48xi8> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x48xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<40x48xi32>) -> tensor<40x48xi32>
  %p = linalg.matmul ins(%a, %b : tensor<40x64xi8>, tensor<64x48xi8>) outs(%i : tensor<40x48xi32>) -> tensor<40x48xi32>
  %o = tensor.empty() : tensor<40x48xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m,n)->(m,n)>, affine_map<(m,n)->(n)>, affine_map<(m,n)->(m,n)>], iterator_types = ["parallel","parallel"]}
    ins(%p, %s : tensor<40x48xi32>, tensor<48xf32>) outs(%o : tensor<40x48xi8>) {
  ^bb0(%x: i32, %y: f32, %w: i8):
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %f = arith.sitofp %x : i32 to f32
    %sc = arith.constant 0.001 : f32
    %g0 = arith.mulf %f, %y : f32
    %g = arith.mulf %g0, %sc : f32
    %h = math.roundeven %g : f32
    %k = arith.maximumf %h, %lo : f32
    %l = arith.minimumf %k, %hi : f32
    %t = arith.fptosi %l : f32 to i8
    linalg.yield %t : i8
  } -> tensor<40x48xi8>
  return %r : tensor<40x48xi8>
}

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @two_signs(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
