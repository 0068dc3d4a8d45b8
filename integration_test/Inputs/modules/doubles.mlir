// Products of f64: the update of an LU factorisation, in place, and BLAS's factors.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @update(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64> {bufferization.writable = true}) -> tensor<?x?xf64> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.subf %s, %p : f64
    linalg.yield %q : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

#id = affine_map<(m, n) -> (m, n)>
func.func @factors(%a: tensor<40x35xf64>, %b: tensor<35x48xf64>, %c: tensor<40x48xf64>, %alpha: f64, %beta: f64) -> tensor<40x48xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<40x48xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<40x48xf64>) -> tensor<40x48xf64>
  %p = linalg.matmul ins(%a, %b : tensor<40x35xf64>, tensor<35x48xf64>) outs(%i : tensor<40x48xf64>) -> tensor<40x48xf64>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%p, %c : tensor<40x48xf64>, tensor<40x48xf64>) outs(%e : tensor<40x48xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %u = arith.mulf %x, %alpha : f64
    %v = arith.mulf %y, %beta : f64
    %w = arith.addf %u, %v : f64
    linalg.yield %w : f64
  } -> tensor<40x48xf64>
  return %r : tensor<40x48xf64>
}

// C is the destination, too.
func.func @dgemm(%a: tensor<40x35xf64>, %b: tensor<35x48xf64>, %c: tensor<40x48xf64> {bufferization.writable = true}, %alpha: f64, %beta: f64) -> tensor<40x48xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<40x48xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<40x48xf64>) -> tensor<40x48xf64>
  %p = linalg.matmul ins(%a, %b : tensor<40x35xf64>, tensor<35x48xf64>) outs(%i : tensor<40x48xf64>) -> tensor<40x48xf64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%p : tensor<40x48xf64>) outs(%c : tensor<40x48xf64>) {
  ^bb0(%x: f64, %y: f64):
    %u = arith.mulf %x, %alpha : f64
    %v = arith.mulf %y, %beta : f64
    %w = arith.addf %u, %v : f64
    linalg.yield %w : f64
  } -> tensor<40x48xf64>
  return %r : tensor<40x48xf64>
}

// f32, too.
func.func @single(%a: tensor<33x20xf32>, %b: tensor<20x17xf32>, %c: tensor<33x17xf32> {bufferization.writable = true}) -> tensor<33x17xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<33x20xf32>, tensor<20x17xf32>) outs(%c : tensor<33x17xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.subf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<33x17xf32>
  return %r : tensor<33x17xf32>
}
